/// How nodes of certain TensorFlow operations are imported.
struct TensorFlowRule: Sendable {
    /// The names of the TensorFlow operations, as in `NodeDefinition.op`.
    let ops: [String]
    /// Adds the equivalent operations and returns one operand per output.
    let build: @Sendable (TensorFlowNode, inout ImportContext) throws -> [Operand]

    init(
        _ ops: String..., build: @escaping @Sendable (TensorFlowNode, inout ImportContext) throws -> [Operand]
    ) {
        self.ops = ops
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
