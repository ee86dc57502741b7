/// An index over the nodes of a TensorFlow graph: names, topological order, detected inputs and outputs.
struct GraphSurvey {
    let nodes: [NodeDefinition]
    /// The index of each node by name.
    let places: [String: Int]

    /// - Throws: `Failure` for two nodes with the same name.
    init(_ nodes: [NodeDefinition]) throws {
        self.nodes = nodes
        var places: [String: Int] = [:]
        places.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            guard places.updateValue(index, forKey: node.name) == nil else { throw Failure.nodeStandsTwice(node.name) }
        }
        self.places = places
    }

    /// A parsed reference to a node's input: the source node and the index of its output.
    struct Reference: Hashable {
        var node: String
        var output = 0
        var isControl = false

        init(_ text: String) {
            if text.hasPrefix("^") {
                node = String(text.dropFirst())
                isControl = true
            } else if let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...]),
                number >= 0
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

    func node(_ name: String) -> NodeDefinition? { places[name].map { nodes[$0] } }

    /// The node with this name, in the form that users write (`name` or `name:0`).
    /// - Throws: `Failure` with the nearest existing name.
    func named(_ text: String, option: String) throws -> Reference {
        let reference = Reference(text)
        guard places[reference.node] != nil else {
            throw Failure.noSuchNode(
                reference.node, option, nearest: nearest(to: reference.node, in: nodes.map(\.name)))
        }
        return reference
    }

    // MARK: Cutting

    /// The indices of the nodes that these depend on, in topological order. The inputs of `stops` are not followed.
    ///
    /// - Parameter limit: The most nodes that they may depend on.
    /// - Throws: `Failure` for a cycle, for a node that reads one that does not exist, and if the limit is exceeded.
    func order(from names: [String], stoppingAt stops: Set<String>, limit: Int = .max) throws -> [Int] {
        enum State { case entered, done }
        var states: [Int: State] = [:]
        states.reserveCapacity(min(limit, nodes.count))
        var order: [Int] = []
        for name in names {
            guard let start = places[name] else { continue }
            var stack = [(place: start, next: 0)]
            while let (place, next) = stack.last {
                if states[place] == .done {
                    stack.removeLast()
                    continue
                }
                if states.updateValue(.entered, forKey: place) == nil, states.count > limit {
                    throw Failure.needsTooMany(nodes[start].name, limit)
                }
                let inputs = stops.contains(nodes[place].name) ? [] : nodes[place].inputs
                if next == inputs.count {
                    states[place] = .done
                    order.append(place)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let reference = Reference(inputs[next])
                if reference.isControl { continue }
                guard let input = places[reference.node] else {
                    throw Failure.readsMissingNode(nodes[place].name, nodes[place].op, reference.node)
                }
                switch states[input] {
                case nil: stack.append((input, 0))
                // A cycle that belongs to a loop contains the loop's beginning; the loop is refused by its nodes.
                case .entered:
                    let round = stack[stack.lastIndex { $0.place == input }!...]
                    guard round.contains(where: { beginsLoop(nodes[$0.place]) }) else {
                        throw Failure.circle(nodes[input].name, nodes[input].op)
                    }
                case .done: break
                }
            }
        }
        return order
    }

    /// Whether a node receives values from the previous iteration of a loop.
    private func beginsLoop(_ node: NodeDefinition) -> Bool {
        node.op.hasSuffix("Merge")
            && node.data.contains { self.node(Reference($0).node)?.op.hasSuffix("NextIteration") ?? false }
    }
}
