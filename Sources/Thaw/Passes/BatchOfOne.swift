extension Graph {
    /// The first node that concatenates along the batch axis when the batch size is one.
    var nodeAcrossBatch: String? {
        nodes.first { node in
            guard let shape = node.inputs.first.map({ self[$0].shape }), shape.rank >= 2, shape[0] == 1 else {
                return false
            }
            switch node.operation {
            case let reduction as Reduction: return reduction.axes.contains(0)
            case let sum as CumulativeSum: return sum.axis == 0
            default: return false
            }
        }?.name
    }

    /// Converts a graph that was built for a batch of several images to a batch of one.
    ///
    /// Every value keeps its shape except along the batch axis. Whatever an operation stores about the batch (the
    /// shape of a reshape or broadcast, the range of a slice, a constant that repeats for every image) is reduced
    /// accordingly. Then every operation must process the images independently: either its definition guarantees
    /// that, or it is run on two images, and the results must equal those of each image alone. Otherwise the node is
    /// refused, because its result would depend on the batch.
    /// - Throws: `Failure` naming the node that needs the whole batch.
    func withBatchOfOne() throws -> Graph {
        guard let input = inputs.first, let batch = self[input.value].shape.first, batch > 1 else { return self }
        var builder = GraphBuilder(channelOrder: channelOrder)
        var values: [Value: Value] = [:]
        var known: [Value: BatchedValue] = [:]
        for port in inputs {
            var value = BatchedValue(self[port.value])
            if port == input {
                value.position = BatchPosition(axis: 0)
                (value.one.shape[0], value.two.shape[0]) = (1, 2)
            }
            values[port.value] = builder.input(port.name, value.one)
            known[port.value] = value
        }
        for node in nodes {
            try naming(place: node.name) {
                let step = try step(node, node.inputs.map { known[$0]! }, batch)
                let arrived = try zip(node.inputs, step.inputs).map { value, used in
                    // A constant that repeats for every image, reduced to one image.
                    if let constant = used.constant, used.one != builder[values[value]!] {
                        return try builder.add(Constant(constant.one), [], name: node.name + "/constant")[0]
                    }
                    return values[value]!
                }
                let results = try builder.add(step.operation, arrived, name: node.name)
                for ((old, new), value) in zip(zip(node.outputs, results), step.outputs) {
                    (values[old], known[old]) = (new, value)
                }
            }
        }
        for port in outputs {
            guard known[port.value]?.position == BatchPosition(axis: 0) else {
                throw Failure.needsBatch(batch).at(port.name)
            }
            builder.output(port.name, values[port.value]!)
        }
        return builder.graph.pruned()
    }

    /// A node rewritten for one image.
    private struct BatchedNode {
        var operation: any Operation
        var inputs: [BatchedValue]
        var outputs: [BatchedValue]
    }

    /// - Throws: `Failure` if the node needs the whole batch.
    private func step(_ node: Node, _ inputs: [BatchedValue], _ batch: Int) throws -> BatchedNode {
        if inputs.allSatisfy({ $0.position == nil }) {
            let constant = (node.operation as? Constant)?.value
            let outputs = node.outputs.map { BatchedValue(self[$0], constant: constant) }
            return BatchedNode(operation: node.operation, inputs: inputs, outputs: outputs)
        }
        // Any error with fewer images is caused by the smaller batch: the original node was valid.
        if let step = try? batched(node, inputs, batch) { return step }
        // A repeating constant may repeat once per image, or its length may match the batch by coincidence.
        let held = inputs.map { $0.heldToOne(of: batch) ?? $0 }
        if held.contains(where: { $0.one != $0.two && $0.position == nil }),
            let step = try? batched(node, held, batch)
        {
            return step
        }
        throw Failure.needsBatch(batch)
    }

    /// - Returns: nil if the node does not process the images independently.
    private func batched(_ node: Node, _ inputs: [BatchedValue], _ batch: Int) throws -> BatchedNode? {
        let whole = node.inputs.map { self[$0] }
        let results = node.outputs.map { self[$0] }
        guard let one = node.operation.forImages(1, of: batch, inputs, whole, results),
            let two = node.operation.forImages(2, of: batch, inputs, whole, results)
        else { return nil }
        let singles = try outputTypes(of: one, inputs.map(\.one))
        let pairs = try outputTypes(of: two, inputs.map(\.two))
        var axes: [Int] = []
        for (index, result) in results.enumerated() {
            guard let axis = batchAxis(result.shape, singles[index].shape, batch),
                batchAxis(pairs[index].shape, singles[index].shape, 2) == axis
            else { return nil }
            axes.append(axis)
        }
        let positions =
            node.operation.positions(inputs, results.map(\.shape), batch)
            ?? BatchTrial(self, one, two, inputs, singles, pairs).positions(along: axes)
        guard let positions else { return nil }
        let outputs = results.indices.map {
            BatchedValue(one: singles[$0], two: pairs[$0], position: positions[$0])
        }
        return BatchedNode(operation: one, inputs: inputs, outputs: outputs)
    }
}

