/// The destination of an ML Program being read: a channels-first graph.
///
/// Anything that depends only on constants is evaluated immediately. All floating-point values become float32,
/// whatever type the program uses: that affects storage and speed, not the meaning.
struct MILReading {
    var builder = GraphBuilder(channelOrder: .first)

    /// What a name refers to.
    enum Binding: Sendable {
        case operand(Operand)
        case texts([String])
    }

    /// Adds an operation, or evaluates it if all its inputs are constant.
    mutating func add(_ operation: any Operation, _ inputs: [Operand], _ read: MILRead) throws -> [Operand] {
        let constants = inputs.compactMap(\.constant)
        if constants.count == inputs.count, !inputs.isEmpty {
            let types = try naming(place: read.place) {
                try builder.graph.outputTypes(of: operation, constants.map(\.type))
            }
            for type in types where type.shape.checkedCount ?? .max > ImportContext.largestConstant {
                throw Failure.constantTooLarge(type.shape).at(read.place)
            }
            guard operation.multiplyAdds(constants.map(\.type), types) <= ImportContext.largestWork else {
                throw Failure.constantTooLarge(types[0].shape).at(read.place)
            }
            return builder.graph.evaluate(operation, constants).map { .constant($0) }
        }
        let values = try inputs.map { try edge($0, read) }
        return try builder.add(operation, values, name: read.name).map { .edge($0, builder[$0]) }
    }

    /// The same for an operation with one output.
    mutating func add(_ operation: any Operation, _ input: Operand, _ read: MILRead) throws -> Operand {
        try add(operation, [input], read)[0]
    }

    /// A binary function in which either operand may be constant.
    mutating func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand, _ read: MILRead) throws -> Operand {
        switch (a, b) {
        case (.edge(_, let type), .constant(let tensor)):
            return try add(Binary(function, constant: tensor.converted(to: type.element)), a, read)
        case (.constant(let tensor), .edge(_, let type)):
            return try add(
                Binary(function, constant: tensor.converted(to: type.element), constantFirst: true), b, read)
        default: return try add(Binary(function), [a, b], read)[0]
        }
    }

    /// The operand as a value of the graph; a constant becomes a node.
    mutating func edge(_ operand: Operand, _ read: MILRead) throws -> Graph.Value {
        switch operand {
        case .edge(let value, _): value
        case .constant(let tensor): try builder.add(Constant(tensor), [], name: read.name + "/constant")[0]
        }
    }
}

/// An operation of an ML Program, as its rule sees it, with its arguments by name.
struct MILRead {
    let name: String
    let kind: String
    let arguments: [String: [MILReading.Binding]]
    let outputCount: Int

    var node: Failure.Node { Failure.Node(name: name, op: kind) }
    var place: String { "operation '\(name)' (\(kind))" }

    func refused(_ problem: String, remedy: String? = nil) -> Failure {
        Failure(.unsupportedOperations, place: place, problem, remedy: remedy, nodes: [node])
    }

    func has(_ key: String) -> Bool { arguments[key] != nil }

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
        guard operand.shape.rank == 4 else { throw Failure.wrongRank(4, operand.shape).at(place) }
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
            throw refused("'\(key)' has \(tensor.elementCount) values", remedy: "\(count) are expected")
        }
        return tensor.reshaped([count])
    }

    func integers(_ key: String, default value: [Int]? = nil) throws -> [Int] {
        if let value, !has(key) { return value }
        return try constant(key).integers
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

    func bool(_ key: String, default value: Bool) throws -> Bool {
        try integer(key, default: value ? 1 : 0) != 0
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
        return try naming(place: place) { try operand.shape.axis(axis) }
    }

    /// Axes of a tensor, counted from the front, ascending; all of them if the argument is missing.
    func axes(_ operand: Operand, _ key: String = "axes") throws -> [Int] {
        guard has(key) else { return Array(operand.shape.indices) }
        let axes = try naming(place: place) { try integers(key).map { try operand.shape.axis($0) } }
        guard Set(axes).count == axes.count else { throw refused("the axes \(axes) contain duplicates") }
        return axes.sorted()
    }
}

/// How operations of certain kinds are imported.
struct MILRule: Sendable {
    /// The kinds of operations, as programs name them.
    let kinds: [String]
    /// Adds the equivalent operations and returns one operand per output.
    let build: @Sendable (MILRead, inout MILReading) throws -> [Operand]

    init(_ kinds: String..., build: @escaping @Sendable (MILRead, inout MILReading) throws -> [Operand]) {
        self.init(kinds: kinds, build: build)
    }

    init(kinds: [String], build: @escaping @Sendable (MILRead, inout MILReading) throws -> [Operand]) {
        self.kinds = kinds
        self.build = build
    }
}
