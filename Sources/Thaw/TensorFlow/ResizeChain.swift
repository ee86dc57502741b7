/// The chain of nodes from a decoded image, or one of unknown size, to its resize. Each node is the only consumer of
/// the previous one.
struct ResizeChain {
    /// The node that adds a batch axis, if there is one.
    private(set) var expansion: String?
    /// The node that resizes, and its target size.
    private(set) var resize: String?
    private(set) var target: ImageSize?
    /// The nodes that reverse the channels.
    private(set) var reversals: Set<String> = []
    /// The shape to which the graph reshapes the image instead of resizing: optional batch, height, width, channel.
    private(set) var reshaped: [Int]?

    /// - Parameter rank: The rank of the input, if it is known.
    init(
        from input: GraphIndex.Reference, rank: Int?, through nodes: [NodeDefinition],
        _ constants: inout GraphConstants
    ) {
        var consumers: [GraphIndex.Reference: [NodeDefinition]] = [:]
        for node in nodes {
            for text in node.data { consumers[GraphIndex.Reference(text), default: []].append(node) }
        }
        var head = input
        var passed = 0
        while let next = consumers[head], next.count == 1, passed <= nodes.count,
            pass(next[0], reading: head, rank: rank, &constants)
        {
            passed += 1
            head = GraphIndex.Reference(next[0].name)
        }
    }

    /// Records what a node does to the image.
    /// - Returns: Whether the chain continues after it.
    private mutating func pass(
        _ node: NodeDefinition, reading head: GraphIndex.Reference, rank: Int?, _ constants: inout GraphConstants
    ) -> Bool {
        // A cast that rounds does not commute with resizing.
        if node.has([.identity, .cast]) { return !ResizeChain.rounds(node) }
        if node.traits.axes == .expanded, node.data.count == 2, expansion == nil {
            guard constants.integers(node.data[1]) == [0] else { return false }
            expansion = node.name
            return true
        }
        if node.has(.affine) {
            guard let other = node.data.first(where: { GraphIndex.Reference($0) != head }),
                let constant = constants.value(other)
            else { return false }
            return constant.shape.rank <= 1 || constant.elementCount == 1
        }
        if node.traits.axes == .sliced, expansion == nil, ResizeChain.addsBatch(node, &constants) {
            expansion = node.name
            return true
        }
        if node.traits.axes == .sliced || node.has(.reversal) {
            let axes = rank.map { $0 + (expansion == nil ? 0 : 1) }
            guard ResizeChain.reversesChannels(node, rank: axes, &constants) else { return false }
            reversals.insert(node.name)
            return true
        }
        end(with: node, &constants)
        return false
    }

    /// Records the size that the last node gives the image.
    private mutating func end(with node: NodeDefinition, _ constants: inout GraphConstants) {
        guard node.data.count == 2, node.has([.reshape, .resize]), let sizes = constants.integers(node.data[1]) else {
            return
        }
        if node.has(.reshape) {
            guard 3...4 ~= sizes.count, sizes.suffix(3).allSatisfy({ $0 > 0 }) else { return }
            reshaped = sizes.count == 4 ? [max(1, sizes[0])] + sizes.suffix(3) : sizes
        } else {
            guard sizes.count == 2, sizes.allSatisfy({ $0 > 0 }) else { return }
            (resize, target) = (node.name, ImageSize(width: sizes[1], height: sizes[0]))
        }
    }

    /// Whether a node casts floating-point numbers to integers.
    private static func rounds(_ node: NodeDefinition) -> Bool {
        guard let from = node.type("SrcT")?.element, let to = node.type("DstT")?.element else { return false }
        return from.isFloatingPoint && !to.isFloatingPoint
    }

    /// Whether a node only adds an axis at the front: `image[None]`.
    private static func addsBatch(_ node: NodeDefinition, _ constants: inout GraphConstants) -> Bool {
        guard node.integer("new_axis_mask") == 1, node.integer("shrink_axis_mask") == 0, node.data.count == 4,
            let strides = constants.integers(node.data[3]), strides.count <= 8
        else { return false }
        let fullAxes = node.integer("begin_mask") & node.integer("end_mask") | node.integer("ellipsis_mask")
        return strides.indices.dropFirst().allSatisfy { strides[$0] == 1 && fullAxes >> $0 & 1 == 1 }
    }

    /// Whether a node reverses the channels of an image, and nothing else.
    private static func reversesChannels(
        _ node: NodeDefinition, rank: Int?, _ constants: inout GraphConstants
    ) -> Bool {
        func integers(_ input: Int) -> [Int]? {
            node.data.indices.contains(input) ? constants.integers(node.data[input]) : nil
        }
        if node.has(.reversal) {
            let axes = integers(1)
            return axes == [-1] || (axes != nil && axes == rank.map { [$0 - 1] })
        }
        guard let strides = integers(3), strides.count <= 8, strides.last == -1,
            strides.dropLast().allSatisfy({ $0 == 1 }),
            node.integer("new_axis_mask") == 0, node.integer("shrink_axis_mask") == 0
        else { return false }
        let ellipsis = node.integer("ellipsis_mask")
        let fullAxes = node.integer("begin_mask") & node.integer("end_mask") | ellipsis
        let hasAllAxes = ellipsis != 0 || strides.count == rank
        return hasAllAxes && strides.indices.allSatisfy { fullAxes >> $0 & 1 == 1 }
            && ellipsis >> (strides.count - 1) & 1 == 0
    }
}
