/// Writes out loops that map over the image files of a batch: for one image they run once.
///
/// `tf.map_fn` keeps the results in a list, or in TensorFlow 1 in an array of tensors, and stacks them behind the loop. What
/// is stacked is the one result, with an axis for the batch.
struct MappedFiles {
    private(set) var nodes: [NodeDefinition]
    private let survey: GraphSurvey

    /// - Throws: `Failure` for two nodes of one name.
    static func run(_ nodes: [NodeDefinition]) throws -> [NodeDefinition] {
        guard nodes.contains(where: { isStack($0) }) else { return nodes }
        var files = MappedFiles(nodes: nodes, survey: try GraphSurvey(nodes))
        for place in nodes.indices where isStack(nodes[place]) { files.writeOut(place) }
        return files.nodes
    }

    private static func isStack(_ node: NodeDefinition) -> Bool {
        node.op == "TensorListStack" || node.op.hasPrefix("TensorArrayGather")
    }

    private mutating func writeOut(_ place: Int) {
        let stack = nodes[place]
        guard let value = stack.op == "TensorListStack" ? item(ofListIn: stack) : item(ofArrayIn: stack) else { return }
        let axis = stack.name + "/batch_axis"
        nodes[place] = NodeDefinition(name: stack.name, op: "ExpandDims", inputs: [value, axis])
        nodes.append(
            NodeDefinition(
                name: axis, op: "Const", attributes: ["value": .tensor(Tensor(integers: [0], shape: []))]))
    }

    /// What a node reads, past identities.
    private func source(_ input: String?) -> NodeDefinition? {
        var node = input.flatMap { survey.node(GraphSurvey.Reference($0).node) }
        var steps = 0
        while let identity = node, identity.op == "Identity", let next = identity.data.first, steps < survey.nodes.count
        {
            node = survey.node(GraphSurvey.Reference(next).node)
            steps += 1
        }
        return node
    }

    // MARK: TensorFlow 2

    /// The element that the body of a loop, which stands in its place by now, sets in a list.
    private func item(ofListIn stack: NodeDefinition) -> String? {
        guard let set = source(stack.data.first), set.op == "TensorListSetItem", set.data.count == 3 else { return nil }
        return set.data[2]
    }

    // MARK: TensorFlow 1

    /// The element that a loop over strings writes, the loop being nodes that go around.
    private mutating func item(ofArrayIn stack: NodeDefinition) -> String? {
        guard stack.data.count == 3, let exit = source(stack.data[2]), exit.op == "Exit",
            let merge = source(source(exit.data.first)?.data.first), merge.op == "Merge", merge.data.count == 2,
            let next = source(merge.data[1]), next.op == "NextIteration",
            let write = source(next.data.first), write.op.hasPrefix("TensorArrayWrite"), write.data.count == 4,
            let enter = source(merge.data[0]), case .string(let frame)? = enter.attributes["frame_name"],
            let order = try? survey.order(from: [GraphSurvey.Reference(write.data[2]).node], stoppingAt: [])
        else { return nil }
        let body = order.map { survey.nodes[$0] }
        let readsFiles = body.contains { node in
            guard node.op.hasPrefix("TensorArrayRead"), case .type(.string)? = node.attributes["dtype"] else {
                return false
            }
            return true
        }
        guard readsFiles else { return nil }
        // What comes from outside is the same in every round.
        for place in nodes.indices where nodes[place].op == "Enter" {
            guard case .string(frame)? = nodes[place].attributes["frame_name"],
                case .bool(true)? = nodes[place].attributes["is_constant"]
            else { continue }
            nodes[place] = NodeDefinition(name: nodes[place].name, op: "Identity", inputs: nodes[place].inputs)
        }
        return write.data[2]
    }
}
