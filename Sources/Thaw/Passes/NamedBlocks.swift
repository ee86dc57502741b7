extension Graph {
    /// The graph with blocks of pixels exchanged with channels, and borders mirrored, by one operation each.
    ///
    /// Core ML has a layer for either, which moreover is the same for images of all sizes. Engine and passes know the reshapes
    /// and slices that a graph says them by; so only the graph that is about to be written is put like this.
    func withNamedBlocks() throws -> Graph {
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
    /// The exchange of blocks that a reshape, a transpose and this reshape make, and the image that they are made of.
    fileprivate func exchange(endingIn last: Reshape, of value: Graph.Value) -> (any Operation, Graph.Value)? {
        guard let turn = producer(of: value), let transpose = turn.operation as? Transpose,
            let start = producer(of: turn.inputs[0]), let first = start.operation as? Reshape
        else { return nil }
        let image = self[start.inputs[0]].shape
        guard image.rank == 4, last.shape.rank == 4 else { return nil }
        let height = graph.channelOrder == .last ? 1 : 2
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

    /// The mirrored border that a concatenation makes along height or width, and the image inside.
    fileprivate func mirror(
        _ concatenation: Concatenation, of inputs: [Graph.Value]
    ) -> (any Operation, Graph.Value)? {
        let height = graph.channelOrder == .last ? 1 : 2
        let axis = concatenation.axis
        guard (2...3).contains(inputs.count), axis == height || axis == height + 1,
            let place = inputs.indices.first(where: { place in
                inputs.indices.allSatisfy { $0 == place || isSlice(inputs[$0], of: inputs[place]) }
            })
        else { return nil }
        let image = inputs[place]
        let shape = self[image].shape
        guard shape.rank == 4, place < 2, inputs.count - place < 3 else { return nil }
        func amount(_ index: Int) -> Int { inputs.indices.contains(index) ? self[inputs[index]].shape[axis] : 0 }
        let (before, after) = (amount(place - 1), amount(place + 1))
        guard [before, after].allSatisfy({ OwnBorder.reflected.fits($0, of: shape[axis]) }) else { return nil }
        let ranges = OwnBorder.reflected.ranges(before, after, of: shape[axis])
        for (index, range) in [(place - 1, ranges.before), (place + 1, ranges.after)] {
            guard inputs.indices.contains(index) else { continue }
            guard slice(inputs[index])!.covers(shape, but: axis, range) else { return nil }
        }
        var pad = MirrorPad(before: [0, 0], after: [0, 0])
        pad.before[axis - height] = before
        pad.after[axis - height] = after
        // What is mirrored along the one axis and then along the other is mirrored along both.
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
    /// Whether it takes all of an array of this shape, but along one axis these elements.
    fileprivate func covers(_ shape: Shape, but axis: Int, _ range: Range) -> Bool {
        ranges.indices.allSatisfy { index in
            let expected = index == axis ? range : Range(start: 0, count: shape[index])
            // Of one element the step says nothing.
            return ranges[index].start == expected.start && ranges[index].count == expected.count
                && (ranges[index].step == expected.step || expected.count == 1)
        }
    }
}
