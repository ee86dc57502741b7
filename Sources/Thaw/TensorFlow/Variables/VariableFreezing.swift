/// Freezes a graph: replaces its variables by their values.
struct VariableFreezing {
    private let graph: GraphDefinition
    /// The key of a variable in a checkpoint and the part of it, by the variable's node, as the graph itself or the
    /// graph of objects says.
    private var restored: [String: (key: String, part: [Range<Int>]?)] = [:]
    /// The nodes that initialize variables.
    private var initializers: [String: String] = [:]

    /// The graph with a constant for each variable that the outputs need.
    ///
    /// - Parameters:
    ///   - indexed: The same graph with an index.
    ///   - outputs: The nodes to compute; nodes that only others need are omitted.
    ///   - keys: The keys of variables in a checkpoint, by the variable's node, if they are certain.
    ///   - value: The value of a variable by its key or name, or of a part of it; nil if there is none.
    ///   - source: The file that the values come from, for error messages.
    /// - Throws: `Failure` naming the node and the variable if one is missing or has another shape or type.
    static func frozen(
        _ graph: GraphDefinition, _ indexed: GraphIndex, outputs: [String], keys: [String: String], source: String?,
        value: (String, [Range<Int>]?) throws -> Tensor?
    ) throws -> GraphDefinition {
        let names = outputs.map { GraphIndex.Reference($0).node }
        // An output inside a function needs the nodes that call the function.
        let isInside = names.contains { indexed.node($0) == nil }
        var order = try indexed.order(from: isInside ? graph.nodes.map(\.name) : names)
        let needed = isInside ? [] : Set(order)
        // The moving averages of batch normalization in training mode are found by their updates.
        let updates = isInside ? [] : TrainingNormalization.updates(in: indexed, by: order)
        if !updates.isEmpty, let more = try? indexed.order(from: names + updates) { order = more }
        let freezing = VariableFreezing(graph, indexed, keys)
        var constants = GraphConstants(indexed)
        var result = GraphDefinition(nodes: [], functions: graph.functions)
        result.nodes = try order.map { index in
            let node = indexed.nodes[index]
            guard node.has(.variable) else { return node.reading }
            let isNeeded = needed.contains(index)
            guard let tensor = try freezing.value(of: node, &constants, source, value, isNeeded: isNeeded) else {
                return node
            }
            return .constant(node.name, tensor)
        }
        for index in result.functions.indices {
            result.functions[index].nodes = result.functions[index].nodes.map(\.reading)
        }
        return result
    }

    private init(_ graph: GraphDefinition, _ indexed: GraphIndex, _ keys: [String: String]) {
        self.graph = graph
        restored = keys.mapValues { (key: $0, part: nil) }
        for node in graph.nodes where node.has(.assignment) && node.data.count >= 2 {
            let variable = GraphIndex.Reference(node.data[0]).node
            if let restoration = VariableFreezing.restoration(
                node.data[1], indexed.node, endpoint: GraphIndex.Reference.init)
            {
                restored[variable] = restored[variable] ?? restoration
            } else {
                initializers[variable] = initializers[variable] ?? node.data[1]
            }
        }
        readFunctions()
    }

    /// TensorFlow 2 restores in a function that is called with the variables' handles.
    private mutating func readFunctions() {
        let functions = graph.functions.filter { $0.nodes.contains { $0.op == "RestoreV2" } }.firstByKey(\.name)
        guard !functions.isEmpty else { return }
        for call in graph.nodes {
            guard let name = call.function("f"), let function = functions[name] else { continue }
            let handles = Dictionary(zip(function.inputs, call.data), uniquingKeysWith: { $1 })
            let body = function.nodes.firstByKey(\.name)
            for node in function.nodes where node.has(.assignment) && node.data.count >= 2 {
                guard let handle = handles[node.data[0]] else { continue }
                let variable = GraphIndex.Reference(handle).node
                restored[variable] =
                    restored[variable]
                    ?? VariableFreezing.restoration(
                        node.data[1], { body[$0] }, endpoint: { VariableFreezing.endpoint($0, body, functions) })
            }
        }
    }

    /// The output of a node in the body of a function that a reference there means; nil if it means another value.
    private static func endpoint(
        _ text: String, _ body: [String: NodeDefinition], _ functions: [String: FunctionDefinition]
    ) -> GraphIndex.Reference? {
        let inside = FunctionReference(text)
        guard let node = body[inside.node], let output = inside.outputIndex(of: node.op, functions) else { return nil }
        var reference = GraphIndex.Reference(node.name)
        reference.output = output
        return reference
    }

