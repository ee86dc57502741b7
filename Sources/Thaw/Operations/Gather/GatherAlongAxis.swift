/// Elements of a tensor, each selected by its own index along an axis.
///
/// Inputs: the tensor, and the indices, which have the tensor's sizes along all other axes. The result has the shape of
/// the indices. Negative indices count from the end; elements that are out of bounds are 0.
struct GatherAlongAxis: Operation {
    /// Counted from the front.
    var axis: Int

    var kind: String { "GatherAlongAxis" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (shape, indices) = (inputs[0].shape, inputs[1].shape)
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        guard shape.rank == indices.rank, shape.indices.allSatisfy({ $0 == axis || shape[$0] == indices[$0] }) else {
            throw Failure.shapesDiffer(shape, indices)
        }
        return [TensorType(indices, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = inputs[1].shape
        let (size, count, step) = (inputs[0].shape[axis], output[axis], output.strides[axis])
        let indices = inputs[1].integers
        return inputs[0].withElements { x in
            [
                Tensor(shape: output, element: inputs[0].element) { element in
                    let index = indices[element] < 0 ? indices[element] + size : indices[element]
                    let row = element / step / count * size + index
                    return (0..<size).contains(index) ? x[row * step + element % step] : 0
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let copy = GatherAlongAxis(axis: orders[0].firstIndex(of: axis)!)
        return Reordered(copy, inputs: [orders[0], orders[0]], outputs: [orders[0]])
    }
}

// MARK: Facts

extension GatherAlongAxis {
    var family: Family { .arrangement }
    var indexInput: Int? { 1 }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        input == 0 && axis == self.axis ? .rearranged : .kept(axis)
    }
}

// MARK: Neural network

extension GatherAlongAxis {
    static let neural = [
        NeuralRule("gatherAlongAxis") { layer, reading in
            let axis = try layer.input().shape.axis(layer.parameters.axis)
            return try reading.add(GatherAlongAxis(axis: axis), [layer.input(), layer.input(1)], layer)
        }
    ]
}

// MARK: ML Program

extension GatherAlongAxis {
    static let mil = [
        MILRule("gather_along_axis") { op, reading in
            let (x, indices) = (try op.operand(), try op.operand("indices"))
            let axis = try op.axis(x, default: 0)
            try op.check(indices, sizes: [x.shape[axis]], of: x)
            return try reading.add(GatherAlongAxis(axis: axis), [x, indices], op)
        }
    ]
}
