/// A tensor with slices written to it, each at its index along the first axes.
///
/// Inputs: the tensor, the updates, and the indices, whose last axis contains one index for each of the tensor's first
/// axes. Negative indices count from the end; slices that are out of bounds are dropped. They are written in order.
struct ScatterSlices: Operation {
    var mode: ScatterMode

    var kind: String { "ScatterSlices" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard let depth = inputs[2].shape.last, depth <= shape.rank,
            inputs[1].shape == Shape(inputs[2].shape.dropLast() + shape.dropFirst(depth))
        else { throw Failure.shapesDiffer(inputs[1].shape, inputs[2].shape) }
        guard inputs[0].element == inputs[1].element else {
            throw Failure.elementTypesDiffer(inputs[0].element.rawValue, inputs[1].element.rawValue)
        }
        return [inputs[0]]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let depth = inputs[2].shape.last!
        let length = shape.dropFirst(depth).reduce(1, *)
        let indices = inputs[2].integers
        var values = inputs[0].withElements { x in (0..<inputs[0].elementCount).map { x[$0] } }
        inputs[1].withElements { updates in
            for slice in 0..<inputs[2].shape.dropLast().reduce(1, *) {
                let position = (0..<depth).map { axis in
                    let index = indices[slice * depth + axis]
                    return index < 0 ? index + shape[axis] : index
                }
                guard zip(position, shape).allSatisfy({ (0..<$1).contains($0) }) else { continue }
                let row = zip(position, shape).reduce(0) { $0 * $1.1 + $1.0 }
                for i in 0..<length {
                    values[row * length + i] = mode.combine(values[row * length + i], updates[slice * length + i])
                }
            }
        }
        return [Tensor(shape: shape, element: inputs[0].element) { values[$0] }]
    }
}

// MARK: Facts

extension ScatterSlices {
    var family: Family { .arrangement }
    var indexInput: Int? { 2 }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let outer = inputs[2].shape.rank - 1
        let depth = inputs[2].shape[outer]
        switch input {
        case 0: return axis < depth ? .weighted(axis) : .kept(axis)
        case 1: return axis < outer ? .rearranged : .kept(axis - outer + depth)
        default: return .rearranged
        }
    }
}

// MARK: Neural network

extension ScatterSlices {
    static let neural = [
        NeuralRule("scatterND") { layer, reading in
            let (data, indices, updates) = (try layer.input(), try layer.input(1), try layer.input(2))
            return try reading.add(ScatterSlices(mode: ScatterMode(layer)), [data, updates, indices], layer)
        }
    ]
}

// MARK: ML Program

extension ScatterSlices {
    static let mil = [
        MILRule("scatter_nd") { op, reading in
            let (data, indices, updates) = (
                try op.operand("data"), try op.operand("indices"), try op.operand("updates")
            )
            let depth = min(indices.shape.last ?? 0, data.shape.rank)
            try op.check(indices, sizes: Array(data.shape.prefix(depth)), of: data)
            return try reading.add(ScatterSlices(mode: ScatterMode(op)), [data, updates, indices], op)
        }
    ]
}
