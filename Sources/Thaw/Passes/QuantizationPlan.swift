/// Determines the values of a network that are rounded when it is quantized, and the nodes that read them.
///
/// The quantized part begins at the first layer and ends after the last. A value is rounded after the clamps that
/// follow it: a convolution and its ReLU have one range.
struct QuantizationPlan {
    let graph: Graph
    /// The values that are rounded, in the order of the graph.
    private(set) var values: [Graph.Value] = []
    /// The layers that read them, by index among the nodes.
    private(set) var layers: [Int] = []
    /// For each node, whether it computes with quantized values, by index.
    private(set) var participates: [Bool]
    private let names: [String]
    /// For each value, the value after the clamps that are part of it, by index.
    let ends: [Graph.Value]
    /// Values with the same quantization parameters: the inputs and outputs of nodes that only select.
    private(set) var groups: [[Graph.Value]] = []

    init(_ graph: Graph) {
        self.graph = graph
        names = graph.valueNames
        let roles = graph.nodes.map { graph.quantizedRole(of: $0) }
        ends = graph.endsOfBounds(roles)
        let comesFrom = graph.valuesOfQuantizedPart(roles)
        // Whether the quantized part continues after a value.
        var leadsTo = [Bool](repeating: false, count: graph.types.count)
        participates = [Bool](repeating: false, count: graph.nodes.count)
        var isRead = leadsTo
        for index in graph.nodes.indices.reversed() {
            let (node, role) = (graph.nodes[index], roles[index])
            switch role {
            case .floating: continue
            case .layer: layers.append(index)
            case .bound, .selection, .arithmetic:
                guard node.outputs.contains(where: { leadsTo[$0.index] }),
                    node.inputs.contains(where: { comesFrom[$0.index] })
                else { continue }
            }
            for input in node.inputs { leadsTo[input.index] = true }
            participates[index] = true
            // Clamps that are part of the previous value do not read quantized values.
            if role == .bound, ends[node.inputs[0].index] != node.inputs[0] { continue }
            for input in node.inputs { isRead[input.index] = true }
        }
        layers.reverse()
        values = graph.types.indices.filter { isRead[$0] }.map { Graph.Value(index: $0) }
        groups = sharedGroups(roles)
    }

    /// The groups of values with the same quantization parameters, in order, each value in one group.
    private func sharedGroups(_ roles: [QuantizedRole]) -> [[Graph.Value]] {
        var leaders = Array(graph.types.indices)
        func leader(_ index: Int) -> Int {
            var index = index
            while leaders[index] != index { index = leaders[index] }
            return index
        }
        for (index, node) in graph.nodes.enumerated() where roles[index] == .selection && participates[index] {
            let all = (node.inputs + node.outputs).map { leader(ends[$0.index].index) }
            for other in all { leaders[leader(other)] = leader(all.min()!) }
        }
        let members = Dictionary(grouping: values) { leader($0.index) }
        return members.keys.sorted().map { members[$0]! }
    }

    /// The names of the nodes that compute with quantized values although some are kept in floating point: layers, and nodes
    /// whose results these read.
    func namesOfRounding(keeping kept: Set<String>) -> Set<String> {
        var names: Set<String> = []
        var isRead = [Bool](repeating: false, count: graph.types.count)
        for (node, participates) in zip(graph.nodes, participates).reversed() {
            guard participates, !kept.contains(node.name),
                graph.quantizedRole(of: node) == .layer || node.outputs.contains(where: { isRead[$0.index] })
            else { continue }
            names.insert(node.name)
            for input in node.inputs { isRead[input.index] = true }
        }
        return names
    }

    /// The name of the node that computes a value, or of the input.
    func name(of value: Graph.Value) -> String { names[value.index] }
}

extension Graph {
    /// The role of a node in a quantized network. Only nodes on floating-point values have one.
    func quantizedRole(of node: Node) -> QuantizedRole {
        guard !node.inputs.isEmpty, (node.inputs + node.outputs).allSatisfy({ self[$0].element == .float32 }) else {
            return .floating
        }
        return node.operation.quantizedRole
    }

    /// The name of each value: that of its input or, for the first output of a node, that of the node.
    fileprivate var valueNames: [String] {
        var names = Array(repeating: "", count: types.count)
        for port in inputs { names[port.value.index] = port.name }
        for node in nodes {
            for (index, output) in node.outputs.enumerated() {
                names[output.index] = index == 0 ? node.name : "\(node.name):\(index)"
            }
        }
        return names
    }

    /// For each value, whether it comes from the quantized part of the network.
    fileprivate func valuesOfQuantizedPart(_ roles: [QuantizedRole]) -> [Bool] {
        var comesFrom = [Bool](repeating: false, count: types.count)
        for port in inputs { comesFrom[port.value.index] = self[port.value].element == .float32 }
        for (node, role) in zip(nodes, roles) where role != .floating {
            guard role == .layer || node.inputs.contains(where: { comesFrom[$0.index] }) else { continue }
            for output in node.outputs { comesFrom[output.index] = true }
        }
        return comesFrom
    }

    /// For each value, the value after the clamps that belong to it: those that are its only consumer.
    fileprivate func endsOfBounds(_ roles: [QuantizedRole]) -> [Value] {
        let counts = consumerCounts
        var takesBounds = [Bool](repeating: false, count: types.count)
        for port in inputs { takesBounds[port.value.index] = true }
        var isPart = [Bool](repeating: false, count: nodes.count)
        for (index, node) in nodes.enumerated() {
            let input = node.inputs.first?.index
            isPart[index] = roles[index] == .bound && takesBounds[input!] && counts[input!] == 1
            // A selection passes quantized values through, which clamping would change.
            let computes = roles[index] == .layer || roles[index] == .arithmetic || isPart[index]
            for output in node.outputs { takesBounds[output.index] = computes }
        }
        var ends = types.indices.map { Value(index: $0) }
        for (node, isPart) in zip(nodes, isPart).reversed() where isPart {
            ends[node.inputs[0].index] = ends[node.outputs[0].index]
        }
        return ends
    }
}