/// The only axis along which a tensor has `batch` times as many elements as for one image; nil if there is none.
private func batchAxis(_ whole: Shape, _ single: Shape, _ batch: Int) -> Int? {
    guard whole.rank == single.rank else { return nil }
    let axes = whole.indices.filter { whole[$0] != single[$0] }
    return axes.count == 1 && whole[axes[0]] == single[axes[0]] * batch ? axes[0] : nil
}

extension Operation {
    /// The operation for `count` images, derived from one for a batch with these input and output types; nil if there
    /// is none.
    fileprivate func forImages(
        _ count: Int, of batch: Int, _ inputs: [BatchedValue], _ whole: [TensorType], _ results: [TensorType]
    ) -> (any Operation)? {
        guard let position = inputs[0].position else { return self }
        let rank = whole[0].shape.rank
        switch self {
        case is Reshape:
            guard let axis = position.moved(from: whole[0].shape, to: results[0].shape, batch)?.axis else { return nil }
            var shape = results[0].shape
            shape[axis] = shape[axis] / batch * count
            return Reshape(shape)
        case is BroadcastTo:
            var shape = results[0].shape
            let axis = position.axis + shape.rank - rank
            shape[axis] = shape[axis] / batch * count
            return BroadcastTo(shape: shape)
        case var slice as StridedSlice:
            let size = whole[0].shape[position.axis]
            guard slice.ranges[position.axis] == StridedSlice.Range(start: 0, count: size) else { return nil }
            slice.ranges[position.axis].count = size / batch * count
            return slice
        case var binary as Binary:
            guard let constant = binary.constant else { return self }
            let axis = position.axis + constant.shape.rank - rank
            guard axis >= 0, constant.shape[axis] != 1 else { return self }
            guard let part = constant.oneOf(batch, along: axis) else { return nil }
            binary.constant = part.repeated(count, along: axis)
            return binary
        default: return self
        }
    }

    /// The position of the batch in each output, if the operation is known to process the images independently.
    ///
    /// - Parameter results: The output shapes for the whole batch.
    fileprivate func positions(_ inputs: [BatchedValue], _ results: [Shape], _ batch: Int) -> [BatchPosition]? {
        guard let position = inputs[0].position else { return nil }
        let shape = inputs[0].one.shape
        /// Whether all inputs are batches in the same position.
        let isAlike = inputs.allSatisfy { $0.position == position && $0.one.shape.rank == shape.rank }
        switch self {
        case is Unary, is Cast: return [position]
        case is Reshape: return position.moved(from: shape, to: results[0], batch).map { [$0] }
        // Elementwise.
        case let binary as Binary where isAlike:
            guard inputs.allSatisfy({ $0.one.shape[position.axis] == shape[position.axis] }) else { return nil }
            let axis = position.axis + (binary.constant?.shape.rank ?? 0) - shape.rank
            let isSame = axis < 0 || binary.constant!.shape[axis] == 1 || position.outer == 1
            return isSame && results[0].rank == shape.rank ? [position] : nil
        case let joined as Concatenation where isAlike && joined.axis != position.axis: return [position]
        case let padding as Pad
        where isAlike && padding.before[position.axis] == 0 && padding.after[position.axis] == 0:
            return [position]
        // Along other axes.
        case let split as Split where isAlike && split.axis != position.axis: return split.sizes.map { _ in position }
        case let softmax as Softmax where isAlike && softmax.axis != position.axis: return [position]
        case let reduction as Reduction where isAlike && !reduction.axes.contains(position.axis):
            let gone = reduction.keepsAxes ? 0 : reduction.axes.count { $0 < position.axis }
            return [BatchPosition(axis: position.axis - gone, outer: position.outer)]
        // Row by row.
        case is Dense where isAlike && position.axis < shape.rank - 1: return [position]
        // Operations on images process them one by one, unless they change the number of images.
        case _ where isSpatial && isAlike && inputs.count == 1 && position.axis == 0:
            return shape[0] * batch == results[0].first ? [position] : nil
        default: return nil
        }
    }
}
