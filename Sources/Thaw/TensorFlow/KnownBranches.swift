/// Removes dead branches of TensorFlow 1's conditions with a known predicate: a Merge with one live input passes on that
/// input. Placeholders that only a dead branch reads, such as training data, are then not inputs of the graph.
struct KnownBranches {
    private(set) var graph: GraphIndex
    /// The predicates that decided, by the names of the former Merge nodes.
    private(set) var predicates: [String: String] = [:]

    init(_ graph: GraphIndex) {
        self.graph = graph
        guard graph.contains(.merge) else { return }
        let nodes = graph.nodes
        var dead = DeadNodes(graph)
        var constants = GraphConstants(graph)
        for node in nodes where node.has(.switching) && node.data.count == 2 {
            guard let value = constants.value(node.data[1]), value.elementCount == 1 else { continue }
            var side = GraphIndex.Reference(node.name)
            side.output = value.integers[0] != 0 ? 0 : 1
            dead.add(side, by: GraphIndex.Reference(node.data[1]).node)
        }
        // The second output of a Merge is the index of the input that it passes on.
        let numbered = Set(
            graph.data.lazy.joined().filter { $0.output == 1 }.map(\.node))
        for (index, node) in nodes.enumerated()
        where node.has(.merge) && !numbered.contains(node.name) {
            let live = node.data.filter { dead.predicate(of: $0) == nil }
            guard live.count == 1, let predicate = node.data.lazy.compactMap({ dead.predicate(of: $0) }).first else {
                continue
            }
            self.graph.replace(index, by: .identity(node.name, of: live[0]))
            predicates[node.name] = predicate
        }
    }
}

/// The nodes of a graph that are never computed, each with the predicate that decides this.
private struct DeadNodes {
    private let graph: GraphIndex
    private var consumers: [String: [Int]] = [:]
    private var sides: [GraphIndex.Reference: String] = [:]
    private var nodes: [String: String] = [:]

    init(_ graph: GraphIndex) {
        self.graph = graph
        for (index, node) in graph.nodes.enumerated() {
            for input in node.inputs { consumers[GraphIndex.Reference(input).node, default: []].append(index) }
        }
    }

    /// The predicate that makes a value dead; nil if the value may be computed.
    func predicate(of input: String) -> String? {
        let reference = GraphIndex.Reference(input)
        // A control dependency on a switch is on both of its branches.
        return nodes[reference.node] ?? (reference.isControl ? nil : sides[reference])
    }

    /// Adds the dead branch of a switch, and everything that depends on it.
    mutating func add(_ side: GraphIndex.Reference, by predicate: String) {
        sides[side] = predicate
        var pending = [side.node]
        while let name = pending.popLast() {
            for index in consumers[name] ?? [] {
                let node = graph.nodes[index]
                guard nodes[node.name] == nil else { continue }
                let isDead =
                    node.has(.merge)
                    ? node.data.allSatisfy { self.predicate(of: $0) != nil }
                    : node.inputs.contains { self.predicate(of: $0) != nil }
                guard isDead else { continue }
                nodes[node.name] = predicate
                pending.append(node.name)
            }
        }
    }
}
