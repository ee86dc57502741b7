extension Graph {
    /// Replaces each convolution between SpaceToBatch and BatchToSpace by the equivalent dilated convolution.
    /// TensorFlow 1 expressed dilation this way.
    func withDilations() throws -> Graph {
        guard nodes.contains(where: { $0.operation is BatchToSpace }) else { return self }
        let counts = consumerCounts
        var readOnce: Set<Value> = []
        return try rebuilt { node, inputs, builder in
            let results: [Value]
            if let blocks = node.operation as? BatchToSpace,
                let found = DilatedConvolution(endingAt: inputs[0], blocks, readOnce, builder)
            {
                results = [try found.add(to: &builder, name: node.name)]
            } else {
                results = try builder.add(node.operation, inputs, name: node.name)
            }
            for (old, new) in zip(node.outputs, results) where counts[old.index] == 1 { readOnce.insert(new) }
            return results
        }
    }
}

/// A convolution between SpaceToBatch and BatchToSpace, with the pixelwise operations that follow it.
private struct DilatedConvolution {
    private let image: Graph.Value
    /// Nil if it has 1×1 pixels and is thus pixelwise itself.
    private let convolution: (name: String, dilated: any Operation)?
    /// The operations after the convolution, in order.
    private var followers: [Graph.Node] = []
    /// Pixels cropped from the result before and after along height and width, beyond what the padding absorbs.
    private let crops: [(before: Int, after: Int)]

    /// Searches backward from the input of a `BatchToSpace`; nil if there is no such convolution.
    init?(endingAt value: Graph.Value, _ ends: BatchToSpace, _ readOnce: Set<Graph.Value>, _ builder: GraphBuilder) {
        var value = value
        while readOnce.contains(value), let node = builder.producer(of: value), node.isByPixel(builder) {
            followers.insert(node, at: 0)
            value = node.inputs[0]
        }
        guard readOnce.contains(value), let node = builder.producer(of: value) else { return nil }
        let operation = node.operation as? any WindowOperation
        guard let start = operation == nil ? node : builder.producer(of: node.inputs[0]),
            let starts = start.operation as? SpaceToBatch, starts.blocks == ends.blocks, ends.blocks.count == 4,
            ends.blocks[3] == 1
        else { return nil }
        image = start.inputs[0]
        guard let operation else {
            // Core ML can split a single image into blocks, but not several.
            guard starts.before == ends.before, starts.after == ends.after, builder[image].shape[0] > 1 else {
                return nil
            }
            (self.convolution, self.crops) = (nil, [])
            return
        }
        guard operation.family == .convolution, operation.window.height.stride == 1, operation.window.width.stride == 1
        else { return nil }
        var window = operation.window
        var crops: [(before: Int, after: Int)] = []
        for (axis, path) in [(1, \Window.height), (2, \Window.width)] {
            let size = starts.blocks[axis]
            var spread = window[keyPath: path]
            spread.dilation *= size
            let before = starts.before[axis] + spread.before * size
            let after = starts.after[axis] + spread.after * size
            spread.before = Swift.max(0, before - ends.before[axis])
            spread.after = Swift.max(0, after - ends.after[axis])
            crops.append((Swift.max(0, ends.before[axis] - before), Swift.max(0, ends.after[axis] - after)))
            window[keyPath: path] = spread
        }
        convolution = (node.name, operation.sliding(window))
        self.crops = crops
    }

    func add(to builder: inout GraphBuilder, name: String) throws -> Graph.Value {
        var value = image
        if let (name, dilated) = convolution { value = try builder.add(dilated, [image], name: name + "/dilated")[0] }
        for node in followers { value = try builder.add(node.operation, [value], name: node.name + "/dilated")[0] }
        guard crops.contains(where: { $0 != (0, 0) }) else { return value }
        let amounts = [(before: 0, after: 0)] + crops + [(before: 0, after: 0)]
        let ranges = zip(builder[value].shape, amounts).map { size, amount in
            StridedSlice.Range(start: amount.before, count: size - amount.before - amount.after)
        }
        return try builder.add(StridedSlice(ranges: ranges), [value], name: name)[0]
    }
}

extension Graph.Node {
    /// Whether the node applies the same function to every pixel, independent of its position.
    fileprivate func isByPixel(_ builder: GraphBuilder) -> Bool {
        guard inputs.count == 1, builder[inputs[0]].shape == builder[outputs[0]].shape,
            builder[inputs[0]].shape.rank == 4
        else { return false }
        let types = inputs.map { builder[$0] }
        return (0..<3).allSatisfy { operation.use(ofAxis: $0, of: 0, types) == .kept($0) }
    }
}
