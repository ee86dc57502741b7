import Kernels

/// Which values are written directly into the result of a concatenation.
///
/// In the blocked layout, the planes of a concatenation are those of its inputs in order. So an input can be written
/// directly to the result's memory if its channels fill whole blocks and nothing else determines its location. The
/// result of one concatenation can in turn be a slice of the next.
struct ConcatenationSlices {
    struct Slice: Hashable {
        /// The value that owns the memory.
        var whole: Graph.Value
        var firstBlock: Int
    }

    private(set) var byValue: [Graph.Value: Slice] = [:]

    init() {}

    /// - Parameters:
    ///   - nodes: The nodes in execution order.
    ///   - isBlocked: Whether the producer of a value writes the blocked layout.
    init(_ graph: Graph, _ nodes: [PlannedNode], blockWidth: Int, isBlocked: (Graph.Value) -> Bool) {
        var producers: [Graph.Value: Int] = [:]
        for (index, node) in nodes.enumerated() { for output in node.outputs { producers[output] = index } }
        for node in nodes.reversed() {
            guard node.traits.joinsChannels, isBlocked(node.outputs[0]) else { continue }
            let result = node.outputs[0]
            let outer = byValue[result] ?? Slice(whole: result, firstBlock: 0)
            var firstBlock = outer.firstBlock
            for (index, input) in node.inputs.enumerated() {
                let isFirst = node.inputs.firstIndex(of: input) == index
                if isFirst, byValue[input] == nil, isBlocked(input),
                    producers[input].map({ nodes[$0].writes }) == true
                {
                    byValue[input] = Slice(whole: outer.whole, firstBlock: firstBlock)
                    byValue[outer.whole] = Slice(whole: outer.whole, firstBlock: 0)
                }
                firstBlock += graph[input].shape[3] / blockWidth
            }
        }
    }

    subscript(value: Graph.Value) -> Slice? { byValue[value] }
}

extension PlannedNode {
    /// Whether the node itself writes its output, to any location. False for nodes that only rename memory.
    fileprivate var writes: Bool { if case .own = traits.memory { true } else { false } }
}
