/// Unrolls loops that map over the encoded images of a batch: they run once for one image.
///
/// `tf.map_fn` stores the results in a tensor list, or a tensor array in TensorFlow 1, and stacks them after the loop. The
/// stack is replaced by the only result with a batch axis.
struct UnrolledMaps {
    /// The graph as it is written out.
    private var result: GraphIndex
    /// The graph as it was.
    private let graph: GraphIndex

    /// - Throws: `Failure` for two nodes with the same name.
    static func run(_ graph: GraphIndex) throws -> GraphIndex {
        guard graph.nodes.contains(where: { isStack($0) }) else { return graph }
        var maps = UnrolledMaps(result: graph, graph: graph)
        for (index, node) in graph.nodes.enumerated() where isStack(node) { try maps.unroll(index) }
        return maps.result
    }

    private static func isStack(_ node: NodeDefinition) -> Bool {
        node.op == "TensorListStack" || node.op.hasPrefix("TensorArrayGather")
    }

    private mutating func unroll(_ index: Int) throws {
        let stack = graph.nodes[index]
        guard let value = stack.op == "TensorListStack" ? item(ofListIn: stack) : item(ofArrayIn: stack) else { return }
        let axis = stack.name + "/batch_axis"
        try result.append(.constant(axis, Tensor(integers: [0], shape: [])))
        result.replace(index, by: NodeDefinition(name: stack.name, op: "ExpandDims", inputs: [value, axis]))
    }

    // MARK: TensorFlow 2

    /// The element that the body of a loop, which has replaced the loop by now, stores in a list.
    private func item(ofListIn stack: NodeDefinition) -> String? {
        guard let set = graph.source(of: stack.data.first), set.op == "TensorListSetItem", set.data.count == 3 else {
            return nil
        }
        return set.data[2]
    }

    // MARK: TensorFlow 1

    /// The element that a loop over strings writes, for loops made of control-flow nodes.
    private mutating func item(ofArrayIn stack: NodeDefinition) -> String? {
        guard stack.data.count == 3, let exit = graph.source(of: stack.data[2]), exit.op == "Exit",
            let merge = graph.source(of: graph.source(of: exit.data.first)?.data.first), merge.has(.merge),
            merge.data.count == 2,
            let next = graph.source(of: merge.data[1]), next.has(.iteration),
            let write = graph.source(of: next.data.first), write.op.hasPrefix("TensorArrayWrite"),
            write.data.count == 4,
            let enter = graph.source(of: merge.data[0]), let frame = enter.string("frame_name"),
            let body = try? graph.nodes(neededBy: [GraphIndex.Reference(write.data[2]).node])
        else { return nil }
        let readsFiles = body.contains { $0.op.hasPrefix("TensorArrayRead") && $0.dataType == .string }
        guard readsFiles else { return nil }
        // Values from outside the loop are the same in every iteration.
        for (index, node) in graph.nodes.enumerated()
        where node.op == "Enter" && node.string("frame_name") == frame && node.flag("is_constant") {
            result.replace(index, by: NodeDefinition(name: node.name, op: "Identity", inputs: node.inputs))
        }
        return write.data[2]
    }
}
