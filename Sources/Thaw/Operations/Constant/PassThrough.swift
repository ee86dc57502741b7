/// TensorFlow operations that have no effect at inference. They are removed during import.
enum PassThrough {
    static let tensorFlow = [
        TensorFlowRule(
            "Identity", "StopGradient", "CheckNumerics", "PreventGradient", "Snapshot", "PlaceholderWithDefault",
            "EnsureShape",
            // Anything it prints is lost.
            "Print"
        ) { node, _ in [try node.input(0)] },
        TensorFlowRule("IdentityN") { node, _ in node.inputs },
        TensorFlowRule("BiasAdd", "BiasAddV1") { node, context in
            let bias = try node.constant(1, "bias")
            guard bias.shape.rank == 1 else { throw Failure.weightShape(bias.shape, "one axis") }
            return [
                try context.image(node, node.input(0)) { input, context in
                    try context.combine(.add, input, .constant(bias), name: node.name)
                }
            ]
        },
    ]
}
