/// Removes the branches of TensorFlow 1's conditions that a known predicate never takes: a Merge with one live input hands on
/// that input. What only a dead branch reads, such as the data set of the training, is no input of the graph then.
struct KnownBranches {
    private(set) var nodes: [NodeDefinition]
    /// The predicates that decided, by the names of the nodes that were a Merge.
    private(set) var predicates: [String: String] = [:]

    private static let switches: Set<String> = ["Switch", "RefSwitch"]
    fileprivate static let merges: Set<String> = ["Merge", "RefMerge"]

    /// - Throws: `Failure` for two nodes of one name.
    init(_ nodes: [NodeDefinition]) throws {
        self.nodes = nodes
        guard nodes.contains(where: { KnownBranches.merges.contains($0.op) }) else { return }
        let survey = try GraphSurvey(nodes)
        var dead = DeadNodes(survey)
        var constants = GraphConstants(survey)
        for node in nodes where KnownBranches.switches.contains(node.op) && node.data.count == 2 {
            guard let value = constants.value(node.data[1]), value.elementCount == 1 else { continue }
            var side = GraphSurvey.Reference(node.name)
            side.output = value.integers[0] != 0 ? 0 : 1
            dead.add(side, by: GraphSurvey.Reference(node.data[1]).node)
        }
        // The second output of a Merge is the number of the input that it hands on.
        let numbered = Set(
            nodes.lazy.flatMap(\.data).map { GraphSurvey.Reference($0) }.filter { $0.output == 1 }.map(\.node))
        for (place, node) in nodes.enumerated()
        where KnownBranches.merges.contains(node.op) && !numbered.contains(node.name) {
            let live = node.data.filter { dead.predicate(of: $0) == nil }
            guard live.count == 1, let predicate = node.data.lazy.compactMap({ dead.predicate(of: $0) }).first else {
                continue
            }
            self.nodes[place] = NodeDefinition(name: node.name, op: "Identity", inputs: live)
            predicates[node.name] = predicate
        }
    }
}

/// The nodes of a graph that are never computed, each with the predicate that decides so.
private struct DeadNodes {
    private let survey: GraphSurvey
    private var readers: [String: [Int]] = [:]
    private var sides: [GraphSurvey.Reference: String] = [:]
    private var nodes: [String: String] = [:]

    init(_ survey: GraphSurvey) {
        self.survey = survey
        for (place, node) in survey.nodes.enumerated() {
            for input in node.inputs { readers[GraphSurvey.Reference(input).node, default: []].append(place) }
        }
    }

    /// The predicate because of which a value is never computed; nil for one that may be.
    func predicate(of input: String) -> String? {
        let reference = GraphSurvey.Reference(input)
        // What waits for a switch waits for both of its sides.
        return nodes[reference.node] ?? (reference.isControl ? nil : sides[reference])
    }

    /// Adds the side of a switch that is not taken, and all that depends on it.
    mutating func add(_ side: GraphSurvey.Reference, by predicate: String) {
        sides[side] = predicate
        var pending = [side.node]
        while let name = pending.popLast() {
            for place in readers[name] ?? [] {
                let node = survey.nodes[place]
                guard nodes[node.name] == nil else { continue }
                let isDead =
                    KnownBranches.merges.contains(node.op)
                    ? node.data.allSatisfy { self.predicate(of: $0) != nil }
                    : node.inputs.contains { self.predicate(of: $0) != nil }
                guard isDead else { continue }
                nodes[node.name] = predicate
                pending.append(node.name)
            }
        }
    }
}
