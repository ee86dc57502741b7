/// The pixels of an image at computed coordinates.
///
/// Inputs: an image, and an image of two channels with the column and the row for each pixel of the result.
struct GridSample: Operation {
    /// The values outside the image.
    enum Outside: Hashable, Sendable {
        case constant(Float)
        /// The nearest pixel of the image.
        case border
        /// The image mirrored, without or with a second copy of its outermost pixels.
        case reflected, mirrored
    }

    /// The coordinates of the image's edges.
    enum Coordinates: String, Hashable, Sendable {
        case pixels = "unnormalized"
        case aroundZero = "normalized_minus_one_to_one"
        case fromZero = "normalized_zero_to_one"
    }

    var outside: Outside
    var coordinates: Coordinates
    /// Whether normalized coordinates refer to the centers of the outermost pixels, not to their edges.
    var alignsCenters: Bool
    var isNearest = false

    var kind: String { "GridSample" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (image, grid) = (inputs[0].shape, inputs[1].shape)
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        guard grid.rank == 4, grid[0] == image[0], grid[3] == 2, image[1] > 0, image[2] > 0 else {
            throw Failure.shapesDiffer(image, grid)
        }
        return [TensorType([image[0], grid[1], grid[2], image[3]])]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        let channels = image[3]
        let filling: Double = if case .constant(let value) = outside { Double(value) } else { 0 }
        return inputs[0].withFloats { x in
            inputs[1].withFloats { grid in
                [
                    Tensor(shape: output) { y in
                        for pixel in 0..<y.count / Swift.max(1, channels) {
                            let start = pixel / (output[1] * output[2]) * image[1] * image[2]
                            let columns = taps(at: Double(grid[2 * pixel]), of: image[2])
                            let rows = taps(at: Double(grid[2 * pixel + 1]), of: image[1])
                            for channel in 0..<channels {
                                y[pixel * channels + channel] = weightedSum(rows, columns) { row, column in
                                    guard (0..<image[1]).contains(row), (0..<image[2]).contains(column) else {
                                        return filling
                                    }
                                    return Double(x[(start + row * image[2] + column) * channels + channel])
                                }
                            }
                        }
                    }
                ]
            }
        }
    }

    private func weightedSum(_ rows: [Tap], _ columns: [Tap], _ value: (Int, Int) -> Double) -> Float {
        var sum = 0.0
        for row in rows {
            for column in columns { sum += row.weight * column.weight * value(row.index, column.index) }
        }
        return Float(sum)
    }

    /// A pixel along one axis, with its weight.
    private typealias Tap = (index: Int, weight: Double)

    /// The pixels along one axis that a coordinate is between.
    private func taps(at coordinate: Double, of size: Int) -> [Tap] {
        let position = clamped(pixel(coordinate, size), size)
        guard position.isFinite, abs(position) < 0x1p31 else { return [(-1, 1)] }
        if isNearest { return [(Int(position.rounded(.toNearestOrEven)), 1)] }
        let low = position.rounded(.down)
        let fraction = position - low
        return fraction == 0 ? [(Int(low), 1)] : [(Int(low), 1 - fraction), (Int(low) + 1, fraction)]
    }

    /// A coordinate in pixels.
    private func pixel(_ coordinate: Double, _ size: Int) -> Double {
        let length = Double(size)
        let fraction: Double
        switch coordinates {
        case .pixels: return coordinate
        case .aroundZero: fraction = (coordinate + 1) / 2
        case .fromZero: fraction = coordinate
        }
        return alignsCenters ? fraction * (length - 1) : fraction * length - 0.5
    }

    /// A position moved into the image, unless it has another value outside.
    private func clamped(_ position: Double, _ size: Int) -> Double {
        let last = Double(size - 1)
        switch outside {
        case .constant: return position
        case .border: return Swift.min(Swift.max(position, 0), last)
        case .reflected: return reflected(position, 0, last)
        case .mirrored: return Swift.min(Swift.max(reflected(position, -0.5, last + 0.5), 0), last)
        }
    }

