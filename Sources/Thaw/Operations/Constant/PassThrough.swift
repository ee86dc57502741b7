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
            let input = try node.input(0)
            // Keras computes sums of two tensors in this way if one of them is a vector.
            func bias() throws -> Operand {
                let bias = try node.input(1)
                guard bias.shape.rank == 1 else { throw Failure.weightShape(bias.shape, "one axis") }
                return bias
            }
            let rank = input.shape.rank
            if rank != 4, try node.string("data_format", default: "NHWC") == "NCHW" {
                // The channels are always the second axis.
                let shape = try Shape(bias().shape + [Int](repeating: 1, count: max(0, rank - 2)))
                let column = try context.add(Reshape(shape), bias(), name: node.name + "/bias")
                return [try context.combine(.add, input, column, name: node.name)]
            }
            return [
                try context.image(node, input) { input, context in
                    try context.combine(.add, input, bias(), name: node.name)
                }
            ]
        }
    }
}
