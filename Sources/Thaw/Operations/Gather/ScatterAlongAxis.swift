/// A tensor with updates written to it, each at its own index along an axis.
///
/// Inputs: the tensor, the updates, and the indices, which have the shape of the updates. Negative indices count from the
/// end; updates that are out of bounds are dropped. They are written in order.
struct ScatterAlongAxis: Operation {
    /// Counted from the front.
    var axis: Int
    var mode: ScatterMode

    var kind: String { "ScatterAlongAxis" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (shape, updates) = (inputs[0].shape, inputs[1].shape)
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        guard updates.rank == shape.rank, shape.indices.allSatisfy({ $0 == axis || shape[$0] == updates[$0] }) else {
            throw Failure.shapesDiffer(shape, updates)
        }
        guard updates == inputs[2].shape else { throw Failure.shapesDiffer(updates, inputs[2].shape) }
        guard inputs[0].element == inputs[1].element else {
            throw Failure.elementTypesDiffer(inputs[0].element.rawValue, inputs[1].element.rawValue)
        }
        return [inputs[0]]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[1].shape
        let (size, count, step) = (inputs[0].shape[axis], shape[axis], shape.strides[axis])
        let indices = inputs[2].integers
        var values = inputs[0].withElements { x in (0..<inputs[0].elementCount).map { x[$0] } }
        inputs[1].withElements { updates in
            for element in 0..<inputs[1].elementCount {
                let index = indices[element] < 0 ? indices[element] + size : indices[element]
                guard (0..<size).contains(index) else { continue }
                let target = (element / step / count * size + index) * step + element % step
                values[target] = mode.combine(values[target], updates[element])
            }
        }
        return [Tensor(shape: inputs[0].shape, element: inputs[0].element) { values[$0] }]
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        let copy = ScatterAlongAxis(axis: order.firstIndex(of: axis)!, mode: mode)
        return Reordered(copy, inputs: [order, order, order], outputs: [order])
    }
}

// MARK: Facts

extension ScatterAlongAxis {
    var family: Family { .arrangement }
    var indexInput: Int? { 2 }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        guard axis == self.axis else { return .kept(axis) }
        return input == 0 ? .weighted(axis) : .rearranged
    }
}

// MARK: Neural network

extension ScatterAlongAxis {
    static let neural = [
        NeuralRule("scatterAlongAxis") { layer, reading in
            let (data, indices, updates) = (try layer.input(), try layer.input(1), try layer.input(2))
            let operation = ScatterAlongAxis(
                axis: try data.shape.axis(layer.parameters.axis), mode: try ScatterMode(layer))
            return try reading.add(operation, [data, updates, indices], layer)
        },
        NeuralRule("scatter") { layer, reading in
            let (data, indices, updates) = (try layer.input(), try layer.input(1), try layer.input(2))
            let axis = try data.shape.axis(layer.parameters.axis)
            return [try reading.scatter(data, indices, updates, axis: axis, ScatterMode(layer), layer)]
        },
    ]
}

// MARK: ML Program

extension ScatterAlongAxis {
    static let mil = [
        MILRule("scatter_along_axis", "scatter") { op, reading in
            let (data, indices, updates) = (
                try op.operand("data"), try op.operand("indices"), try op.operand("updates")
            )
            let axis = try op.axis(data, default: 0)
            try op.check(indices, sizes: [data.shape[axis]], of: data)
            let mode = try ScatterMode(op)
            if op.kind == "scatter" {
                return [try reading.scatter(data, indices, updates, axis: axis, mode, op)]
            }
            return try reading.add(ScatterAlongAxis(axis: axis, mode: mode), [data, updates, indices], op)
        }
    ]
}

extension ImportContext {
    /// Updates written to slices of a tensor along an axis, at a list of indices.
    mutating func scatter(
        _ data: Operand, _ indices: Operand, _ updates: Operand, axis: Int, _ mode: ScatterMode,
        _ node: some SourceNode
    ) throws -> Operand {
        guard indices.shape.rank == 1 else { throw Failure.wrongRank(1, indices.shape).at(node.location) }
        var expected = data.shape
        expected[axis] = indices.shape.elementCount
        guard updates.shape == expected else {
            throw Failure.shapesDiffer(data.shape, updates.shape).at(node.location)
        }
        var shape = Shape(data.shape.map { _ in 1 })
        shape[axis] = expected[axis]
        let aligned = try reshaped(indices, shape, node)
        let all = try add(BroadcastTo(shape: expected), aligned, node)
        return try add(ScatterAlongAxis(axis: axis, mode: mode), [data, updates, all], node)[0]
    }
}
