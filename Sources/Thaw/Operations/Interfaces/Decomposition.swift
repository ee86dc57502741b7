/// A dialect of Core ML's model format. Operations that it lacks are decomposed before a graph is written in it.
enum CoreMLDialect: Sendable {
    /// Neural networks.
    /// - Parameter target: The oldest system that must be able to load the model; nil if any may be required.
    case neuralNetwork(NeuralArrays, target: CoreMLVersion? = nil)
    case program
    /// ML Programs that have operations for quantized values: iOS 17 and later.
    case quantizedProgram

    /// The highest rank that Core ML supports.
    static let maximumRank = 5

    /// Whether it has operations that quantize values.
    var hasQuantization: Bool {
        if case .quantizedProgram = self { true } else { false }
    }

    var isProgram: Bool {
        switch self {
        case .neuralNetwork: false
        case .program, .quantizedProgram: true
        }
    }
}

/// An operation that Core ML can compute, as one layer or decomposed into others.
protocol CoreMLOperation: Operation {
    /// Adds simpler operations that together compute this one, if the dialect has no layer for it.
    ///
    /// - Returns: Their result, or nil if the operation is written directly.
    /// - Throws: `Failure` if the dialect cannot express a part.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand?
}

extension CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? { nil }
}

/// Receives the parts of operations that are decomposed. Parts that depend only on constants are evaluated.
struct Decomposition {
    let dialect: CoreMLDialect
    /// Contains the builder of the graph that the parts are added to.
    var context = ImportContext()
    /// The node that is decomposed, for messages.
    private var node = ""
    /// The name of the node or part that is decomposed.
    private var name = ""
    private var isInFloat32 = false

    init(_ dialect: CoreMLDialect) { self.dialect = dialect }

    /// The result of an operation with these inputs, decomposed; nil if it is written directly.
    mutating func result(
        of operation: any CoreMLOperation, _ inputs: [Operand], node name: String
    ) throws -> Operand? {
        (node, self.name) = (name, name)
        return try operation.decompose(inputs, into: &self)
    }

    /// Adds a part with one output, itself decomposed if necessary.
    ///
    /// - Parameter part: The name of the part within the node; nil for the last part, which takes the node's name.
    mutating func add(_ operation: any Operation, _ inputs: Operand..., as part: String? = nil) throws -> Operand {
        let whole = name
        if let part { name = "\(whole)/\(part)" }
        defer { name = whole }
        if let operation = operation as? any CoreMLOperation, let result = try operation.decompose(inputs, into: &self)
        {
            return result
        }
        return try addDirectly(operation, inputs)
    }

    /// Adds an operation that is written directly: the last part of a decomposition may be the operation itself.
    mutating func addDirectly(_ operation: any Operation, _ inputs: [Operand]) throws -> Operand {
        let result = try context.add(isInFloat32 ? InFloat32(operation) : operation, inputs, name: name)[0]
        guard result.shape.rank <= CoreMLDialect.maximumRank else {
            throw Failure.tooManyAxes(node, operation.kind, result.shape.rank)
        }
        return result
    }

    /// Adds parts that follow one another; the last takes the node's name.
    mutating func add(_ steps: [(part: String, operation: any Operation)], to input: Operand) throws -> Operand {
        var value = input
        for (index, step) in steps.enumerated() {
            value = try add(step.operation, value, as: index == steps.count - 1 ? nil : step.part)
        }
        return value
    }

    /// Adds parts that follow one another, under numbered names.
    mutating func add(_ steps: [any Operation], to input: Operand) throws -> Operand {
        try add(steps.enumerated().map { (part: "step\($0)", operation: $1) }, to: input)
    }

    /// The operand as a computed value; a constant becomes a separate node.
    mutating func edge(_ operand: Operand) throws -> Operand {
        let value = try context.edge(operand, name: name + "/constant")
        return .edge(value, context.builder[value])
    }

    /// Adds parts that are computed in float32 even if an ML Program computes in float16.
    mutating func inFloat32(_ body: (inout Decomposition) throws -> Operand) rethrows -> Operand {
        let wasInFloat32 = isInFloat32
        isInFloat32 = dialect.isProgram
        defer { isInFloat32 = wasInFloat32 }
        return try body(&self)
    }
}
