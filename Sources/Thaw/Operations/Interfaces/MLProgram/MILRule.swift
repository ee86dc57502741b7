/// An operation of an ML Program, as its rule sees it, with its arguments by name.
struct MILRead: SourceNode {
    /// The value of an argument.
    enum Argument: Sendable {
        case operand(Operand)
        case texts([String])
    }

    let name: String
    let kind: String
    let arguments: [String: [Argument]]
    let outputCount: Int

    var node: Failure.Node { Failure.Node(name: name, op: kind) }
    var location: String { "operation '\(name)' (\(kind))" }

    func refused(_ problem: Phrase, remedy: Phrase? = nil) -> Failure {
        Failure(.unsupportedOperations, location: location, problem, remedy: remedy, nodes: [node])
    }

    func has(_ key: String) -> Bool { arguments[key] != nil }

    /// - Parameter given: The names of the arguments in the operation's inputs; other arguments are attributes.
    /// - Throws: `Failure` if one is unknown, or if a required one is missing.
    func checkArguments(_ given: [String]) throws {
        guard let known = MILArguments.arguments(of: kind) else { return }
        if let unknown = given.first(where: { known[$0] == nil }) {
            throw refused("the argument '\(unknown)' is unknown")
        }
        let missing = known.filter { $1 && !has($0) }.keys
        if let first = missing.min() { throw refused("the argument '\(first)' is missing") }
    }

    // MARK: Values

    /// - Throws: `Failure` if there is no such argument, or it is not a single value.
    func operand(_ key: String = "x") throws -> Operand {
        guard case .operand(let operand)? = arguments[key]?.first, arguments[key]!.count == 1 else {
            throw refused("the argument '\(key)' is missing, or is not a tensor")
        }
        return operand
    }

    /// All values of an argument that may have several.
    func operands(_ key: String) throws -> [Operand] {
        let operands = (arguments[key] ?? []).compactMap { binding in
            if case .operand(let operand) = binding { operand } else { nil }
        }
        guard !operands.isEmpty, operands.count == arguments[key]?.count else {
            throw refused("the argument '\(key)' is missing, or is not a list of tensors")
        }
        return operands
    }

    /// The input image: batch, channel, height, width.
    func image(_ key: String = "x") throws -> Operand {
        let operand = try operand(key)
        guard operand.shape.rank == 4 else { throw Failure.wrongRank(4, operand.shape).at(location) }
        return operand
    }

    // MARK: Constants

    /// A constant, with floating-point values converted to float32.
    func constant(_ key: String) throws -> Tensor {
        guard let tensor = try operand(key).constant else {
            throw refused("the argument '\(key)' is not constant", remedy: "a constant is supported")
        }
        return tensor
    }

    /// A constant with one value for each of `count` channels.
    func channels(_ key: String, _ count: Int) throws -> Tensor {
        let tensor = try constant(key)
        guard tensor.elementCount == count else {
            throw refused("'\(key)' has \(tensor.elementCount) values", remedy: "expected \(count)")
        }
        return tensor.reshaped([count])
    }

    func integers(_ key: String, default value: [Int]? = nil) throws -> [Int] {
        if let value, !has(key) { return value }
        return try integers(of: constant(key), "the argument '\(key)'")
    }

    func integer(_ key: String, default value: Int? = nil) throws -> Int {
        let integers = try integers(key, default: value.map { [$0] })
        guard integers.count == 1 else { throw refused("the argument '\(key)' is not a single value") }
        return integers[0]
    }

    func number(_ key: String, default value: Float? = nil) throws -> Float {
        if let value, !has(key) { return value }
        let floats = try constant(key).floats
        guard floats.count == 1 else { throw refused("the argument '\(key)' is not a single value") }
        return floats[0]
    }

    func bool(_ key: String, default value: Bool? = nil) throws -> Bool {
        try integer(key, default: value.map { $0 ? 1 : 0 }) != 0
    }

    func text(_ key: String, default value: String? = nil) throws -> String {
        if let value, !has(key) { return value }
        guard case .texts(let texts)? = arguments[key]?.first, texts.count == 1 else {
            throw refused("the argument '\(key)' is missing, or is not a string")
        }
        return texts[0]
    }

    /// An axis of a tensor, counted from the front.
    func axis(_ operand: Operand, _ key: String = "axis", default value: Int? = nil) throws -> Int {
        let axis = try integer(key, default: value)
        return try naming(location: location) { try operand.shape.axis(axis) }
    }

    /// Axes of a tensor, counted from the front, ascending; all of them if the argument is missing.
    func axes(_ operand: Operand, _ key: String = "axes") throws -> [Int] {
        guard has(key) else { return Array(operand.shape.indices) }
        let axes = try naming(location: location) { try integers(key).map { try operand.shape.axis($0) } }
        guard Set(axes).count == axes.count else { throw refused("the axes \(axes) contain duplicates") }
        return axes.sorted()
    }
}

/// How operations of certain kinds are imported.
struct MILRule: Sendable {
    /// The kinds of operations, as programs name them.
    let kinds: [String]
    /// Adds the equivalent operations and returns one operand per output.
    let build: @Sendable (MILRead, inout ImportContext) throws -> [Operand]

    init(_ kinds: String..., build: @escaping @Sendable (MILRead, inout ImportContext) throws -> [Operand]) {
        self.init(kinds: kinds, build: build)
    }

    init(kinds: [String], build: @escaping @Sendable (MILRead, inout ImportContext) throws -> [Operand]) {
        self.kinds = kinds
        self.build = build
    }
}
