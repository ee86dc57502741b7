/// Finds the channel axis of an image in the tensor that a graph reads.
///
/// The tensor is traced from the input, with its axes tracked through transposes, to the first nodes on every path that
/// determine the channel axis: convolutions, pooling, biases, resizes. The tracing of a flat input begins at the reshape that
/// makes an image of it.
struct ChannelSearch {
    /// The channel axis according to those nodes, with the batch as axis 0; nil if there is no such node, or if they
    /// disagree.
    private(set) var axis: Int?
    /// The number of channels that a convolution reads, if there is one.
    private(set) var count: Int?
    /// The three sizes of the image that a reshape makes of a flat input's row; nil if there is none, or if several differ.
    private(set) var image: [Int]?

    /// An intermediate tensor.
    private struct TracedTensor {
        /// The input's axis for each axis; nil for an added axis.
        var axes: [Int?]
        /// Whether it has exactly the input's channels.
        var hasAllChannels = true
    }

    /// - Parameters:
    ///   - rank: The rank of the tensor; nil means that of an image.
    ///   - nodes: The nodes to compute, in topological order.
    init(from name: String, rank: Int?, through nodes: [NodeDefinition], _ graph: GraphIndex) {
        // An image without a batch axis gets one later.
        guard let axes = [1: [nil], 2: [0, nil], 3: [1, 2, 3], 4: [0, 1, 2, 3]][rank ?? 4] else { return }
        var constants = GraphConstants(graph)
        var traced = [name: TracedTensor(axes: axes)]
        var channelAxes: Set<Int?> = []
        var images: Set<[Int]> = []
        for node in nodes where node.name != name {
            let inputs = node.data.map { traced[GraphIndex.Reference($0).node] }
            guard let first = inputs.lazy.compactMap({ $0 }).first,
                inputs.allSatisfy({ $0.map { $0.axes == first.axes } ?? true })
            else { continue }
            if first.axes.count < 3, node.has(.reshape) {
                guard node.data.count == 2, let sizes = constants.sizesAfterBatch(node.data[1]), sizes.count == 3 else {
                    continue
                }
                images.insert(sizes)
                traced[node.name] = TracedTensor(axes: [0, 1, 2, 3])
            } else if let axis = ChannelSearch.channelAxis(node, inputs) {
                guard first.axes.count == 4 else { continue }
                channelAxes.insert(first.axes[axis])
                if count == nil, first.hasAllChannels { count = ChannelSearch.channelsRead(node, graph) }
            } else {
                traced[node.name] = ChannelSearch.result(node, first, &constants)
            }
        }
        if channelAxes.count == 1, let found = channelAxes.first { axis = found }
        if images.count == 1 { image = images.first }
    }

    // MARK: Operations

    /// The channel axis according to a node; nil if the node does not depend on it, or does not read the image.
    private static func channelAxis(_ node: NodeDefinition, _ inputs: [TracedTensor?]) -> Int? {
        switch node.traits.axes {
        case .channelsLast: return inputs[0] == nil ? nil : 3
        case .image(let input):
            guard inputs[input, default: nil] != nil else { return nil }
        default: return nil
        }
        guard let format = node.string("data_format") else { return 3 }
        return ["NHWC": 3, "NCHW": 1][format]
    }

    /// The input channels of a convolution's filters.
    private static func channelsRead(_ node: NodeDefinition, _ graph: GraphIndex) -> Int? {
        guard node.has(.layer), case .image(input: 0) = node.traits.axes, node.data.count >= 2 else { return nil }
        guard let filters = graph.source(of: node.data[1])?.constant, filters.shape.rank == 4 else { return nil }
        return filters.shape[2]
    }

    /// The tensor after a node; nil if it cannot be traced any further.
    private static func result(
        _ node: NodeDefinition, _ tensor: TracedTensor, _ constants: inout GraphConstants
    ) -> TracedTensor? {
        var tensor = tensor
        switch node.traits.axes {
        case .kept: return tensor
        case .resized:
            tensor.hasAllChannels = false
            return tensor
        case .padded where node.data.count >= 2:
            // Borders are around height and width, unless they add channels.
            let widths = constants.integers(node.data[1]) ?? []
            let padded = tensor.axes.indices.filter { !widths.dropFirst(2 * $0).prefix(2).allSatisfy { $0 == 0 } }
            tensor.hasAllChannels = tensor.hasAllChannels && padded.count <= 2
            return tensor
        case .selected where node.data.count == 3:
            // A scalar index would remove an axis.
            tensor.hasAllChannels = false
            return constants.value(node.data[1])?.shape.rank == 1 ? tensor : nil
        case .permuted where node.data.count == 2:
            guard let order = constants.integers(node.data[1]), order.sorted() == Array(tensor.axes.indices)
            else { return nil }
            tensor.axes = order.map { tensor.axes[$0] }
            return tensor
        case .expanded where node.data.count == 2 && tensor.axes.count == 3:
            guard constants.integers(node.data[1]) == [0] else { return nil }
            tensor.axes.insert(nil, at: 0)
            return tensor
        case .sliced:
            let masks = ["new_axis_mask", "shrink_axis_mask", "ellipsis_mask"]
            guard masks.allSatisfy({ node.attributes[$0].map { if case .int(0) = $0 { true } else { false } } ?? true })
            else { return nil }
            tensor.hasAllChannels = false
            return tensor
        default: return nil
        }
    }
}

extension Array {
    fileprivate subscript(index: Int, default value: Element) -> Element {
        indices.contains(index) ? self[index] : value
    }
}
