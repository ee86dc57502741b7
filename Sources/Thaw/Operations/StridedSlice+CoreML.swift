extension StridedSlice: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { layer in
            layer.sliceStatic.beginIds = ranges.map(\.start)
            layer.sliceStatic.beginMasks = ranges.map { _ in false }
            layer.sliceStatic.endIds = ranges.map { Swift.max(0, $0.start + $0.count * $0.step) }
            // Backwards to the very first element there is no end to name.
            layer.sliceStatic.endMasks = ranges.map { $0.start + $0.count * $0.step < 0 }
            layer.sliceStatic.strides = ranges.map(\.step)
            layer.sliceStatic.squeezeMasks = ranges.map { _ in false }
        }
    }
}

extension Pad: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let isBorder = before.count == 4 && before[0] + after[0] + before[1] + after[1] == 0
        guard isBorder else {
            try layers.requireExactArrays()
            return layers.add(node) { layer in
                layer.constantPad.value = value
                layer.constantPad.padAmounts = before.indices.flatMap { [before[$0], after[$0]] }
            }
        }
        layers.add(node) { layer in
            layer.padding.choose("constant")
            layer.padding.constant.value = value
            layer.padding["paddingAmounts"]["borderAmounts"] = [2, 3].map { axis in
                var edges = Message(
                    MessageType.layer.type(of: "padding").type(of: "paddingAmounts").type(of: "borderAmounts"))
                edges.startEdgeSize = before[axis]
                edges.endEdgeSize = after[axis]
                return edges
            }
        }
    }
}

// MARK: Reading

extension StridedSlice {
    static let neural = [
        NeuralRule("sliceStatic") { layer, reading in
            let shape = reading.shape(try layer.input())
            let parameters = layer.parameters
            let begins: [Int] = parameters.beginIds
            let ends: [Int] = parameters.endIds
            let steps: [Int] = parameters.strides
            let beginMasks: [Bool] = parameters.beginMasks
            let endMasks: [Bool] = parameters.endMasks
            let squeezed: [Bool] = parameters.squeezeMasks
            guard begins.count == shape.rank, ends.count == shape.rank, steps.count == shape.rank,
                steps.allSatisfy({ $0 != 0 })
            else {
                throw layer.refused("begin, end and strides do not fit an array of shape \(shape)")
            }
            let isSet = { (masks: [Bool], axis: Int) in masks.indices.contains(axis) && masks[axis] }
            let ranges = shape.indices.map { axis in
                let size = shape[axis]
                let step = steps[axis]
                if isSet(squeezed, axis) {
                    return Range(start: begins[axis] < 0 ? begins[axis] + size : begins[axis], count: 1)
                }
                func place(_ value: Int) -> Int {
                    let counted = value < 0 ? value + size : value
                    return step > 0
                        ? Swift.min(Swift.max(counted, 0), size) : Swift.min(Swift.max(counted, -1), size - 1)
                }
                let start = isSet(beginMasks, axis) ? (step > 0 ? 0 : size - 1) : place(begins[axis])
                let end = isSet(endMasks, axis) ? (step > 0 ? size : -1) : place(ends[axis])
                return Range(start: start, count: Swift.max(0, (end - start + step - step.signum()) / step), step: step)
            }
            let slice = try reading.add(StridedSlice(ranges: ranges), [layer.input()], layer)
            guard squeezed.contains(true) else { return [slice] }
            let kept = shape.indices.filter { !isSet(squeezed, $0) }
            return [try reading.add(Reshape(Shape(kept.map { ranges[$0].count })), [slice], layer)]
        }
    ]
}

extension Pad {
    static let neural = [
        NeuralRule("padding") { layer, reading in
            guard layer.parameters.has("constant") || layer.parameters.choice == nil else {
                throw layer.refused("only constant padding is supported")
            }
            let shape = reading.shape(try layer.input())
            guard shape.rank == 4 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            let borders = try layer.edges(layer.parameters.paddingAmounts)
            let constant: Message = layer.parameters["constant"]
            let pad = Pad(
                before: [0, 0, borders.height.0, borders.width.0], after: [0, 0, borders.height.1, borders.width.1],
                value: constant.value)
            return [try reading.add(pad, [layer.input()], layer)]
        },
        NeuralRule("constantPad") { layer, reading in
            let amounts: [Int] = layer.parameters.padAmounts
            let rank = reading.shape(try layer.input()).rank
            guard amounts.count == 2 * rank, amounts.allSatisfy({ (0..<1 << 24).contains($0) }),
                !(layer.parameters.padToGivenOutputSizeMode as Bool)
            else {
                throw layer.refused("the padding \(amounts) is not supported")
            }
            let pad = Pad(
                before: (0..<rank).map { amounts[2 * $0] }, after: (0..<rank).map { amounts[2 * $0 + 1] },
                value: layer.parameters.value)
            return [try reading.add(pad, [layer.input()], layer)]
        },
    ]
}
