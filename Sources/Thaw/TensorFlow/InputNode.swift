/// Finds the image input of a graph, and replaces it by a placeholder if it is another node: an image decoder, an
/// iterator, a queue, or any node that the user names.
///
/// If the image is decoded or has an unknown size, and is resized later, the placeholder is the resized image. This is
/// possible if only elementwise arithmetic is in between, which can just as well be done after the resize.
struct InputNode {
    /// The graph with the placeholder.
    private(set) var graph: GraphIndex
    /// The placeholder's name.
    let name: String
    /// Whether the node decodes images: its channels are RGB.
    let isDecoder: Bool
    /// Whether the graph takes pixels from 0 to 255, from a decoder or as 8-bit integers.
    let takesPixels: Bool
    /// Notes about it for the user.
    private(set) var notes: [Note] = []

    /// - Parameters:
    ///   - outputs: The nodes to compute.
    ///   - given: The node that the user names.
    /// - Throws: `Failure` if the input cannot be determined.
    init(_ graph: GraphIndex, outputs: [String], given: String?, size: ImageSize?) throws {
        self.graph = graph
        let reference =
            try given.map { try graph.named($0, option: .input) } ?? InputNode.found(graph, outputs)
        name = reference.node
        let node = graph.node(name)!
        let isPlaceholder = node.has(.anyPlaceholder)
        isDecoder = node.has(.decoder)
        if isDecoder { try InputNode.checkDecoder(node) }
        takesPixels = isDecoder || node.dataType == .uint8
        // The nodes that compute a default value are not converted.
        let hasDefault = node.has(.defaultPlaceholder) && !node.data.isEmpty
        guard !isPlaceholder || hasDefault || reference.output > 0 || InputNode.leavesSizeOpen(node.shapeAttribute)
        else { return }
        var constants = GraphConstants(graph)
        var shape = InputNode.shape(reference, graph, &constants)
        if InputNode.leavesSizeOpen(shape) {
            let needed = try graph.nodes(neededBy: outputs, stoppingAt: [name])
            let chain = ResizeChain(
                from: reference, rank: isDecoder ? 3 : shape?.count, through: needed, &constants)
            if isDecoder, let reshaped = chain.reshaped { shape = reshaped }
            let target = chain.target.flatMap { target in
                size == nil || size == target ? target : nil
            }
            if InputNode.takesBatch(chain, isDecoder: isDecoder, isResized: target != nil, shape) {
                shape = [1, -1, -1, shape?.last ?? -1]
            }
            try removeIncluded(chain, isResized: target != nil, hasBatch: shape?.count == 4)
            if let target {
                shape = [shape?.first.map { max(1, $0) } ?? 1, target.height, target.width, shape?.last ?? -1]
                notes.append(.sizeOfResize(target, at: chain.resize!))
            }
        }
        if given == nil, !isPlaceholder {
            notes.append(.inputReplaced(name, node.op))
        }
        replace(reference, node, isPlaceholder: isPlaceholder, shape)
    }

    /// - Throws: `Failure` if the node crops the image, or decodes it to anything but bytes: photos would differ from its
    ///   result.
    private static func checkDecoder(_ node: NodeDefinition) throws {
        if let type = node.dataType, type != .uint8 {
            throw Failure.decodedNotBytes(node.name, node.op, type.element?.rawValue ?? "\(type)")
        }
        if node.has(.cropping) { throw Failure.cropLost(node.name, node.op) }
    }

    // MARK: Replacing

    /// Whether the placeholder includes a batch axis of size 1 that the graph adds after the image.
    private static func takesBatch(_ chain: ResizeChain, isDecoder: Bool, isResized: Bool, _ shape: [Int]?) -> Bool {
        guard isDecoder else { return isResized && shape?.count != 4 }
        return chain.reshaped == nil && (chain.expansion != nil || isResized)
    }

    /// Removes what the placeholder includes: the resize, and the added batch axis.
    private mutating func removeIncluded(_ chain: ResizeChain, isResized: Bool, hasBatch: Bool) throws {
        for (index, node) in graph.nodes.enumerated() {
            if hasBatch && node.name == chain.expansion || isResized && node.name == chain.resize {
                graph.replace(index, by: .identity(node.name, of: node.data[0]))
            } else if chain.reversals.contains(node.name) {
                // Along the last axis, with or without a batch axis.
                let axis = node.name + "/last_axis"
                try graph.append(.constant(axis, Tensor(integers: [-1], shape: [1])))
                graph.replace(
                    index, by: NodeDefinition(name: node.name, op: "ReverseV2", inputs: [node.data[0], axis]))
            }
        }
    }

