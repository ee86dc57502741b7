/// Layers on shapes and positions, imported as constants or as a combination of other operations.
extension ComposedShapes {
    static let neural = [
        NeuralRule("getShape") { layer, _ in
            let shape = try layer.input().shape
            return [.constant(Tensor(integers: shape.dimensions, shape: [shape.rank], element: .float32))]
        },
        NeuralRule("fillLike", "fillStatic", "fillDynamic") { layer, _ in
            let shape =
                switch layer.kind {
                case "fillLike": try layer.input().shape
                case "fillStatic": Shape(layer.parameters.targetShape as [Int])
                default: Shape(try layer.integers(0))
                }
            let number: Float = layer.parameters.value
            return [try ImportContext.filled(shape, Double(number), .float32)]
        },
        NeuralRule("rangeStatic", "rangeDynamic", build: rangeLayer),
        NeuralRule("whereNonZero") { layer, _ in
            guard let tensor = try layer.input().constant else {
                throw layer.refused(Phrases.unknownCount, remedy: Phrases.knownShapes)
            }
            return [.constant(try positions(of: tensor, .float32))]
        },
        NeuralRule("matrixBandPart") { layer, reading in
            let band = band(layer.parameters.numLower, layer.parameters.numUpper)
            return [try reading.banded(layer.input(), band, layer)]
        },
        NeuralRule("lowerTriangular", "upperTriangular") { layer, reading in
            let (diagonal, isLower): (Int, Bool) = (layer.parameters.k, layer.kind == "lowerTriangular")
            return [
                try reading.banded(
                    layer.input(), { isLower ? $1 - $0 <= diagonal : $1 - $0 >= diagonal }, layer)
            ]
        },
        NeuralRule("slidingWindows", build: slidingWindows),
        NeuralRule("reverseSeq", build: reverseSequence),
        NeuralRule("broadcastToLike", "broadcastToDynamic") { layer, reading in
            let shape = layer.kind == "broadcastToLike" ? try layer.input(1).shape : Shape(try layer.integers(1))
            return [try reading.add(BroadcastTo(shape: shape), layer.input(), layer)]
        },
        NeuralRule("sequenceRepeat") { layer, reading in
            let x = try layer.input()
            let count: Int = layer.parameters.nRepetitions
            guard x.shape.rank >= 4 else { throw Failure.tooFewAxes(4, x.shape).at(layer.name) }
            let multiples = x.shape.indices.map { $0 == 0 ? Swift.max(1, count) : 1 }
            return [try reading.add(Tile(multiples: multiples), x, layer)]
        },
    ]

    /// A range whose end, start and step are constant inputs or parameters.
    private static func rangeLayer(_ layer: NeuralLayer, _: inout ImportContext) throws -> [Operand] {
        let parameters = layer.parameters
        var numbers: [Float] = [0, parameters.startValue, parameters.stepSizeValue]
        if layer.kind == "rangeStatic" { numbers[0] = parameters.endValue }
        for index in layer.inputs.indices.prefix(3) {
            let values = try layer.constant(index).floats
            guard values.count == 1 else { throw layer.refused("input \(index) is not a single value") }
            numbers[index] = values[0]
        }
        let (end, start, step) = (Double(numbers[0]), Double(numbers[1]), Double(numbers[2]))
        guard let range = range(from: start, to: end, step: step, .float32) else {
            throw layer.refused("a range from \(start) to \(end) in steps of \(step) has no length")
        }
        return [.constant(range)]
    }

    /// Windows of equal size along an axis.
    private static func slidingWindows(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let x = try layer.input()
        let (size, step): (Int, Int) = (layer.parameters.windowSize, layer.parameters.step)
        let axis = try x.shape.axis(layer.parameters.axis)
        guard let windows = try reading.windows(x, along: axis, size: size, step: step, layer) else {
            throw layer.refused("windows of \(size) with stride \(step) do not fit a tensor of shape \(x.shape)")
        }
        return [windows]
    }

    /// Reverses each sequence of a batch up to its length.
    private static func reverseSequence(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let (x, lengths) = (try layer.input(), try layer.input(1))
        let axis = try x.shape.axis(layer.parameters.sequenceAxis)
        let batch = try x.shape.axis(layer.parameters.batchAxis)
        guard let reversed = try reading.reversed(x, lengths, along: axis, batch: batch, layer) else {
            throw layer.refused("lengths of shape \(lengths.shape) do not fit a tensor of shape \(x.shape)")
        }
        return [reversed]
    }
}
