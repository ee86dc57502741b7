/// How nodes of certain TensorFlow operations are imported, and what is known of them before.
struct TensorFlowRule: Sendable {
    /// The names of the TensorFlow operations, as in `NodeDefinition.op`.
    let ops: [String]
    let traits: TensorFlowTraits
    /// Adds the equivalent operations and returns one operand per output.
    let build: Build

    typealias Build = @Sendable (TensorFlowNode, inout ImportContext) throws -> [Operand]

    /// - Parameters:
    ///   - axes: What it does to the axes of an image.
    ///   - roles: The parts that it plays in graphs.
    init(_ ops: String..., axes: ImageAxes, roles: TensorFlowRoles, build: @escaping Build) {
        self.init(ops, axes: axes, roles: roles, build: build)
    }

    init(_ ops: [String], axes: ImageAxes, roles: TensorFlowRoles, build: @escaping Build) {
        self.ops = ops
        traits = TensorFlowTraits(axes: axes, roles: roles)
        self.build = build
    }
}

extension ImportContext {
    /// Adds an operation on an image that is in the order of the node's `data_format`.
    ///
    /// - Parameter body: Receives the image as batch, height, width, channel and returns the result in the same
    ///   order.
    mutating func image(
        _ node: TensorFlowNode, _ input: Operand, _ body: (Operand, inout ImportContext) throws -> Operand
    ) throws -> Operand {
        switch try node.string("data_format", default: "NHWC") {
        case "NHWC": return try body(input, &self)
        case "NCHW":
            guard input.shape.rank == 4 else { return try body(input, &self) }
            let last = try add(Transpose(Graph.toLast), input, name: node.name + "/to_nhwc")
            return try add(Transpose(Graph.toFirst), body(last, &self), name: node.name + "/to_nchw")
        case let format: throw node.refused("the data format \(format) is not supported", remedy: "NHWC and NCHW are")
        }
    }
}
