/// Where operations put what a TensorFlow node becomes.
///
/// What depends on constants alone is computed at once by the operation's reference and stays a constant.
struct ImportContext {
    var builder = GraphBuilder()

    /// The elements that an array computed while a graph is read may have at most. Real ones have far less; a hostile graph
    /// asks for more in a few bytes.
    static let largestConstant = 1 << 26

    /// The multiply-adds that one node computed while a graph is read may take: some seconds.
    static let largestWork = 1 << 33

    /// Adds `operation` to the graph, or computes it where all its inputs are known.
    /// - Throws: `Failure` naming the node when the operation cannot take the inputs.
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
            // What was read of a mapped file, the parts of a partitioned variable for one, has done its service.
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

    /// The operand as a value of the graph; a constant becomes a node of its own, as float32 if it has fractions.
    mutating func edge(_ operand: Operand, name: String) throws -> Graph.Value {
        switch operand {
        case .edge(let value, _): return value
        case .constant(let tensor):
            let value = tensor.element.isFloatingPoint ? tensor.asFloat32 : tensor
            return try builder.add(Constant(value), [], name: name)[0]
        }
    }

    /// Adds an operation whose image input stands in the order that the node's `data_format` says.
    ///
    /// - Parameter body: Gets the image as batch, height, width, channel and returns the result in the same order.
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

/// How nodes of certain TensorFlow operations enter a graph.
struct TensorFlowRule: Sendable {
    /// The TensorFlow operations, as `NodeDefinition.op` has them.
    let ops: [String]
    /// Adds what the node computes and returns one operand an output.
    let build: @Sendable (TensorFlowNode, inout ImportContext) throws -> [Operand]

    init(
        _ ops: String..., build: @escaping @Sendable (TensorFlowNode, inout ImportContext) throws -> [Operand]
    ) {
        self.ops = ops
        self.build = build
    }
}
