/// Splits nodes that TensorFlow's optimizers fused: each is replaced by its original nodes, the last of which gets its name.
///
/// Grappler's remapper writes `_FusedConv2D` and the like (attribute `fused_ops`); `optimize_for_inference` writes
/// FusedPadConv2D and FusedResizeAndPadConv2D. Their inputs and attributes are defined in tensorflow/core/ops/nn_ops.cc.
enum Unfusing {
    private static let fused: Set<String> = [
        "_FusedConv2D", "_FusedDepthwiseConv2dNative", "_FusedMatMul", "_FusedBatchNormEx", "FusedPadConv2D",
        "FusedResizeAndPadConv2D",
    ]

    /// - Throws: `Failure` if a part has the name of another node.
    static func run(_ graph: GraphIndex) throws -> GraphIndex {
        guard graph.contains(fused) else { return graph }
        let nodes = graph.nodes.flatMap { node in
            switch node.op {
            case "_FusedConv2D": unfused(node, "Conv2D")
            case "_FusedDepthwiseConv2dNative": unfused(node, "DepthwiseConv2dNative")
            case "_FusedMatMul": unfused(node, "MatMul")
            case "_FusedBatchNormEx": batchNorm(node)
            case "FusedPadConv2D": padded(node, node.data.first.map { ($0, []) }, 1)
            case "FusedResizeAndPadConv2D": resized(node)
            default: [node]
            }
        }
        return try GraphIndex(nodes)
    }

    /// A chain of nodes, each of which reads the previous one.
    private struct Chain {
        var nodes: [NodeDefinition] = []
        let original: NodeDefinition

        mutating func add(_ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]) {
            nodes.append(
                NodeDefinition(
                    name: "\(original.name)/\(op)_\(nodes.count)", op: op, inputs: inputs,
                    attributes: original.attributes.merging(attributes) { $1 }))
        }

        var end: String { nodes[nodes.count - 1].name }

        /// The nodes; the last one gets the original's name.
        func finished() -> [NodeDefinition] {
            var nodes = nodes
            nodes[nodes.count - 1].name = original.name
            return nodes
        }
    }

    private static let activations: Set<String> = ["Relu", "Relu6", "Elu", "LeakyRelu", "Sigmoid", "Tanh"]

    private static func unfused(_ node: NodeDefinition, _ op: String) -> [NodeDefinition] {
        guard case .list(let names)? = node.attributes["fused_ops"], node.data.count >= 2 else { return [node] }
        var chain = Chain(original: node)
        chain.add(op, Array(node.data.prefix(2)))
        var arguments = node.data.dropFirst(2)
        for case .string(let name) in names {
            switch name {
            case "BiasAdd", "Add":
                guard let argument = arguments.popFirst() else { return [node] }
                chain.add(name == "Add" ? "AddV2" : name, [chain.end, argument])
            case "FusedBatchNorm":
                guard arguments.count >= 4 else { return [node] }
                chain.add("FusedBatchNormV3", [chain.end] + arguments.prefix(4), ["is_training": .bool(false)])
                arguments = arguments.dropFirst(4)
            case "LeakyRelu":
                chain.add(name, [chain.end], ["alpha": node.attributes["leakyrelu_alpha"] ?? .float(0.2)])
            case _ where activations.contains(name): chain.add(name, [chain.end])
            default: return [node]
            }
        }
        return chain.finished()
    }

    private static func batchNorm(_ node: NodeDefinition) -> [NodeDefinition] {
        guard node.data.count >= 5 else { return [node] }
        var chain = Chain(original: node)
        chain.add("FusedBatchNormV3", Array(node.data.prefix(5)))
        if node.data.count > 5 { chain.add("AddV2", [chain.end, node.data[5]]) }
        switch node.attributes["activation_mode"] {
        case .string("Identity")?, nil: break
        case .string(let name)? where activations.contains(name): chain.add(name, [chain.end])
        default: return [node]
        }
        return chain.finished()
    }

    private static func resized(_ node: NodeDefinition) -> [NodeDefinition] {
        guard node.data.count >= 4 else { return [node] }
        let resize = NodeDefinition(
            name: node.name + "/ResizeBilinear", op: "ResizeBilinear", inputs: Array(node.data.prefix(2)),
            attributes: ["align_corners": node.attributes["resize_align_corners"] ?? .bool(false)])
        return padded(node, (resize.name, [resize]), 2)
    }

    /// A mirrored padding and a convolution. The paddings are the input at `index`, the filter is the next one.
    private static func padded(_ node: NodeDefinition, _ image: (String, [NodeDefinition])?, _ index: Int)
        -> [NodeDefinition]
    {
        guard let (input, before) = image, node.data.count >= index + 2 else { return [node] }
        var chain = Chain(original: node)
        chain.nodes = before
        chain.add("MirrorPad", [input, node.data[index]])
        chain.add("Conv2D", [chain.end, node.data[index + 1]])
        return chain.finished()
    }
}
