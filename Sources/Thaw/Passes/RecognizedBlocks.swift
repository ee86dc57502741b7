extension Graph {
    /// Replaces spelled-out depth-to-space and space-to-depth rearrangements and mirror padding by one operation
    /// each.
    ///
    /// Core ML has a layer for either, and unlike reshapes and slices these layers do not depend on the image size.
    /// The engine and the other passes handle the reshapes and slices directly, so this is applied only to the graph
    /// that is about to be written.
    func withRecognizedBlocks() throws -> Graph {
        try rebuilt { node, inputs, builder in
            guard self[node.outputs[0]].element.isFloatingPoint else { return nil }
            let found: (any Operation, Value)?
            switch node.operation {
            case let reshape as Reshape: found = builder.exchange(endingIn: reshape, of: inputs[0])
            case let concatenation as Concatenation: found = builder.mirror(concatenation, of: inputs)
            default: found = nil
            }
            return try found.map { try builder.add($0.0, [$0.1], name: node.name) }
        }
    }
}

extension GraphBuilder {
    /// The rearrangement that a reshape, a transpose and this reshape form, and its source image.
    fileprivate func exchange(endingIn last: Reshape, of value: Graph.Value) -> (any Operation, Graph.Value)? {
        guard let middle = producer(of: value), let transpose = middle.operation as? Transpose,
            let start = producer(of: middle.inputs[0]), let first = start.operation as? Reshape
        else { return nil }
        let image = self[start.inputs[0]].shape
        guard image.rank == 4, last.shape.rank == 4 else { return nil }
        let height = graph.channelOrder == .channelsLast ? 1 : 2
        for exchange in BlockExchange.Exchange.allCases {
            let isLarger = exchange == .depthToSpace || exchange == .pixelShuffle
            let (small, large) = isLarger ? (image[height], last.shape[height]) : (last.shape[height], image[height])
            guard small > 0, large > small else { continue }
            let blocks = BlockExchange(exchange: exchange, size: large / small)
            guard let rearrangement = blocks.rearrangement(of: image, graph.channelOrder) else { continue }
            let steps = rearrangement.steps
            if (steps[0] as? Reshape)?.shape == first.shape, (steps[1] as? Transpose)?.order == transpose.order,
                rearrangement.result == last.shape
            {
                return (blocks, start.inputs[0])
            }
        }
        return nil
    }

    /// The mirror padding that a concatenation adds along height or width, and the image inside.
    fileprivate func mirror(
        _ concatenation: Concatenation, of inputs: [Graph.Value]
    ) -> (any Operation, Graph.Value)? {
        let height = graph.channelOrder == .channelsLast ? 1 : 2
        let axis = concatenation.axis
        guard (2...3).contains(inputs.count), axis == height || axis == height + 1,
            let center = inputs.indices.first(where: { center in
                inputs.indices.allSatisfy { $0 == center || isSlice(inputs[$0], of: inputs[center]) }
            })
        else { return nil }
        let image = inputs[center]
        let shape = self[image].shape
        guard shape.rank == 4, center < 2, inputs.count - center < 3 else { return nil }
        func amount(_ index: Int) -> Int { inputs.indices.contains(index) ? self[inputs[index]].shape[axis] : 0 }
        let (before, after) = (amount(center - 1), amount(center + 1))
        guard [before, after].allSatisfy({ EdgePadding.reflected.fits($0, of: shape[axis]) }) else { return nil }
        let ranges = EdgePadding.reflected.ranges(before, after, of: shape[axis])
        for (index, range) in [(center - 1, ranges.before), (center + 1, ranges.after)] {
            guard inputs.indices.contains(index) else { continue }
            guard slice(inputs[index])!.covers(shape, but: axis, range) else { return nil }
        }
        var pad = MirrorPad(before: [0, 0], after: [0, 0])
        pad.before[axis - height] = before
        pad.after[axis - height] = after
        // Mirror padding along one axis and then along the other is mirror padding along both.
        guard let producer = producer(of: image), let inner = producer.operation as? MirrorPad,
            inner.before[axis - height] + inner.after[axis - height] == 0
        else { return (pad, image) }
        pad.before[1 - (axis - height)] = inner.before[1 - (axis - height)]
        pad.after[1 - (axis - height)] = inner.after[1 - (axis - height)]
        return (pad, producer.inputs[0])
    }

    private func slice(_ value: Graph.Value) -> StridedSlice? { producer(of: value)?.operation as? StridedSlice }

    private func isSlice(_ value: Graph.Value, of image: Graph.Value) -> Bool {
        slice(value) != nil && producer(of: value)!.inputs == [image]
    }
}

extension StridedSlice {
    /// Whether the slice takes these elements along one axis and everything along the others.
    fileprivate func covers(_ shape: Shape, but axis: Int, _ range: Range) -> Bool {
        ranges.indices.allSatisfy { index in
            let expected = index == axis ? range : Range(start: 0, count: shape[index])
            // The step is irrelevant for a single element.
            return ranges[index].start == expected.start && ranges[index].count == expected.count
                && (ranges[index].step == expected.step || expected.count == 1)
        }
    }
}
