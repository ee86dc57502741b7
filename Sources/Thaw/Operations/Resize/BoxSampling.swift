/// Boxes cropped out of images and resized by linear interpolation.
///
/// Inputs: the images, the four coordinates of each box, and the index of its image. If there is no such image, all pixels
/// are `outside`.
struct BoxSampling: Operation {
    /// The meaning of a box's coordinates.
    enum Corners: String, Hashable, Sendable {
        case heightFirst = "CORNERS_HEIGHT_FIRST"
        case widthFirst = "CORNERS_WIDTH_FIRST"
        case centerHeightFirst = "CENTER_SIZE_HEIGHT_FIRST"
        case centerWidthFirst = "CENTER_SIZE_WIDTH_FIRST"
    }

    var height: Int
    var width: Int
    var grid: SamplingGrid
    var corners = Corners.heightFirst
    /// Whether coordinates of 0 and 1 are the centers of the outermost pixels.
    var isNormalized = false
    /// Multiplies the coordinates.
    var scale: Float = 1
    /// The value of pixels outside the images.
    var outside: Float = 0

    var kind: String { "BoxSampling" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (image, boxes, indices) = (inputs[0].shape, inputs[1].shape, inputs[2].shape)
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        guard image.elementCount > 0, boxes.rank == 2, boxes[1] == 4 else { throw Failure.shapesDiffer(image, boxes) }
        guard indices == [boxes[0]] else { throw Failure.shapesDiffer(boxes, indices) }
        return [TensorType([boxes[0], height, width, image[3]])]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        let channels = image[3]
        let indices = inputs[2].integers
        let boxes = inputs[1].floats
        let taps = indices.indices.map { box in
            let edges = edges(Array(boxes[4 * box..<4 * box + 4]), image)
            return (
                rows: positions(edges.top, edges.bottom, height).map { Tap($0, of: image[1]) },
                columns: positions(edges.left, edges.right, width).map { Tap($0, of: image[2]) }
            )
        }
        return inputs[0].withElements { x in
            [
                Tensor(shape: output, element: .float32) { element in
                    let pixel = element / channels
                    let box = pixel / (height * width)
                    guard (0..<image[0]).contains(indices[box]), let row = taps[box].rows[pixel / width % height],
                        let column = taps[box].columns[pixel % width]
                    else { return Double(outside) }
                    func value(_ y: Int, _ x0: Int) -> Double {
                        x[((indices[box] * image[1] + y) * image[2] + x0) * channels + element % channels]
                    }
                    let upper =
                        value(row.first, column.first) * (1 - column.fraction) + value(row.first, column.next)
                        * column.fraction
                    let lower =
                        value(row.next, column.first) * (1 - column.fraction) + value(row.next, column.next)
                        * column.fraction
                    return upper * (1 - row.fraction) + lower * row.fraction
                }
            ]
        }
    }

    /// The centers of the outermost pixels of a box.
    private func edges(
        _ box: [Float], _ image: Shape
    ) -> (top: Double, left: Double, bottom: Double, right: Double) {
        let isHeightFirst = corners == .heightFirst || corners == .centerHeightFirst
        func interval(_ axis: Int) -> (Double, Double) {
            let index = isHeightFirst ? axis : 1 - axis
            let factor = Double(scale) * (isNormalized ? Double(image[axis + 1] - 1) : 1)
            let (first, second) = (Double(box[index]) * factor, Double(box[index + 2]) * factor)
            guard corners == .centerHeightFirst || corners == .centerWidthFirst else { return (first, second) }
            return (first - second / 2, first + second / 2)
        }
        let ((top, bottom), (left, right)) = (interval(0), interval(1))
        return (top, left, bottom, right)
    }

    /// The positions of pixels in an interval (coremltools' NeuralNetwork.proto, SamplingMode).
    private func positions(_ start: Double, _ end: Double, _ count: Int) -> [Double] {
        let length = end - start
        let steps = Double(count)
        func line(_ first: Double, _ step: Double) -> [Double] { (0..<count).map { start + first + Double($0) * step } }
        switch grid {
        case .corners: return line(0, count > 1 ? length / (steps - 1) : 0)
        case .cornersOrMiddle: return count > 1 ? line(0, length / (steps - 1)) : [start + length / 2]
        case .left: return line(0, (length + 1) / steps).map { min($0, max(start, end)) }
        case .edges:
            return line(0.5 * (length + 1) / steps - 0.5, (length + 1) / steps).map { min(max($0, start), end) }
        case .parts:
            let step = max(1, length) / steps
            return line(step / 2, step).map { min($0, max(start, end)) }
        }
    }

    /// A position between two pixels of an axis; nil if it is outside.
    private struct Tap {
        let first, next: Int
        let fraction: Double

        init?(_ position: Double, of size: Int) {
            // Positions may be off by rounding: up to a millionth of the side.
            let last = Double(size - 1)
            guard position >= -1e-6 * Double(size), position <= last + 1e-6 * Double(size) else { return nil }
            let clamped = min(max(position, 0), last)
            first = Int(clamped)
            next = min(first + 1, size - 1)
            fraction = clamped - Double(first)
        }
    }
}

// MARK: Facts

extension BoxSampling {
    var family: Family { .pooling }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        switch (input, axis) {
        case (0, 3): .kept(3)
        case (1, 0), (2, 0): .kept(0)
        default: .combined
        }
    }

    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? { nil }
}

// MARK: Neural network

