/// Where operations of an ML Program are read to: a graph whose channels stand first.
///
/// What depends on constants alone is computed at once. All numbers with fractions are float32 here, whatever the program
/// has them in: it is a matter of storage and speed, not of what is computed.
struct MILReading {
    var builder = GraphBuilder(channelOrder: .first)

    /// What a name stands for.
    enum Binding: Sendable {
        case operand(Operand)
        case texts([String])
    }

    /// Adds an operation, or computes it where all its inputs are known.
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

    /// A function of two operands, either of which may be a constant.
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

    /// The operand as a value of the graph; a constant becomes a node of its own.
    mutating func edge(_ operand: Operand, _ read: MILRead) throws -> Graph.Value {
        switch operand {
        case .edge(let value, _): value
        case .constant(let tensor): try builder.add(Constant(tensor), [], name: read.name + "/constant")[0]
        }
    }
}

/// An operation of an ML Program as its rule meets it: its arguments by name.
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

    /// - Throws: `Failure` when there is no such argument, or it is not one value.
    func operand(_ key: String = "x") throws -> Operand {
        guard case .operand(let operand)? = arguments[key]?.first, arguments[key]!.count == 1 else {
            throw refused("the argument '\(key)' is missing, or is no array")
        }
        return operand
    }

    /// All values of an argument that may have several.
    func operands(_ key: String) throws -> [Operand] {
        let operands = (arguments[key] ?? []).compactMap { binding in
            if case .operand(let operand) = binding { operand } else { nil }
        }
        guard !operands.isEmpty, operands.count == arguments[key]?.count else {
            throw refused("the argument '\(key)' is missing, or is no list of arrays")
        }
        return operands
    }

    /// The image that the operation reads: batch, channel, height, width.
    func image(_ key: String = "x") throws -> Operand {
        let operand = try operand(key)
        guard operand.shape.rank == 4 else { throw Failure.wrongRank(4, operand.shape).at(place) }
        return operand
    }

    // MARK: Constants

    /// A constant; numbers with fractions come as float32.
    func constant(_ key: String) throws -> Tensor {
        guard let tensor = try operand(key).constant else {
            throw refused("the argument '\(key)' is computed", remedy: "a constant is supported")
        }
        return tensor
    }

    /// A constant that must have one number for each of `count` channels.
    func channels(_ key: String, _ count: Int) throws -> Tensor {
        let tensor = try constant(key)
        guard tensor.elementCount == count else {
            throw refused("'\(key)' has \(tensor.elementCount) numbers", remedy: "\(count) are expected")
        }
        return tensor.reshaped([count])
    }

    func integers(_ key: String, default value: [Int]? = nil) throws -> [Int] {
        if let value, !has(key) { return value }
        return try constant(key).integers
    }

    func integer(_ key: String, default value: Int? = nil) throws -> Int {
        let integers = try integers(key, default: value.map { [$0] })
        guard integers.count == 1 else { throw refused("the argument '\(key)' is not one number") }
        return integers[0]
    }

    func number(_ key: String, default value: Float? = nil) throws -> Float {
        if let value, !has(key) { return value }
        let floats = try constant(key).floats
        guard floats.count == 1 else { throw refused("the argument '\(key)' is not one number") }
        return floats[0]
    }

    func bool(_ key: String, default value: Bool) throws -> Bool {
        try integer(key, default: value ? 1 : 0) != 0
    }

    func text(_ key: String, default value: String? = nil) throws -> String {
        if let value, !has(key) { return value }
        guard case .texts(let texts)? = arguments[key]?.first, texts.count == 1 else {
            throw refused("the argument '\(key)' is missing, or is no text")
        }
        return texts[0]
    }

    /// An axis of an array, counted from the front.
    func axis(_ operand: Operand, _ key: String = "axis", default value: Int? = nil) throws -> Int {
        let axis = try integer(key, default: value)
        return try naming(place: place) { try operand.shape.axis(axis) }
    }

    /// Axes of an array, counted from the front, rising; all where the argument is left out.
    func axes(_ operand: Operand, _ key: String = "axes") throws -> [Int] {
        guard has(key) else { return Array(operand.shape.indices) }
        let axes = try naming(place: place) { try integers(key).map { try operand.shape.axis($0) } }
        guard Set(axes).count == axes.count else { throw refused("the axes \(axes) stand twice") }
        return axes.sorted()
    }
}

/// How operations of certain kinds enter a graph.
struct MILRule: Sendable {
    /// The operations' kinds, as programs name them.
    let kinds: [String]
    /// Adds what the operation computes and returns one operand an output.
    let build: @Sendable (MILRead, inout MILReading) throws -> [Operand]

    init(_ kinds: String..., build: @escaping @Sendable (MILRead, inout MILReading) throws -> [Operand]) {
        self.init(kinds: kinds, build: build)
    }

    init(kinds: [String], build: @escaping @Sendable (MILRead, inout MILReading) throws -> [Operand]) {
        self.kinds = kinds
        self.build = build
    }
}
