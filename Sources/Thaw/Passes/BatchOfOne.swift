extension Graph {
    /// The graph for one image at a time, where it was made for a batch of several.
    ///
    /// Every value keeps its shape but for one axis, whose outermost factor the batch is. What an operation holds of the
    /// batch (the shape of a reshape or broadcast, the range of a slice, an array that repeats for every image) is held to
    /// that; any other difference is refused, because a result would then depend on the batch.
    /// - Throws: `Failure` naming the node that needs the whole batch.
    func withBatchOfOne() throws -> Graph {
        guard let input = inputs.first, let batch = self[input.value].shape.first, batch > 1 else { return self }
        var builder = GraphBuilder(channelOrder: channelOrder)
        var values: [Value: Value] = [:]
        for port in inputs {
            var type = self[port.value]
            if port == input { type.shape[0] = 1 }
            values[port.value] = builder.input(port.name, type)
        }
        for node in nodes {
            try naming(place: node.name) {
                let arrived = node.inputs.map { values[$0]! }
                let operation = try node.operation.forOneImage(
                    node.inputs.map { self[$0].shape }, arrived.map { builder[$0].shape },
                    node.outputs.map { self[$0].shape }, batch)
                let results = try builder.add(operation, arrived, name: node.name)
                for (old, new) in zip(node.outputs, results) {
                    let isConstant = node.inputs.isEmpty
                    guard isConstant || batchAxis(self[old].shape, builder[new].shape, batch) != nil else {
                        throw Failure.needsBatch(batch)
                    }
                    values[old] = new
                }
            }
        }
        for port in outputs {
            guard batchAxis(self[port.value].shape, builder[values[port.value]!].shape, batch) == 0 else {
                throw Failure.needsBatch(batch).at(port.name)
            }
            builder.output(port.name, values[port.value]!)
        }
        return builder.graph.pruned()
    }
}

/// The one axis along which an array has `batch` times as many elements as for one image; nil where there is none such.
private func batchAxis(_ whole: Shape, _ single: Shape, _ batch: Int) -> Int? {
    guard whole.rank == single.rank else { return nil }
    let axes = whole.indices.filter { whole[$0] != single[$0] }
    return axes.count == 1 && whole[axes[0]] == single[axes[0]] * batch ? axes[0] : nil
}

extension Operation {
    /// The operation for one image, where its inputs were `whole` and are `single` now, and its outputs were `results`.
    fileprivate func forOneImage(_ whole: [Shape], _ single: [Shape], _ results: [Shape], _ batch: Int) throws
        -> any Operation
    {
        let axis = zip(whole, single).lazy.compactMap { batchAxis($0, $1, batch) }.first
        switch self {
        case is Reshape:
            guard let axis else { throw Failure.needsBatch(batch) }
            // The batch stays behind as many elements as it stood behind.
            let before = whole[0][..<axis].reduce(1, *)
            let target = results[0]
            let place = target.indices.first {
                target[..<$0].reduce(1, *) == before && target[$0] % batch == 0
            }
            guard let place else { throw Failure.needsBatch(batch) }
            var shape = target
            shape[place] /= batch
            return Reshape(shape)
        case is BroadcastTo:
            guard let axis else { throw Failure.needsBatch(batch) }
            var shape = results[0]
            shape[axis + shape.rank - whole[0].rank] /= batch
            return BroadcastTo(shape: shape)
        case var slice as StridedSlice:
            guard let axis, slice.ranges[axis] == StridedSlice.Range(start: 0, count: whole[0][axis]) else {
                throw Failure.needsBatch(batch)
            }
            slice.ranges[axis].count = single[0][axis]
            return slice
        case let constant as Constant:
            return Constant(constant.value.oneOf(batch, along: 0) ?? constant.value)
        case var binary as Binary:
            guard let constant = binary.constant, let axis else { return self }
            let place = axis + constant.shape.rank - whole[0].rank
            guard place >= 0, constant.shape[place] != 1 else { return self }
            guard let part = constant.oneOf(batch, along: place) else { throw Failure.needsBatch(batch) }
            binary.constant = part
            return binary
        default: return self
        }
    }
}

extension Tensor {
    /// The first of `count` parts along an axis, where all are the same; nil where they differ.
    fileprivate func oneOf(_ count: Int, along axis: Int) -> Tensor? {
        guard shape.indices.contains(axis), shape[axis] % count == 0, shape[axis] > 0 else { return nil }
        let parts = Split(axis: axis, sizes: Array(repeating: shape[axis] / count, count: count)).evaluate([self])
        return parts.dropFirst().allSatisfy { $0 == parts[0] } ? parts[0] : nil
    }
}
