extension Graph {
    /// The first node that combines the images of a batch, found in a graph for a batch of one.
    var nodeAcrossBatch: String? {
        nodes.first { node in
            guard let shape = node.inputs.first.map({ self[$0].shape }), shape.rank >= 2, shape[0] == 1 else {
                return false
            }
            return node.operation.use(ofAxis: 0, of: 0, node.inputs.map { self[$0] }) == .combined
        }?.name
    }

    /// Converts a graph that was built for a batch of several images to a batch of one.
    ///
    /// Every value keeps its shape except along the batch axis. Everything that an operation stores about the batch
    /// (the shape of a reshape or broadcast, the range of a slice, a constant that repeats for every image) is reduced
    /// accordingly. Then every operation must process the images independently: either its definition guarantees that,
    /// or it is run on two images, and the results must equal those of each image alone. Otherwise the node is refused,
    /// because its result would depend on the batch.
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
            try naming(location: node.name) {
                let step = try step(node, node.inputs.map { known[$0]! }, batch)
                let inputs = try zip(node.inputs, step.inputs).map { value, used in
                    // A constant that repeats for every image, reduced to one image.
                    if let constant = used.constant, used.one != builder[values[value]!] {
                        return try builder.add(Constant(constant.one), [], name: node.name + "/constant")[0]
                    }
                    return values[value]!
                }
                let results = try builder.add(step.operation, inputs, name: node.name)
                for ((old, new), value) in zip(zip(node.outputs, results), step.outputs) {
                    (values[old], known[old]) = (new, value)
                }
            }
        }
        for port in outputs {
            guard known[port.value]?.position == BatchPosition(axis: 0) else {
                throw Failure.wrongBatchSize(batch).at(port.name)
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
            let outputs = node.outputs.map { BatchedValue(self[$0], constant: node.operation.constantValue) }
            return BatchedNode(operation: node.operation, inputs: inputs, outputs: outputs)
        }
        if let step = try batchedIfValid(node, inputs, batch) { return step }
        // A repeating constant may repeat once per image, or its length may match the batch by coincidence.
        let held = inputs.map { $0.heldToOne(of: batch) ?? $0 }
        if held.contains(where: { $0.one != $0.two && $0.position == nil }),
            let step = try batchedIfValid(node, held, batch)
        {
            return step
        }
        throw Failure.wrongBatchSize(batch)
    }

    /// The node rewritten for one image; nil if it is invalid then, or does not process the images independently.
    /// - Throws: `Failure` if that cannot be tested.
    private func batchedIfValid(_ node: Node, _ inputs: [BatchedValue], _ batch: Int) throws -> BatchedNode? {
        do {
            return try batched(node, inputs, batch)
        } catch let failure as Failure where failure.code == .limitExceeded {
            throw failure
        } catch {
            // Any other error is caused by the smaller batch: the original node was valid.
            return nil
        }
    }

    /// - Returns: nil if the node does not process the images independently.
    /// - Throws: `Failure` if the node is invalid for fewer images, or if its tensors are too large for a trial.
    private func batched(_ node: Node, _ inputs: [BatchedValue], _ batch: Int) throws -> BatchedNode? {
        let batchTypes = node.inputs.map { self[$0] }
        let results = node.outputs.map { self[$0] }
        guard let one = node.operation.forImages(1, of: batch, inputs, batchTypes, results),
            let two = node.operation.forImages(2, of: batch, inputs, batchTypes, results)
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
            try one.positions(inputs, singles.map(\.shape), results.map(\.shape), batch)
            ?? BatchTrial(self, one, two, inputs, singles, pairs).positions(along: axes)
        guard let positions else { return nil }
        let outputs = results.indices.map {
            BatchedValue(one: singles[$0], two: pairs[$0], position: positions[$0])
        }
        return BatchedNode(operation: one, inputs: inputs, outputs: outputs)
    }
}

/// The only axis along which a tensor has `batch` times as many elements as for one image; nil if there is none.
private func batchAxis(_ fullShape: Shape, _ single: Shape, _ batch: Int) -> Int? {
    guard fullShape.rank == single.rank else { return nil }
    let axes = fullShape.indices.filter { fullShape[$0] != single[$0] }
    return axes.count == 1 && fullShape[axes[0]] == single[axes[0]] * batch ? axes[0] : nil
}

extension Operation {
    /// The operation for `count` images, derived from one for a batch with these input and output types; nil if there
    /// is none.
    fileprivate func forImages(
        _ count: Int, of batch: Int, _ inputs: [BatchedValue], _ types: [TensorType], _ results: [TensorType]
    ) -> (any Operation)? {
        guard let position = inputs[0].position else { return self }
        guard use(ofAxis: position.axis, of: 0, types) == .regrouped else {
            return forImages(count, of: batch, along: position.axis, types, results)
        }
        guard let axis = position.moved(from: types[0].shape, to: results[0].shape, batch)?.axis else { return nil }
        var shape = results[0].shape
        shape[axis] = shape[axis] / batch * count
        return Reshape(shape)
    }

    /// The position of the batch in each output of this operation for one image, if it is known to process the images
    /// independently.
    ///
    /// - Parameters:
    ///   - singles: The output shapes for one image.
    ///   - results: The output shapes for the whole batch.
    fileprivate func positions(
        _ inputs: [BatchedValue], _ singles: [Shape], _ results: [Shape], _ batch: Int
    ) -> [BatchPosition]? {
        guard let position = inputs[0].position else { return nil }
        let types = inputs.map(\.one)
        let shape = types[0].shape
        let use = self.use(ofAxis: position.axis, of: 0, types)
        let target: Int
        switch use {
        case .regrouped: return position.moved(from: shape, to: results[0], batch).map { [$0] }
        case .local(let axis, Reach()): target = axis
        // Weights that vary along the axis were reduced to one image. Other images in between would need them again.
        case .weighted(let axis) where position.outer == 1: target = axis
        default: return nil
        }
        for (index, input) in inputs.enumerated() {
            // All inputs must be batches in the same position, of the same length along the axis.
            guard input.position == position, input.one.shape.rank == shape.rank,
                input.one.shape[position.axis] == shape[position.axis],
                self.use(ofAxis: position.axis, of: index, types) == use
            else { return nil }
        }
        guard singles.allSatisfy({ $0[target] == shape[position.axis] }) else { return nil }
        return singles.map { _ in BatchPosition(axis: target, outer: position.outer) }
    }
}
