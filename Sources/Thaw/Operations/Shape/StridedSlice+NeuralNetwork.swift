extension StridedSlice: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        ranges.count == 4 && ranges.allSatisfy { $0.step == 1 && $0.count > 0 && !$0.startsFromEnd }
            && zip(ranges, inputs[0].shape).prefix(2).allSatisfy { $0.count == $1 }
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if fitsImages([TensorType(node.input.shape)], TensorType(node.output.shape)) {
            let borders = [2, 3].map { axis -> (Int, Int) in
                let range = ranges[axis]
                return (range.start, node.input.shape[axis] - range.start - range.count)
            }
            return layers.add(node) { layer in layer.crop["cropAmounts"].setBorders(borders) }
        }
        let indices = indices(in: node.input.shape)
        layers.add(node) { layer in
            layer.sliceStatic.beginIds = indices.begins
            layer.sliceStatic.beginMasks = ranges.map { _ in false }
            layer.sliceStatic.endIds = indices.ends
            layer.sliceStatic.endMasks = indices.reachEnd
            layer.sliceStatic.strides = ranges.map(\.step)
            layer.sliceStatic.squeezeMasks = ranges.map { _ in false }
        }
    }
}

// MARK: Reading

extension StridedSlice {
    static let neural = [
        NeuralRule("reverse") { layer, reading in
            let shape = try layer.input().shape
            let isReversed: [Bool] = layer.parameters.reverseDim
            guard isReversed.count == shape.rank else {
                throw layer.refused("\(isReversed.count) axes do not fit a tensor of shape \(shape)")
            }
            let axes = shape.indices.filter { isReversed[$0] }
            return [try reading.add(StridedSlice.reversing(axes, of: shape), layer.input(), layer)]
        },
        NeuralRule("sliceStatic") { layer, reading in
            let parameters = layer.parameters
            return [
                try reading.slice(
                    layer, begins: parameters.beginIds, ends: parameters.endIds, steps: parameters.strides,
                    masks: [parameters.beginMasks, parameters.endMasks, parameters.squeezeMasks])
            ]
        },
        NeuralRule("sliceDynamic", build: dynamicSlice),
        NeuralRule("sliceBySize", build: sliceBySize),
        NeuralRule("crop", build: crop),
    ]

    /// A slice whose begin, and possibly end, strides and masks, are inputs.
    private static func dynamicSlice(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let (rank, parameters) = (try layer.input().shape.rank, layer.parameters)
        // The inputs are the tensor, then begin, end, strides and masks unless they are parameters, which have one
        // value for each possible axis.
        func numbers(_ index: Int, _ parameter: [Int]) throws -> [Int] {
            try index < layer.inputs.count ? layer.integers(index) : Array(parameter.prefix(rank))
        }
        func masks(_ index: Int, _ parameter: [Bool]) throws -> [Bool] {
            try index < layer.inputs.count ? layer.integers(index).map { $0 != 0 } : Array(parameter.prefix(rank))
        }
        return [
            try reading.slice(
                layer, begins: layer.integers(1), ends: numbers(2, parameters.endIds),
                steps: numbers(3, parameters.strides),
                masks: [
                    masks(4, parameters.beginMasks), masks(5, parameters.endMasks),
                    masks(6, parameters.squeezeMasks),
                ])
        ]
    }

    /// A slice of known size with a computed start.
    private static func sliceBySize(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let (x, start) = (try layer.input(), try layer.input(1))
        let axis = try x.shape.axis(layer.parameters.axis)
        let size: Int = layer.parameters.size
        guard size > 0, size <= x.shape[axis], start.shape.elementCount == 1 else {
            throw layer.refused("a slice of size \(size) does not fit a tensor of shape \(x.shape)")
        }
        try ImportContext.checkConstant([size])
        let starts = try reading.reshaped(start, [1], layer)
        let offsets = Tensor(integers: Array(0..<size), shape: [size], element: start.type.element)
        let indices = try reading.combine(.add, starts, .constant(offsets), layer)
        return try reading.add(Gather(axis: axis, countsFromEnd: true), [x, indices], layer)
    }

    /// Removes borders of an image: of given sizes, or so that it gets the size of the second input.
    private static func crop(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let shape = try layer.input().shape
        let rank = shape.rank
        guard rank >= 3 else { throw Failure.tooFewAxes(3, shape).at(layer.name) }
        var borders = try layer.edges(layer.parameters.cropAmounts)
        if layer.inputs.count > 1 {
            // Only the size of the second input matters.
            let part = try layer.input(1).shape
            let offset = try layer.pair(layer.parameters.offset, default: 0)
            guard part.rank == rank else { throw Failure.wrongRank(rank, part).at(layer.name) }
            borders = (
                (offset.height, shape[rank - 2] - part[rank - 2] - offset.height),
                (offset.width, shape[rank - 1] - part[rank - 1] - offset.width)
            )
        }
        let amounts = Array(repeating: (0, 0), count: rank - 2) + [borders.height, borders.width]
        let ranges = zip(shape, amounts).map { Range(start: $1.0, count: $0 - $1.0 - $1.1) }
        guard ranges.allSatisfy({ $0.count > 0 && $0.start >= 0 }), amounts.allSatisfy({ $0.1 >= 0 }) else {
            throw Failure.sliceOutside(shape).at(layer.name)
        }
        return [try reading.add(StridedSlice(ranges: ranges), layer.input(), layer)]
    }
}

extension ImportContext {
    fileprivate mutating func slice(
        _ layer: NeuralLayer, begins: [Int], ends: [Int], steps: [Int], masks: [[Bool]]
    ) throws -> Operand {
        let shape = try layer.input().shape
        guard begins.count == shape.rank, ends.count == shape.rank, steps.count == shape.rank,
            steps.allSatisfy(StridedSlice.Range.isStep)
        else {
            throw layer.refused("begin, end and strides do not fit a tensor of shape \(shape)")
        }
        let isSet = { (mask: Int, axis: Int) in masks[mask].indices.contains(axis) && masks[mask][axis] }
        let ranges = try shape.indices.map { axis in
            let begin = isSet(0, axis) ? nil : begins[axis]
            guard !isSet(2, axis) else {
                return try naming(location: layer.location) {
                    try StridedSlice.Range(squeezedAt: begin, along: axis, of: shape)
                }
            }
            return StridedSlice.Range(
                from: begin, to: isSet(1, axis) ? nil : ends[axis], step: steps[axis], of: shape[axis])
        }
        let slice = try add(StridedSlice(ranges: ranges), layer.input(), layer)
        guard masks[2].contains(true) else { return slice }
        let kept = shape.indices.filter { !isSet(2, $0) }
        return try add(Reshape(Shape(kept.map { ranges[$0].count })), slice, layer)
    }
}