    private func reflected(_ position: Double, _ low: Double, _ high: Double) -> Double {
        let span = high - low
        guard span > 0, position.isFinite else { return low }
        let distance = abs(position - low).truncatingRemainder(dividingBy: 2 * span)
        return low + (distance > span ? 2 * span - distance : distance)
    }
}

// MARK: Facts

extension GridSample {
    var family: Family { .arrangement }
    var quantizedRole: QuantizedRole { .floating }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let isAnywhere = input == 0 ? axis == 1 || axis == 2 : axis == 3
        return isAnywhere ? .combined : .kept(axis)
    }
}

// MARK: ML Program

extension GridSample {
    /// The largest number of pixels that coordinates are computed for during import.
    private static let largestGrid = 1 << 24

    static let mil = [
        MILRule("resample") { op, reading in
            let image = try op.image()
            let grid = try reading.asFloats(op.operand("coordinates"), op)
            guard grid.shape.rank == 4, grid.shape[3] == 2, grid.shape[0] == image.shape[0] else {
                throw op.refused("coordinates of shape \(grid.shape) do not fit an image of shape \(image.shape)")
            }
            // The axis of column and row is the channel axis.
            return try reading.add(GridSample(op), [image, reading.add(Transpose(Graph.toFirst), grid, op)], op)
        },
        MILRule("affine") { op, reading in
            let image = try op.image()
            let matrix = try op.operand("transform_matrix")
            let (height, width) = (try op.integer("output_height"), try op.integer("output_width"))
            let batch = image.shape[0]
            guard matrix.shape.rank == 2, [1, batch].contains(matrix.shape[0]), matrix.shape[1] == 6,
                (1...FilterWeights.largestSize).contains(height), (1...FilterWeights.largestSize).contains(width),
                height * width <= largestGrid
            else { throw op.refused("a matrix of shape \(matrix.shape) does not fit an image of shape \(image.shape)") }
            let operation = try GridSample(op)
            guard operation.coordinates == .aroundZero, operation.alignsCenters else {
                throw op.refused(
                    "align_corners is false, or the coordinates are not from -1 to 1",
                    remedy: "coordinates from -1 to 1 between the centers of the corner pixels are supported")
            }
            func coordinate(_ index: Int, _ count: Int) -> Float {
                count == 1 ? 0 : Float(2 * index) / Float(count - 1) - 1
            }
            let pixels = Tensor(shape: [3, height * width]) { numbers in
                for i in 0..<height * width {
                    numbers[i] = coordinate(i % width, width)
                    numbers[height * width + i] = coordinate(i / width, height)
                    numbers[2 * height * width + i] = 1
                }
            }
            let matrices = try reading.reshaped(reading.asFloats(matrix, op), [matrix.shape[0], 2, 3], op)
            let product = try reading.add(MatrixProduct(), [matrices, .constant(pixels)], op)[0]
            let grid = try reading.reshaped(product, [matrix.shape[0], 2, height, width], op)
            let all = try reading.add(BroadcastTo(shape: [batch, 2, height, width]), grid, op)
            return try reading.add(operation, [image, all], op)
        },
    ]

    private init(_ op: MILRead) throws {
        let outsides: [String: Outside] = [
            "constant": .constant(try op.number("padding_value")), "border": .border,
            "reflection": .reflected, "symmetric": .mirrored,
        ]
        let (padding, mode) = (try op.text("padding_mode"), try op.text("sampling_mode"))
        guard let outside = outsides[padding], mode == "bilinear" || mode == "nearest",
            let coordinates = Coordinates(rawValue: try op.text("coordinates_mode"))
        else { throw op.refused("the modes '\(padding)' and '\(mode)' are not supported") }
        self.init(
            outside: outside, coordinates: coordinates, alignsCenters: try op.bool("align_corners"),
            isNearest: mode == "nearest")
    }
}
