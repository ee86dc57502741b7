/// TensorFlow operations that have no effect at inference. They are removed during import.
enum PassThrough {
    static let tensorFlow = [
        passing("Identity", roles: [.identity, .rewording, .totalArithmetic, .averaging]),
        passing("StopGradient", roles: [.identity, .comparison, .averaging]),
        passing("CheckNumerics", roles: [.identity, .check]),
        // Anything that Print prints is lost.
        passing("PreventGradient", "Snapshot", "EnsureShape", "Print", roles: .identity),
        passing("PlaceholderWithDefault", roles: [.identity, .defaultPlaceholder]),
        TensorFlowRule("IdentityN", axes: .kept, roles: []) { node, _ in node.inputs },
        biasAdd("BiasAdd", axes: .image(input: 0)), biasAdd("BiasAddV1", axes: .channelsLast),
    ]

    private static func passing(_ ops: String..., roles: TensorFlowRoles) -> TensorFlowRule {
        TensorFlowRule(ops, axes: .kept, roles: roles) { node, _ in [try node.input(0)] }
    }

    private static func biasAdd(_ op: String, axes: ImageAxes) -> TensorFlowRule {
        TensorFlowRule(op, axes: axes, roles: .affine) { node, context in
            let bias = try node.constant(1, "bias")
            guard bias.shape.rank == 1 else { throw Failure.weightShape(bias.shape, "one axis") }
            let input = try node.input(0)
            let rank = input.shape.rank
            if rank != 4, try node.string("data_format", default: "NHWC") == "NCHW" {
                // The channels are always the second axis.
                let shape = Shape([bias.elementCount] + [Int](repeating: 1, count: max(0, rank - 2)))
                return [try context.combine(.add, input, .constant(bias.reshaped(shape)), name: node.name)]
            }
            return [
                try context.image(node, input) { input, context in
                    try context.combine(.add, input, .constant(bias), name: node.name)
                }
            ]
        }
    }
}
