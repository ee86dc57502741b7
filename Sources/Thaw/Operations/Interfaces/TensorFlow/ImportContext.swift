/// Receives the operations that a TensorFlow node is converted to.
///
/// Anything that depends only on constants is evaluated immediately by the operation's reference and remains a
/// constant.
struct ImportContext {
    var builder = GraphBuilder()

    /// The highest element count of a tensor that is computed during import. Real tensors are far smaller, but a
    /// malicious graph can request more in a few bytes.
    static let largestConstant = 1 << 26

    /// The highest number of multiply-adds for one node that is computed during import: a few seconds.
    static let largestWork = 1 << 33

    /// Adds `operation` to the graph, or evaluates it if all its inputs are constant.
    /// - Throws: `Failure` naming the node if the operation does not accept the inputs.
    mutating func add(_ operation: any Operation, _ inputs: [Operand], name: String) throws -> [Operand] {
        let constants = inputs.compactMap(\.constant)
        if constants.count == inputs.count {
            let types = try naming(place: name) { try operation.outputTypes(constants.map(\.type)) }
            for type in types
            where type.shape.checkedCount ?? .max > Self.largestConstant + (constants.first?.elementCount ?? 0) {
                throw Failure.constantTooLarge(type.shape).at(name)
            }
            guard operation.multiplyAdds(constants.map(\.type), types) <= Self.largestWork else {
                throw Failure.constantTooLarge(types[0].shape).at(name)
            }
            // Data read from a mapped file, such as parts of a partitioned variable, is no longer needed.
            defer { for constant in constants { constant.storage.release() } }
            return operation.evaluate(constants).map { .constant($0) }
        }
        let values = try inputs.map { try edge($0, name: name + "/constant") }
        return try builder.add(operation, values, name: name).map { .edge($0, builder[$0]) }
    }

    /// The same for an operation with one output.
    mutating func add(_ operation: any Operation, _ input: Operand, name: String) throws -> Operand {
        try add(operation, [input], name: name)[0]
    }

    /// The operand as a value of the graph. A constant becomes a node, in float32 if it is floating point.
    mutating func edge(_ operand: Operand, name: String) throws -> Graph.Value {
        switch operand {
        case .edge(let value, _): return value
        case .constant(let tensor):
            let value = tensor.element.isFloatingPoint ? tensor.asFloat32 : tensor
            return try builder.add(Constant(value), [], name: name)[0]
        }
    }

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
