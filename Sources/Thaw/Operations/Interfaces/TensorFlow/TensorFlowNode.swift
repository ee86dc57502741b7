/// A TensorFlow node as its operation sees it: the definition with its inputs resolved.
struct TensorFlowNode: SourceNode {
    let definition: NodeDefinition
    let inputs: [Operand]

    var name: String { definition.name }
    var location: String { name }
    var op: String { definition.op }

    // MARK: Inputs

    /// - Throws: `Failure` if the node has fewer inputs.
    func input(_ index: Int) throws -> Operand {
        guard inputs.indices.contains(index) else { throw Failure.missingInput(name, op, index, inputs.count) }
        return inputs[index]
    }

    /// An input that must be constant.
    func constant(_ index: Int, _ role: String) throws -> Tensor {
        guard let tensor = try input(index).constant else { throw Failure.inputNotConstant(name, op, role) }
        return tensor
    }

    /// The integers of an input that must be constant.
    func integers(_ index: Int, _ role: String) throws -> [Int] {
        try integers(of: constant(index, role), "the \(role)")
    }

    /// The single integer of an input that must be constant.
    func integer(_ index: Int, _ role: String) throws -> Int {
        let values = try integers(index, role)
        guard values.count == 1 else { throw Failure.notOneNumber(name, op, role, values.count) }
        return values[0]
    }

    // MARK: Attributes, with TensorFlow's defaults

    func int(_ key: String, default value: Int) throws -> Int {
        guard let attribute = definition.attributes[key] else { return value }
        guard case .int(let int) = attribute else { throw Failure.badAttribute(name, op, key) }
        return int
    }

    func float(_ key: String, default value: Float) throws -> Float {
        guard let attribute = definition.attributes[key] else { return value }
        guard case .float(let float) = attribute else { throw Failure.badAttribute(name, op, key) }
        return float
    }

    func bool(_ key: String, default value: Bool) throws -> Bool {
        guard let attribute = definition.attributes[key] else { return value }
        guard case .bool(let bool) = attribute else { throw Failure.badAttribute(name, op, key) }
        return bool
    }

    func string(_ key: String, default value: String) throws -> String {
        guard let attribute = definition.attributes[key] else { return value }
        guard case .string(let string) = attribute else { throw Failure.badAttribute(name, op, key) }
        return string
    }

    func ints(_ key: String, default value: [Int]) throws -> [Int] {
        guard let attribute = definition.attributes[key] else { return value }
        guard case .list(let list) = attribute else { throw Failure.badAttribute(name, op, key) }
        return try list.map {
            guard case .int(let int) = $0 else { throw Failure.badAttribute(name, op, key) }
            return int
        }
    }

    /// The element type in an attribute.
    func element(_ key: String, default value: DataType? = nil) throws -> ElementType {
        var type = value
        if let attribute = definition.attributes[key] {
            guard case .type(let named) = attribute else { throw Failure.badAttribute(name, op, key) }
            type = named
        }
        guard let element = type?.element else { throw Failure.badAttribute(name, op, key) }
        return element
    }

    /// Whether the node computes with integers in TensorFlow. Its input may be floating point here: an image of type uint8,
    /// for example.
    func isInteger(_ input: Operand) -> Bool { ((try? element("T")) ?? input.type.element).bounds != nil }

    /// An error for this node, whose element type is unsupported.
    func refusedElement(_ type: String) -> Failure { Failure.elementNotNumeric(name, op, type) }

    /// An error for this node that states what is unsupported.
    func refused(_ problem: Phrase, remedy: Phrase? = nil) -> Failure { Failure.refused(name, op, problem, remedy) }
}
