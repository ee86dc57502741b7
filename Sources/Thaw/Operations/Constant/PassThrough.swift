/// TensorFlow operations that have no effect at inference. They are removed during import.
enum PassThrough {
    static let tensorFlow = [
        passing("Identity", roles: [.identity, .equivalentPrediction, .totalArithmetic, .averaging]),
        passing("StopGradient", roles: [.identity, .comparison, .averaging]),
        passing("CheckNumerics", roles: [.identity, .check]),
        // Anything that Print prints is lost.
        passing("PreventGradient", "Snapshot", "EnsureShape", "Print", roles: .identity),
        passing("PlaceholderWithDefault", roles: [.identity, .defaultPlaceholder]),
        TensorFlowRule("IdentityN", axes: .kept, roles: []) { node, _ in node.inputs },
    ]

    private static func passing(_ ops: String..., roles: TensorFlowRoles) -> TensorFlowRule {
        TensorFlowRule(ops, axes: .kept, roles: roles) { node, _ in [try node.input(0)] }
    }
}