    /// Replaces the node by a placeholder.
    private mutating func replace(
        _ reference: GraphIndex.Reference, _ node: NodeDefinition, isPlaceholder: Bool, _ shape: [Int]?
    ) {
        let index = graph.nodeIndices[name]!
        var attributes = ["shape": Attribute.shape(shape)]
        if isPlaceholder { attributes["dtype"] = node.attributes["dtype"] }
        graph.replace(index, by: NodeDefinition(name: name, op: "Placeholder", attributes: attributes))
        guard reference.output > 0 else { return }
        for consumer in Set(graph.consumers[index]).sorted() {
            var node = graph.nodes[consumer]
            node.inputs = node.inputs.map { $0 == reference.text ? name : $0 }
            graph.replace(consumer, by: node)
        }
    }

    // MARK: Finding

    /// The placeholders, decoders and iterators that the outputs depend on.
    ///
    /// - Parameter arrayInputs: Placeholders whose arrays the caller supplies; they are included even if they have a default.
    static func candidates(_ graph: GraphIndex, _ outputs: [String], arrayInputs: Set<String> = []) throws
        -> [GraphIndex
        .Reference]
    {
        let stops = Set(graph.nodes.lazy.filter { $0.has([.decoder, .iterator]) }.map(\.name))
        let needed = try graph.nodes(neededBy: outputs, stoppingAt: stops)
        var candidates: [GraphIndex.Reference] = []
        var texts: [GraphIndex.Reference] = []
        for node in needed where !node.isBooleanPlaceholder || arrayInputs.contains(node.name) {
            let isArray = node.has(.defaultPlaceholder) && arrayInputs.contains(node.name)
            if node.has(.placeholder) || isArray {
                if node.dataType == .string {
                    texts.append(GraphIndex.Reference(node.name))
                } else {
                    candidates.append(GraphIndex.Reference(node.name))
                }
            } else if stops.contains(node.name) {
                let read = needed.flatMap(\.data).map { GraphIndex.Reference($0) }.filter { $0.node == node.name }
                for reference in (read.isEmpty ? [GraphIndex.Reference(node.name)] : read)
                where !candidates.contains(reference) { candidates.append(reference) }
            }
        }
        return candidates.isEmpty ? texts : candidates
    }

    /// The only candidate.
    private static func found(_ graph: GraphIndex, _ outputs: [String]) throws -> GraphIndex.Reference {
        let candidates = try candidates(graph, outputs)
        if candidates.count == 1 { return candidates[0] }
        let needed = try graph.nodes(neededBy: outputs)
        guard candidates.isEmpty else {
            // The most image-like ones first: a scalar is not an image.
            let images = candidates.filter { graph.node($0.node)?.shapeAttribute?.count ?? 0 >= 3 }
            let others = candidates.filter { !images.contains($0) }
            throw Failure.severalInputs(
                (images + others).map(\.text) + needed.filter(\.isBooleanPlaceholder).map(\.name),
                settable: Set(needed.filter { $0.has(.anyPlaceholder) }.map(\.name)),
                haveOpenSizes: images.count > 1
                    && images.contains { leavesSizeOpen(graph.node($0.node)?.shapeAttribute) })
        }
        // A graph may have a default for its only input.
        let defaults = needed.filter { $0.has(.defaultPlaceholder) }
        if defaults.count == 1 { return GraphIndex.Reference(defaults[0].name) }
        throw Failure.noInput(outputs)
    }

    // MARK: The shape

    /// Whether height or width of an image is unknown.
    private static func leavesSizeOpen(_ shape: [Int]?) -> Bool {
        shape.map { $0.count < 3 || $0[($0.count - 3)...].prefix(2).contains(-1) } ?? true
    }

    /// The shape of a node's output according to the graph; nil if it is unknown.
    private static func shape(
        _ reference: GraphIndex.Reference, _ graph: GraphIndex, _ constants: inout GraphConstants
    )
        -> [Int]?
    {
        let node = graph.node(reference.node)!
        if node.has(.anyPlaceholder), reference.output == 0 { return node.shapeAttribute }
        if node.has(.decoder) {
            let channels = node.integer("channels")
            return [-1, -1, channels > 0 ? channels : 3]
        }
        let output = reference.output
        if let sizes = node.shape(in: "output_shapes", at: output) ?? node.shape(in: "_output_shapes", at: output) {
            return sizes
        }
        if node.has(.dequeuing),
            let queue = node.data.first.flatMap({ graph.producer(of: $0) }),
            let sizes = queue.shape(in: "shapes", at: output)
        {
            return node.has(.dequeuingBatch) ? [-1] + sizes : sizes
        }
        guard node.data.count >= 2, let sizes = constants.integers(node.data[1]) else { return nil }
        if node.has(.reshape) { return sizes.map { max($0, -1) } }
        if node.has(.resize), sizes.count == 2 { return [-1, sizes[0], sizes[1], -1] }
        return nil
    }
}