extension BoxSampling {
    static let neural = [
        NeuralRule("cropResize") { layer, reading in
            let parameters = layer.parameters
            let size = try layer.pair(parameters.targetSize, default: 1)
            let mode: String = parameters["mode"].samplingMethod
            let corners = Corners(rawValue: parameters["boxIndicesMode"].boxMode)
            guard let grid = Resize.modes.first(where: { $0.mode == mode })?.grid, let corners else {
                throw layer.refused("the sampling mode \(mode) is unknown")
            }
            let scale: Float = parameters.spatialScale
            let operation = BoxSampling(
                height: size.height, width: size.width, grid: grid, corners: corners,
                isNormalized: parameters.normalizedCoordinates, scale: scale == 0 ? 1 : scale)
            let image = try layer.input()
            guard image.shape.rank == 4 || image.shape.rank == 5 && image.shape[0] == 1 else {
                throw Failure.wrongRank(5, image.shape).at(layer.name)
            }
            let images = try reading.reshaped(image, Shape(image.shape.suffix(4)), layer)
            guard let boxes = try reading.sampled(operation, images, layer.input(1), layer) else {
                throw layer.refused("boxes of shape \(try layer.input(1).shape) are not valid")
            }
            guard image.shape.rank == 4 else { return [boxes] }
            // Networks of the older kind have images of four axes here.
            let shape = boxes.shape
            return [try reading.reshaped(boxes, Shape([shape[0] * shape[1]] + shape.dropFirst(2)), layer)]
        }
    ]
}

extension ImportContext {
    /// The boxes of all images, or of one image each if they have an index before their coordinates: boxes, images,
    /// channels, height, width. Nil if the shape of the boxes is not valid.
    fileprivate mutating func sampled(
        _ operation: BoxSampling, _ images: Operand, _ regions: Operand, _ node: some SourceNode
    ) throws -> Operand? {
        let (rank, batch) = (regions.shape.rank, images.shape[0])
        guard rank >= 4, regions.shape.suffix(2).elementsEqual([1, 1]), operation.hasValidSize else { return nil }
        let width = regions.shape[rank - 3]
        guard width == 4 || width == 5, regions.shape[0] * width == regions.shape.elementCount else { return nil }
        let count = regions.shape[0]
        var boxes = try reshaped(asFloats(regions, node), [count, width], node)
        var indices: Operand
        if width == 5 {
            func columns(_ start: Int, _ columns: Int) throws -> Operand {
                let ranges = [StridedSlice.Range(start: 0, count: count), .init(start: start, count: columns)]
                return try add(StridedSlice(ranges: ranges), boxes, node)
            }
            indices = try add(Cast(element: .int32), reshaped(columns(0, 1), [count], node), node)
            boxes = try columns(1, 4)
        } else {
            try Self.checkConstant([count, batch])
            let order = Tensor(integers: (0..<count * batch).map { $0 / batch }, shape: [count * batch])
            if batch > 1 { boxes = try add(Gather(axis: 0), [boxes, .constant(order)], node)[0] }
            indices = .constant(Tensor(integers: (0..<count * batch).map { $0 % batch }, shape: [count * batch]))
        }
        try BoxSampling.checkImages(indices, of: images, node)
        let result = try add(operation, [asFloats(images, node), boxes, indices], node)[0]
        return try reshaped(result, Shape([count, width == 5 ? 1 : batch] + result.shape.dropFirst()), node)
    }
}

extension BoxSampling {
    /// Whether the size is one that a model may have.
    fileprivate var hasValidSize: Bool {
        [height, width].allSatisfy((1...FilterWeights.largestSize).contains) && scale.isFinite
    }

    /// Rejects constant indices of images that do not exist.
    static func checkImages(_ indices: Operand, of images: Operand, _ node: some SourceNode) throws {
        let batch = images.shape[0]
        guard let missing = indices.constant?.integers.first(where: { !(0..<batch).contains($0) }) else { return }
        throw node.refused("a box refers to image \(missing)", remedy: "there are \(batch)")
    }
}

// MARK: ML Program

extension BoxSampling {
    static let mil = [
        MILRule("crop_resize") { op, reading in
            let mode = try op.text("sampling_mode", default: "DEFAULT")
            let corners = Corners(rawValue: try op.text("box_coordinate_mode", default: Corners.heightFirst.rawValue))
            guard let grid = Resize.programModes.first(where: { $0.mode == mode })?.grid, let corners else {
                throw op.refused("the sampling mode \(mode) is unknown")
            }
            let operation = BoxSampling(
                height: try op.integer("target_height", default: 1), width: try op.integer("target_width", default: 1),
                grid: grid, corners: corners, isNormalized: try op.bool("normalized_coordinates", default: false),
                scale: try op.number("spatial_scale", default: 1), outside: try op.number("pad_value", default: 0))
            let images = try op.image()
            // Since iOS 17, boxes and indices are separate.
            guard op.has("boxes") else {
                guard let boxes = try reading.sampled(operation, images, op.operand("roi"), op) else {
                    throw op.refused("boxes of shape \(try op.operand("roi").shape) are not valid")
                }
                return [boxes]
            }
            let boxes = try reading.asFloats(op.operand("boxes"), op)
            guard operation.hasValidSize, boxes.shape.rank == 2, boxes.shape[1] == 4 else {
                throw op.refused("boxes of shape \(boxes.shape) are not valid")
            }
            try ImportContext.checkConstant([boxes.shape[0]])
            let order = Tensor(integers: Array(0..<boxes.shape[0]), shape: [boxes.shape[0]])
            let indices = try op.has("box_indices") ? op.operand("box_indices") : .constant(order)
            try BoxSampling.checkImages(indices, of: images, op)
            return try reading.add(operation, [reading.asFloats(images, op), boxes, indices], op)
        }
    ]
}
