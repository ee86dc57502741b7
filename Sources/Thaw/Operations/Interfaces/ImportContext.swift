/// An input of a node that is imported: a tensor that is already known, or a value computed from the graph's inputs.
enum Operand: Sendable {
    case constant(Tensor)
    case edge(Graph.Value, TensorType)

    var type: TensorType {
        switch self {
        case .constant(let tensor): tensor.type
        case .edge(_, let type): type
        }
    }

    var shape: Shape { type.shape }

    var constant: Tensor? {
        if case .constant(let tensor) = self { tensor } else { nil }
    }
}

/// A node that is imported, as its rule sees it: from a TensorFlow graph, a neural network or an ML Program.
protocol SourceNode {
    /// The name of the operations that are added for it.
    var name: String { get }
    /// Its name in messages.
    var location: String { get }
    /// An error for this node that states what is unsupported.
    func refused(_ problem: Phrase, remedy: Phrase?) -> Failure
}

extension SourceNode {
    /// The maximum number of elements that are read as integers. A computed tensor may have millions, and as `[Int]` they take
    /// several times its memory.
    static var maximumIntegers: Int { 1 << 16 }

    /// The elements of a constant, which is a shape, an axis or a list of sizes.
    /// - Parameter subject: What the constant is, for messages: "the shape".
    func integers(of constant: Tensor, _ subject: Phrase) throws -> [Int] {
        guard constant.elementCount <= Self.maximumIntegers else {
            throw refused(
                "\(subject) has \(constant.elementCount) elements", remedy: "no shape or list of sizes is that long")
        }
        return constant.attributes
    }
}

/// Receives the operations that the nodes of a model in another format are converted to. All formats share it.
///
/// Anything that depends only on constants is evaluated immediately by the operation's reference and remains a
/// constant.
struct ImportContext {
    var builder: GraphBuilder

    /// The highest element count of a tensor that is computed during import, beyond that of its inputs. Real masks and
    /// grids are far smaller, but a malicious graph can request more in a few bytes.
    static let largestConstant = 1 << 22

    /// The highest work of all nodes that are computed during import, in multiply-adds: a few seconds.
    static let largestWork = 1 << 33
    private var workLeft = Self.largestWork

    /// The bytes that constants computed during import may still take: a graph of a few bytes could compute any number of them.
    var bytesLeft: Int

    /// - Parameter channelOrder: The order of an image's axes in the format.
    init(channelOrder: Graph.ChannelOrder = .channelsLast, bytesLeft: Int = Limits.runMemory) {
        builder = GraphBuilder(channelOrder: channelOrder)
        self.bytesLeft = bytesLeft
    }

    /// Adds `operation` to the graph, or evaluates it if all its inputs are constant.
    /// - Parameter location: The node's name in messages if it cannot be evaluated; nil for its usual name.
    /// - Throws: `Failure` naming the node if the operation does not accept the inputs.
    mutating func add(
        _ operation: any Operation, _ inputs: [Operand], name: String, location: String? = nil
    ) throws -> [Operand] {
        let constants = inputs.compactMap(\.constant)
        guard constants.count == inputs.count else {
            let values = try inputs.map { try edge($0, name: name + "/constant") }
            return try builder.add(operation, values, name: name).map { value in
                let type = builder[value]
                // Without elements there is nothing to compute, and Core ML has no such tensors.
                guard type.shape.elementCount == 0 else { return .edge(value, type) }
                return .constant(Tensor(shape: type.shape, element: type.element) { _ in 0 })
            }
        }
        return try naming(location: location ?? name) {
            let types = try builder.graph.outputTypes(of: operation, constants.map(\.type))
            let largest = Self.largestConstant + constants.reduce(0) { $0 + $1.elementCount }
            for type in types where type.shape.checkedCount ?? .max > largest {
                throw Failure.constantTooLarge(type.shape, limit: largest)
            }
            let work = builder.graph.work(of: operation, constants.map(\.type), types)
            guard work <= workLeft else { throw Failure.constantTooSlow(types[0].shape) }
            workLeft -= work
            // Data read from a mapped file, such as parts of a partitioned variable, is no longer needed.
            defer { for constant in constants { constant.storage.release() } }
            return try builder.graph.evaluate(operation, constants).map { .constant($0) }
        }
    }

    /// The same for an operation with one input and one output.
    mutating func add(_ operation: any Operation, _ input: Operand, name: String) throws -> Operand {
        try add(operation, [input], name: name)[0]
    }

    /// Checks the size of a constant that is computed for a node without an operation.
    /// - Throws: `Failure` if the constant would be too large, or if a size is negative.
    static func checkConstant(_ shape: Shape) throws {
        guard shape.allSatisfy({ $0 >= 0 }) else { throw Failure.impossibleShape(shape) }
        guard shape.checkedCount ?? .max <= largestConstant else { throw Failure.constantTooLarge(shape) }
    }

    /// A constant tensor with the same value everywhere.
    /// - Throws: `Failure` if it would be too large.
    static func filled(_ shape: Shape, _ number: Double, _ element: ElementType) throws -> Operand {
        try checkConstant(shape)
        return .constant(Tensor(shape: shape, element: element) { _ in number })
    }

    /// Counts the memory of the constants among a node's results, unless it is that of an input or of the file.
    /// - Throws: `Failure` if all constants that were computed take more memory than a run may.
    mutating func count(_ results: [Operand], from inputs: [Operand]) throws {
        for tensor in results.compactMap(\.constant) where tensor.storage.isComputed {
            if inputs.contains(where: { $0.constant?.storage === tensor.storage }) { continue }
            bytesLeft -= tensor.storage.byteCount
            guard bytesLeft >= 0 else { throw Failure.constantsTooLarge() }
        }
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
}

// MARK: Source nodes

extension ImportContext {
    /// Adds an operation for a node, or evaluates it if all its inputs are constant.
    mutating func add(
        _ operation: any Operation, _ inputs: [Operand], _ node: some SourceNode
    ) throws -> [Operand] {
        try add(operation, inputs, name: node.name, location: node.location)
    }

    /// The same for an operation with one input and one output.
    mutating func add(_ operation: any Operation, _ input: Operand, _ node: some SourceNode) throws -> Operand {
        try add(operation, [input], node)[0]
    }
}
