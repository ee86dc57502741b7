/// How nodes of certain TensorFlow operations are imported, and their traits.
struct TensorFlowRule: Sendable {
    /// The names of the TensorFlow operations, as in `NodeDefinition.op`.
    let ops: [String]
    let traits: TensorFlowTraits
    /// Adds the equivalent operations and returns one operand per output.
    let build: Build

    typealias Build = @Sendable (TensorFlowNode, inout ImportContext) throws -> [Operand]

    /// - Parameters:
    ///   - axes: The operation's effect on the axes of an image.
    ///   - roles: Its roles in graphs.
    init(_ ops: String..., axes: ImageAxes, roles: TensorFlowRoles, build: @escaping Build) {
        self.init(ops, axes: axes, roles: roles, build: build)
    }

    init(_ ops: [String], axes: ImageAxes, roles: TensorFlowRoles, build: @escaping Build) {
        self.ops = ops
        traits = TensorFlowTraits(axes: axes, roles: roles)
        self.build = build
    }
}