    /// The operations that read variables from a checkpoint, the oldest of them one variable or one part each.
    private static let restoring: Set = ["RestoreV2", "RestoreSlice", "Restore"]

    /// The key by which a node reads the value that reaches `input` through identities.
    private static func restoration(
        _ input: String, _ node: (String) -> NodeDefinition?, endpoint: (String) -> GraphIndex.Reference?
    ) -> (key: String, part: [Range<Int>]?)? {
        guard var reference = endpoint(input) else { return nil }
        var steps = 0
        while let identity = node(reference.node), identity.has(.identity), steps < 8,
            let next = identity.data.first.flatMap(endpoint)
        {
            reference = next
            steps += 1
        }
        guard let source = node(reference.node), restoring.contains(source.op), source.data.count >= 2 else {
            return nil
        }
        func strings(_ input: String) -> [String] {
            let list = endpoint(input).flatMap { node($0.node)?.attributes["value"] }
            guard case .list(let list)? = list else { return [] }
            return list.map { if case .string(let string) = $0 { string } else { "" } }
        }
        let names = strings(source.data[1])
        let parts = source.data.count > 2 ? strings(source.data[2]) : []
        guard names.indices.contains(reference.output) else { return nil }
        return (names[reference.output], parts.indices.contains(reference.output) ? part(parts[reference.output]) : nil)
    }

    /// The ranges in `"4 3 0,2:0,3"`: sizes of the whole, then start and length along each axis, `-` being all of it.
    private static func part(_ text: String) -> [Range<Int>]? {
        let words = text.split(separator: " ")
        let sizes = words.dropLast().map { Int($0) ?? 0 }
        guard let ranges = words.last?.split(separator: ":"), ranges.count == sizes.count else { return nil }
        let result = zip(ranges, sizes).compactMap { text, size -> Range<Int>? in
            if text == "-" { return 0..<max(0, size) }
            let numbers = text.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 2, numbers.allSatisfy({ (0...1 << 40).contains($0) }) else { return nil }
            return numbers[0]..<numbers[0] + numbers[1]
        }
        return result.count == sizes.count ? result : nil
    }

    // MARK: Values

    private func value(
        of node: NodeDefinition, _ constants: inout GraphConstants, _ source: String?,
        _ value: (String, [Range<Int>]?) throws -> Tensor?, isNeeded: Bool
    ) throws -> Tensor? {
        let file = source ?? ""
        if let (key, part) = restored[node.name] {
            guard let tensor = try value(key, part) else {
                if isNeeded { throw Failure.variableMissing(node.name, node.op, key, file) }
                return nil
            }
            return try node.checked(tensor, key, file)
        }
        var keys = [node.name]
        if let shared = node.string("shared_name"), !shared.isEmpty { keys.insert(shared, at: 0) }
        for key in keys {
            if let tensor = try value(key, nil) { return try node.checked(tensor, key, file) }
        }
        // A variable that the checkpoint does not contain keeps its initial value.
        if let initializer = initializers[node.name], let tensor = constants.value(initializer) {
            return try node.checked(tensor, node.name, file)
        }
        guard isNeeded else { return nil }
        throw source == nil
            ? Failure.givenVariableMissing(node.name, node.op)
            : Failure.variableMissing(node.name, node.op, keys[0], file)
    }
}

extension NodeDefinition {
    /// The node if variables are constants: reading one is an identity.
    fileprivate var reading: NodeDefinition {
        var node = self
        if op == "ReadVariableOp" { node.op = "Identity" }
        if op == "ResourceGather" { node.op = "Gather" }
        return node
    }

    /// The value of a variable, if it has the type and shape that the node declares.
    fileprivate func checked(_ tensor: Tensor, _ key: String, _ file: String) throws -> Tensor {
        var declared = ""
        if case .shape(let sizes?)? = attributes["shape"] {
            declared = Shape(sizes).description
            guard sizes.count == tensor.shape.rank, zip(sizes, tensor.shape).allSatisfy({ $0 < 0 || $0 == $1 }) else {
                throw Failure.variableType(name, op, key, declared, tensor.shape.description, file)
            }
        }
        if let element = dataType?.element, element != tensor.element {
            throw Failure.variableType(
                name, op, key, element.rawValue + declared, tensor.element.rawValue + tensor.shape.description, file)
        }
        return tensor
    }
}
