/// A TensorFlow graph with an index: its nodes by name, their inputs and consumers, and which operations occur.
///
/// It is built when a graph is read. Steps that replace nodes keep it up to date. Those that write a new list of nodes
/// build it again: they freeze variables, inline functions, or split fused nodes.
struct GraphIndex {
    private(set) var nodes: [NodeDefinition] = []
    /// The index of each node by name.
    private(set) var nodeIndices: [String: Int] = [:]
    /// For each node, its inputs, without control inputs.
    private(set) var data: [[Reference]] = []
    /// For each node, the indices of its consumers, once for each input.
    private(set) var consumers: [[Int]] = []
    /// The number of nodes of each operation.
    private(set) var opCounts: [String: Int] = [:]

    /// - Throws: `Failure` for two nodes with the same name.
    init(_ nodes: [NodeDefinition]) throws {
        self.nodes = nodes
        nodeIndices.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            guard nodeIndices.updateValue(index, forKey: node.name) == nil else {
                throw Failure.duplicateNode(node.name)
            }
            opCounts[node.op, default: 0] += 1
        }
        data = nodes.map { $0.data.map { Reference($0) } }
        consumers = [[Int]](repeating: [], count: nodes.count)
        for index in nodes.indices { for source in sources(of: index) { consumers[source].append(index) } }
    }

    /// The indices of the nodes that a node reads.
    func sources(of index: Int) -> [Int] { data[index].compactMap { nodeIndices[$0.node] } }

    /// Whether there is a node with one of these operations.
    func contains(_ ops: Set<String>) -> Bool { ops.contains { opCounts[$0] != nil } }

    /// Whether there is a node with one of these roles.
    func contains(_ roles: TensorFlowRoles) -> Bool {
        opCounts.keys.contains { !TensorFlowTraits.of($0).roles.isDisjoint(with: roles) }
    }

    // MARK: Changes

    /// Replaces a node by another one with the same name.
    mutating func replace(_ index: Int, by node: NodeDefinition) {
        precondition(node.name == nodes[index].name, "another node has that name")
        for source in sources(of: index) {
            if let entry = consumers[source].firstIndex(of: index) { consumers[source].remove(at: entry) }
        }
        count(nodes[index].op, -1)
        nodes[index] = node
        data[index] = node.data.map { Reference($0) }
        count(node.op, 1)
        for source in sources(of: index) { consumers[source].append(index) }
    }

    /// Adds a node that no other node reads yet.
    /// - Throws: `Failure` if there is a node with that name.
    mutating func append(_ node: NodeDefinition) throws {
        guard nodeIndices.updateValue(nodes.count, forKey: node.name) == nil else {
            throw Failure.duplicateNode(node.name)
        }
        nodes.append(node)
        data.append(node.data.map { Reference($0) })
        consumers.append([])
        count(node.op, 1)
        for source in sources(of: nodes.count - 1) { consumers[source].append(nodes.count - 1) }
    }

    private mutating func count(_ op: String, _ change: Int) {
        let count = opCounts[op, default: 0] + change
        opCounts[op] = count == 0 ? nil : count
    }

    // MARK: Names

    /// A parsed reference to a node's input: the source node and the index of its output.
    struct Reference: Hashable {
        var node: String
        var output = 0
        var isControl = false

        /// Reads UTF-8: iterating over characters would take a tenth of the time of a small conversion.
        init(_ text: String) {
            let bytes = text.utf8
            if bytes.first == UInt8(ascii: "^") {
                node = String(text.dropFirst())
                isControl = true
            } else if let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
                let number = Int(text[bytes.index(after: colon)...]), number >= 0
            {
                node = String(text[..<colon])
                output = number
            } else {
                node = text
            }
        }

        /// The reference as a graph writes it.
        var text: String { output == 0 ? node : "\(node):\(output)" }
    }

    func node(_ name: String) -> NodeDefinition? { nodeIndices[name].map { nodes[$0] } }

    /// The node that an input reads.
    func producer(of input: String) -> NodeDefinition? { node(Reference(input).node) }

    /// The output that an input reads, skipping identities; nil if these form a cycle.
    func origin(of input: String) -> Reference? {
        var origin = Reference(input)
        for _ in nodes.indices {
            guard let identity = node(origin.node), identity.has(.identity), let next = identity.data.first else {
                return origin
            }
            origin = Reference(next)
        }
        return nil
    }

    /// The node that an input reads, skipping identities; nil if these form a cycle.
    func source(of input: String?) -> NodeDefinition? { input.flatMap { origin(of: $0) }.flatMap { node($0.node) } }

    /// The node with this name, in the form that users write (`name` or `name:0`).
    /// - Throws: `Failure` with the nearest existing name.
    func named(_ text: String, option: OptionName) throws -> Reference {
        let reference = Reference(text)
        guard nodeIndices[reference.node] != nil else {
            throw Failure.noSuchNode(
                reference.node, option, nearest: nearest(to: reference.node, in: nodes.map(\.name)))
        }
        return reference
    }

    // MARK: Cutting

    /// The indices of the nodes that these depend on, in topological order.
    ///
    /// - Parameters:
    ///   - stops: Whether the inputs of a node with this name are ignored.
    ///   - limit: The most nodes that they may depend on.
    /// - Throws: `Failure` for a cycle, for a node that reads one that does not exist, and if the limit is exceeded.
    func order(
        from names: [String], stoppingAt stops: (String) -> Bool = { _ in false }, limit: Int = .max
    ) throws -> [Int] {
        enum State { case entered, done }
        var states: [Int: State] = [:]
        states.reserveCapacity(min(limit, nodes.count))
        var order: [Int] = []
        for name in names {
            guard let start = nodeIndices[name] else { continue }
            var stack = [(index: start, next: 0)]
            while let (index, next) = stack.last {
                if states[index] == .done {
                    stack.removeLast()
                    continue
                }
                if states.updateValue(.entered, forKey: index) == nil, states.count > limit {
                    throw Failure.needsTooMany(nodes[start].name, limit)
                }
                let inputs = stops(nodes[index].name) ? [] : data[index]
                if next == inputs.count {
                    states[index] = .done
                    order.append(index)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                guard let input = nodeIndices[inputs[next].node] else {
                    throw Failure.readsMissingNode(nodes[index].name, nodes[index].op, inputs[next].node)
                }
                switch states[input] {
                case nil: stack.append((input, 0))
                // A cycle that belongs to a loop contains the loop's beginning; the loop is refused by its nodes.
                case .entered:
                    let cycle = stack[stack.lastIndex { $0.index == input }!...]
                    guard cycle.contains(where: { beginsLoop(nodes[$0.index]) }) else {
                        throw Failure.cycle(nodes[input].name, nodes[input].op)
                    }
                case .done: break
                }
            }
        }
        return order
    }

    /// The nodes that these depend on, each after those that it reads. The inputs of `stops` are not followed.
    ///
    /// - Throws: `Failure` for a cycle, and for a node that reads one that does not exist.
    func nodes(neededBy names: [String], stoppingAt stops: Set<String> = []) throws -> [NodeDefinition] {
        try order(from: names, stoppingAt: stops.contains).map { nodes[$0] }
    }

    /// Whether a node receives values from the previous iteration of a loop.
    private func beginsLoop(_ node: NodeDefinition) -> Bool {
        node.has(.merge) && node.data.contains { producer(of: $0)?.has(.iteration) ?? false }
    }
}
