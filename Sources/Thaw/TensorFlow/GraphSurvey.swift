/// A TensorFlow graph looked through by name: who reads whom, what is an input, what an output.
struct GraphSurvey {
    let nodes: [NodeDefinition]
    let places: [String: Int]

    /// - Throws: `Failure` for two nodes of one name, and for a node that reads one that does not exist.
    init(_ nodes: [NodeDefinition]) throws {
        self.nodes = nodes
        var places: [String: Int] = [:]
        places.reserveCapacity(nodes.count)
        for (place, node) in nodes.enumerated() {
            guard places.updateValue(place, forKey: node.name) == nil else { throw Failure.nodeStandsTwice(node.name) }
        }
        self.places = places
    }

    /// A node's input, taken apart: the node it comes from and which of its outputs.
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

    /// The node with this name, as a user gave it (`name` or `name:0`).
    /// - Throws: `Failure` with the nearest name there is.
    func named(_ text: String, option: String) throws -> Reference {
        let reference = Reference(text)
        guard places[reference.node] != nil else {
            throw Failure.noSuchNode(
                reference.node, option, nearest: nearest(to: reference.node, in: nodes.map(\.name)))
        }
        return reference
    }

    // MARK: Cutting

    /// The places of the nodes that these need, each after what it reads; `stops` are taken without what they read.
    ///
    /// - Parameter limit: How many nodes they may need.
    /// - Throws: `Failure` for a circle, for a node that reads one that does not exist, and beyond the limit.
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
                // What goes round in a loop comes back to its beginning; the loop is refused by its nodes.
                case .entered where beginsLoop(nodes[input]): break
                case .entered: throw Failure.circle(nodes[input].name, nodes[input].op)
                case .done: break
                }
            }
        }
        return order
    }

    /// Whether a node takes what a loop hands to its next round.
    private func beginsLoop(_ node: NodeDefinition) -> Bool {
        node.op.hasSuffix("Merge")
            && node.data.contains { self.node(Reference($0).node)?.op.hasSuffix("NextIteration") ?? false }
    }
}
