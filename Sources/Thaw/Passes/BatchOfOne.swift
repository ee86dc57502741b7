extension Graph {
    /// The first node that puts images together along the axis on which the batch stands, which is of one.
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

    /// The graph for one image at a time, where it was made for a batch of several.
    ///
    /// Every value keeps its shape but for one axis, on which the batch stands. What an operation holds of the batch (the
    /// shape of a reshape or broadcast, the range of a slice, an array that repeats for every image) is held to that. Then
    /// every operation must do what it does image by image: its definition says so, or it is tried with two images, which
    /// must come out as each of them by itself. Whatever does not is refused: its result would depend on the batch.
    /// - Throws: `Failure` naming the node that needs the whole batch.
    func withBatchOfOne() throws -> Graph {
        guard let input = inputs.first, let batch = self[input.value].shape.first, batch > 1 else { return self }
        var builder = GraphBuilder(channelOrder: channelOrder)
        var values: [Value: Value] = [:]
        var known: [Value: BatchedValue] = [:]
        for port in inputs {
            var value = BatchedValue(self[port.value])
            if port == input {
                value.place = BatchPlace(axis: 0)
                (value.one.shape[0], value.two.shape[0]) = (1, 2)
            }
            values[port.value] = builder.input(port.name, value.one)
            known[port.value] = value
        }
        for node in nodes {
            try naming(place: node.name) {
                let step = try step(node, node.inputs.map { known[$0]! }, batch)
                let arrived = try zip(node.inputs, step.inputs).map { value, used in
                    // An array that repeats for every image, held to one.
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
            guard known[port.value]?.place == BatchPlace(axis: 0) else {
                throw Failure.needsBatch(batch).at(port.name)
            }
            builder.output(port.name, values[port.value]!)
        }
        return builder.graph.pruned()
    }

    /// A node as it is for one image.
    private struct BatchedNode {
        var operation: any Operation
        var inputs: [BatchedValue]
        var outputs: [BatchedValue]
    }

    /// - Throws: `Failure` where the node needs the whole batch.
    private func step(_ node: Node, _ inputs: [BatchedValue], _ batch: Int) throws -> BatchedNode {
        if inputs.allSatisfy({ $0.place == nil }) {
            let constant = (node.operation as? Constant)?.value
            let outputs = node.outputs.map { BatchedValue(self[$0], constant: constant) }
            return BatchedNode(operation: node.operation, inputs: inputs, outputs: outputs)
        }
        // Whatever goes wrong with fewer images was right for the whole batch.
        if let step = try? batched(node, inputs, batch) { return step }
        // An array that repeats may do so for the images, or only be as long as there are images.
        let held = inputs.map { $0.heldToOne(of: batch) ?? $0 }
        if held.contains(where: { $0.one != $0.two && $0.place == nil }),
            let step = try? batched(node, held, batch)
        {
            return step
        }
        throw Failure.needsBatch(batch)
    }

    /// - Returns: nil where the node is not done image by image.
    private func batched(_ node: Node, _ inputs: [BatchedValue], _ batch: Int) throws -> BatchedNode? {
        let whole = node.inputs.map { self[$0] }
        let results = node.outputs.map { self[$0] }
        guard let one = node.operation.forImages(1, of: batch, inputs, whole, results),
            let two = node.operation.forImages(2, of: batch, inputs, whole, results)
        else { return nil }
        let singles = try outputTypes(of: one, inputs.map(\.one))
        let pairs = try outputTypes(of: two, inputs.map(\.two))
        var axes: [Int] = []
        for (place, result) in results.enumerated() {
            guard let axis = batchAxis(result.shape, singles[place].shape, batch),
                batchAxis(pairs[place].shape, singles[place].shape, 2) == axis
            else { return nil }
            axes.append(axis)
        }
        let places =
            node.operation.places(inputs, results.map(\.shape), batch)
            ?? BatchTrial(self, one, two, inputs, singles, pairs).places(along: axes)
        guard let places else { return nil }
        let outputs = results.indices.map {
            BatchedValue(one: singles[$0], two: pairs[$0], place: places[$0])
        }
        return BatchedNode(operation: one, inputs: inputs, outputs: outputs)
    }
}

/// The one axis along which an array has `batch` times as many elements as for one image; nil where there is none such.
private func batchAxis(_ whole: Shape, _ single: Shape, _ batch: Int) -> Int? {
    guard whole.rank == single.rank else { return nil }
    let axes = whole.indices.filter { whole[$0] != single[$0] }
    return axes.count == 1 && whole[axes[0]] == single[axes[0]] * batch ? axes[0] : nil
}

extension Operation {
    /// The operation for `count` images, where it was one for a batch whose inputs and results were of these types; nil
    /// where that cannot be.
    fileprivate func forImages(
        _ count: Int, of batch: Int, _ inputs: [BatchedValue], _ whole: [TensorType], _ results: [TensorType]
    ) -> (any Operation)? {
        guard let place = inputs[0].place else { return self }
        let rank = whole[0].shape.rank
        switch self {
        case is Reshape:
            guard let axis = place.moved(from: whole[0].shape, to: results[0].shape, batch)?.axis else { return nil }
            var shape = results[0].shape
            shape[axis] = shape[axis] / batch * count
            return Reshape(shape)
        case is BroadcastTo:
            var shape = results[0].shape
            let axis = place.axis + shape.rank - rank
            shape[axis] = shape[axis] / batch * count
            return BroadcastTo(shape: shape)
        case var slice as StridedSlice:
            let size = whole[0].shape[place.axis]
            guard slice.ranges[place.axis] == StridedSlice.Range(start: 0, count: size) else { return nil }
            slice.ranges[place.axis].count = size / batch * count
            return slice
        case var binary as Binary:
            guard let constant = binary.constant else { return self }
            let axis = place.axis + constant.shape.rank - rank
            guard axis >= 0, constant.shape[axis] != 1 else { return self }
            guard let part = constant.oneOf(batch, along: axis) else { return nil }
            binary.constant = part.repeated(count, along: axis)
            return binary
        default: return self
        }
    }

    /// Where the batch stands in the output, if the definition of the operation says that it is done image by image.
    ///
    /// - Parameter results: The shapes of the outputs for the whole batch.
    fileprivate func places(_ inputs: [BatchedValue], _ results: [Shape], _ batch: Int) -> [BatchPlace]? {
        guard let place = inputs[0].place else { return nil }
        let shape = inputs[0].one.shape
        /// Whether all inputs are batches that lie alike.
        let isAlike = inputs.allSatisfy { $0.place == place && $0.one.shape.rank == shape.rank }
        switch self {
        case is Unary, is Cast: return [place]
        case is Reshape: return place.moved(from: shape, to: results[0], batch).map { [$0] }
        // Element by element.
        case let binary as Binary where isAlike:
            guard inputs.allSatisfy({ $0.one.shape[place.axis] == shape[place.axis] }) else { return nil }
            let axis = place.axis + (binary.constant?.shape.rank ?? 0) - shape.rank
            let isSame = axis < 0 || binary.constant!.shape[axis] == 1 || place.outer == 1
            return isSame && results[0].rank == shape.rank ? [place] : nil
        case let joined as Concatenation where isAlike && joined.axis != place.axis: return [place]
        case let padding as Pad where isAlike && padding.before[place.axis] == 0 && padding.after[place.axis] == 0:
            return [place]
        // Along other axes.
        case let split as Split where isAlike && split.axis != place.axis: return split.sizes.map { _ in place }
        case let softmax as Softmax where isAlike && softmax.axis != place.axis: return [place]
        case let reduction as Reduction where isAlike && !reduction.axes.contains(place.axis):
            let gone = reduction.keepsAxes ? 0 : reduction.axes.count { $0 < place.axis }
            return [BatchPlace(axis: place.axis - gone, outer: place.outer)]
        // Rows, each by itself.
        case is Dense where isAlike && place.axis < shape.rank - 1: return [place]
        // What takes images takes them one by one; what changes their number does more.
        case _ where isSpatial && isAlike && inputs.count == 1 && place.axis == 0:
            return shape[0] * batch == results[0].first ? [place] : nil
        default: return nil
        }
    }
}
