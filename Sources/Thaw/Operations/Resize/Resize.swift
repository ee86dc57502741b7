/// A resized image: every output pixel is a weighted sum of input pixels, with separate weights for rows and columns.
///
/// All resize methods take this form, as does cropping followed by resizing.
struct Resize: Operation {
    var rows: FilterWeights
    var columns: FilterWeights
    /// Whether the scale factors are integers and apply to every image size, in which case the weights are those of
    /// one size. Set when a model for several sizes is written, and not used by anything else.
    var followsSize = false

    var kind: String { "Resize" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        guard image[1] == rows.inputSize, image[2] == columns.inputSize else {
            throw Failure.imageSize(image[1], image[2], rows.inputSize, columns.inputSize)
        }
        return [TensorType([image[0], rows.outputSize, columns.outputSize, image[3]], inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0]
        let channels = image[3]
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    let pixel = element / channels
                    let row = rows.runs[pixel / output.shape[2] % output.shape[1]]
                    let column = columns.runs[pixel % output.shape[2]]
                    let batch = pixel / (output.shape[1] * output.shape[2])
                    var sum = 0.0
                    for (y, weight) in row.weights.enumerated() {
                        let first = (batch * image[1] + row.start + y) * image[2] + column.start
                        var line = 0.0
                        for (x0, columnWeight) in column.weights.enumerated() {
                            line += Double(columnWeight) * x[(first + x0) * channels + element % channels]
                        }
                        sum += Double(weight) * line
                    }
                    return sum
                }
            ]
        }
    }
}

// MARK: Facts

extension Resize {
    var family: Family { .pooling }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        switch axis {
        case 1: rows.reach.map { AxisUse.local(1, $0) } ?? .combined
        case 2: columns.reach.map { AxisUse.local(2, $0) } ?? .combined
        default: .kept(axis)
        }
    }

    func followingImageSize() -> (any Operation)? {
        guard wholeFactors != nil else { return nil }
        var result = self
        result.followsSize = true
        return result
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Resize", ["to \(outputs[0].shape[1])×\(outputs[0].shape[2])"])
    }
}

// MARK: TensorFlow

extension Resize {
    static let tensorFlow = [
        TensorFlowRule("ResizeNearestNeighbor", axes: .channelsLast, roles: [.resize, .map]) { node, context in
            [try resize(node, node.input(0), FilterWeights.nearest, &context)]
        },
        TensorFlowRule("ResizeBilinear", axes: .channelsLast, roles: [.resize, .map]) { node, context in
            [try resizeAsFloats(node, FilterWeights.linear, &context)]
        },
        TensorFlowRule("ResizeBicubic", axes: .channelsLast, roles: [.resize, .map]) { node, context in
            [try resizeAsFloats(node, FilterWeights.cubic, &context)]
        },
        TensorFlowRule("ResizeArea", axes: .channelsLast, roles: [.resize, .map]) { node, context in
            let image = try node.input(0)
            guard try grid(node) == .left, let window = try window(of: size(node), in: image.shape) else {
                return [try resizeAsFloats(node, FilterWeights.area, &context)]
            }
            // The pixels cover whole input pixels: a mean of each block.
            let floats = try context.asFloats(image, name: node.name + "/floats")
            return [try context.add(Pooling(function: .average, window: window), floats, name: node.name)]
        },
    ]

    /// Except for nearest neighbor, the result is float32 for any input type.
    private static func resizeAsFloats(
        _ node: TensorFlowNode, _ taps: (SamplingGrid, Int, Int) -> FilterWeights, _ context: inout ImportContext
    ) throws -> Operand {
        try resize(node, context.asFloats(node.input(0), name: node.name + "/floats"), taps, &context)
    }

    private static func resize(
        _ node: TensorFlowNode, _ image: Operand, _ taps: (SamplingGrid, Int, Int) -> FilterWeights,
        _ context: inout ImportContext
    ) throws -> Operand {
        let grid = try grid(node)
        let size = try size(node)
        try node.requireImage(image)
        guard (1...FilterWeights.largestSize).contains(image.shape[1]),
            (1...FilterWeights.largestSize).contains(image.shape[2])
        else {
            throw node.refused("an image of \(image.shape[2])×\(image.shape[1]) pixels cannot be resized")
        }
        let resize = Resize(
            rows: taps(grid, image.shape[1], size.height), columns: taps(grid, image.shape[2], size.width))
        guard !resize.rows.isIdentity || !resize.columns.isIdentity else { return image }
        return try context.add(resize, image, name: node.name)
    }

    private static func grid(_ node: TensorFlowNode) throws -> SamplingGrid {
        let isAligned = try node.bool("align_corners", default: false)
        let isCentered = try node.bool("half_pixel_centers", default: false)
        guard !isAligned || !isCentered else {
            throw node.refused(
                "align_corners and half_pixel_centers are both set", remedy: "TensorFlow accepts only one of them")
        }
        return isAligned ? .corners : isCentered ? .edges : .left
    }

    private static func size(_ node: TensorFlowNode) throws -> (height: Int, width: Int) {
        let size = try node.integers(1, "size")
        guard size.count == 2, size.allSatisfy((1...FilterWeights.largestSize).contains) else {
            throw node.refused("\(size) is not a valid image size")
        }
        return (size[0], size[1])
    }

    /// The window of a mean that is equivalent to the resize, if the output pixels cover whole input pixels.
    private static func window(of size: (height: Int, width: Int), in image: Shape) throws -> Window? {
        guard image.rank == 4, image[1] % size.height == 0, image[2] % size.width == 0, image[1] > 0, image[2] > 0
        else { return nil }
        let (height, width) = (image[1] / size.height, image[2] / size.width)
        return height * width == 1
            ? nil
            : Window(height: .init(size: height, stride: height), width: .init(size: width, stride: width))
    }
}

// MARK: Core ML

extension Resize {
    /// The scale factors of height and width if both are integers.
    var wholeFactors: (height: Int, width: Int)? {
        let axes = [rows, columns]
        guard axes.allSatisfy({ $0.outputSize % $0.inputSize == 0 }) else { return nil }
        return (rows.outputSize / rows.inputSize, columns.outputSize / columns.inputSize)
    }

    /// Whether every pixel is repeated by the scale factors.
    var repeatsPixels: Bool {
        [rows, columns].allSatisfy { taps in
            taps.isSelection
                && taps.runs.enumerated().allSatisfy { $1.start == $0 * taps.inputSize / taps.outputSize }
        }
    }

    /// Whether both axes are linearly interpolated on this grid.
    func samples(_ grid: SamplingGrid) -> Bool {
        [rows, columns].allSatisfy { $0.isClose(to: .linear(grid, $0.inputSize, $0.outputSize)) }
    }

    /// For sizes and weights that no layer has: the weight matrix of each axis that changes, channels first. The image is
    /// multiplied by that of the rows on the left, and by that of the columns, transposed, on the right.
    ///
    /// The writers add these products themselves: as a part of a decomposition, each matrix would be a node, for which an
    /// ML Program has an operation that copies it.
    var products: [(axis: Int, matrix: Tensor)] {
        [(axis: 2, taps: rows), (axis: 3, taps: columns)].filter { !$0.taps.isIdentity }.map { axis, taps in
            (axis, taps.matrix.reshaped([1, 1, taps.outputSize, taps.inputSize]))
        }
    }
}

// MARK: Engine

extension Resize: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .resize(rows: rows, columns: columns)
    }
}
