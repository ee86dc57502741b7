extension StridedSlice: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        ranges.count == 4 && ranges.allSatisfy { $0.step == 1 && $0.count > 0 }
            && zip(ranges, inputs[0].shape).prefix(2).allSatisfy { $0.count == $1 }
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if fitsImages([TensorType(node.input.shape)], TensorType(node.output.shape)) {
            return layers.add(node) { layer in
                layer.crop["cropAmounts"].setBorders(
                    [2, 3].map { (ranges[$0].start, node.input.shape[$0] - ranges[$0].start - ranges[$0].count) })
            }
        }
        layers.add(node) { layer in
            layer.sliceStatic.beginIds = ranges.map(\.start)
            layer.sliceStatic.beginMasks = ranges.map { _ in false }
            layer.sliceStatic.endIds = ranges.map { Swift.max(0, $0.start + $0.count * $0.step) }
            // A reversed slice that includes the first element has no valid end index.
            layer.sliceStatic.endMasks = ranges.map { $0.start + $0.count * $0.step < 0 }
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
            let shape = try layer.input().shape
            let parameters = layer.parameters
            let begins: [Int] = parameters.beginIds
            let ends: [Int] = parameters.endIds
            let steps: [Int] = parameters.strides
            let beginMasks: [Bool] = parameters.beginMasks
            let endMasks: [Bool] = parameters.endMasks
            let squeezed: [Bool] = parameters.squeezeMasks
            guard begins.count == shape.rank, ends.count == shape.rank, steps.count == shape.rank,
                steps.allSatisfy(Range.isStep)
            else {
                throw layer.refused("begin, end and strides do not fit a tensor of shape \(shape)")
            }
            let isSet = { (masks: [Bool], axis: Int) in masks.indices.contains(axis) && masks[axis] }
            let ranges = shape.indices.map { axis in
                let size = shape[axis]
                let step = steps[axis]
                if isSet(squeezed, axis) {
                    return Range(start: begins[axis] < 0 ? begins[axis] + size : begins[axis], count: 1)
                }
                return Range(
                    from: isSet(beginMasks, axis) ? nil : begins[axis], to: isSet(endMasks, axis) ? nil : ends[axis],
                    step: step, of: size)
            }
            let slice = try reading.add(StridedSlice(ranges: ranges), layer.input(), layer)
            guard squeezed.contains(true) else { return [slice] }
            let kept = shape.indices.filter { !isSet(squeezed, $0) }
            return [try reading.add(Reshape(Shape(kept.map { ranges[$0].count })), slice, layer)]
        },
        NeuralRule("crop") { layer, reading in
            let shape = try layer.input().shape
            guard shape.rank == 4 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            var borders = try layer.edges(layer.parameters.cropAmounts)
            if layer.inputs.count > 1 {
                // Only the size of the second input matters.
                let part = try layer.input(1).shape
                let offset = try layer.pair(layer.parameters.offset, default: 0)
                guard part.rank == 4 else { throw Failure.wrongRank(4, part).at(layer.name) }
                borders = (
                    (offset.height, shape[2] - part[2] - offset.height),
                    (offset.width, shape[3] - part[3] - offset.width)
                )
            }
            let amounts = [(0, 0), (0, 0), borders.height, borders.width]
            let ranges = zip(shape, amounts).map { Range(start: $1.0, count: $0 - $1.0 - $1.1) }
            guard ranges.allSatisfy({ $0.count > 0 && $0.start >= 0 }), amounts.allSatisfy({ $0.1 >= 0 }) else {
                throw Failure.sliceOutside(shape).at(layer.name)
            }
            return [try reading.add(StridedSlice(ranges: ranges), layer.input(), layer)]
        },
    ]
}
