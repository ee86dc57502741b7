/// Builds a graph node by node. Types are inferred as nodes are added, so the result is always valid.
struct GraphBuilder {
    private(set) var graph: Graph
    /// The index of the node that computes each value, by value index; nil for inputs.
    private var producers: [Int?] = []
    private var usedNames: Set<String> = []
    /// The last suffix of each name that was given more than once. Without it, the search for the next one would take
    /// time in proportion to the square of their number.
    private var lastSuffixes: [String: Int] = [:]

    init(channelOrder: Graph.ChannelOrder = .channelsLast) {
        graph = Graph()
        graph.channelOrder = channelOrder
    }

    mutating func input(_ name: String, _ type: TensorType) -> Graph.Value {
        let value = newValue(type, producer: nil)
        graph.inputs.append(Graph.Port(name: unique(name), value: value))
        return value
    }

    mutating func output(_ name: String, _ value: Graph.Value) {
        graph.outputs.append(Graph.Port(name: name, value: value))
    }

    /// Adds a node and returns its outputs.
    ///
    /// - Parameter name: The node's name. If it is already in use, a numeric suffix is added.
    /// - Throws: `Failure` naming the node if the operation does not accept the inputs.
    mutating func add(_ operation: any Operation, _ inputs: [Graph.Value], name: String) throws -> [Graph.Value] {
        let types = try naming(location: name) {
            guard graph.nodes.count < Limits.nodes else { throw Failure.tooManyNodes(Limits.nodes) }
            let types = try graph.outputTypes(of: operation, inputs.map { graph[$0] })
            for type in types where type.shape.checkedCount ?? .max > Limits.computedElements {
                throw Failure.impossibleShape(type.shape)
            }
            return types
        }
        let outputs = types.map { newValue($0, producer: graph.nodes.count) }
        graph.nodes.append(Graph.Node(name: unique(name), operation: operation, inputs: inputs, outputs: outputs))
        return outputs
    }

    subscript(value: Graph.Value) -> TensorType { graph[value] }

    /// The node that computes `value`, or nil for a graph input.
    func producer(of value: Graph.Value) -> Graph.Node? {
        producers[value.index].map { graph.nodes[$0] }
    }

    /// Reserves capacity for this many nodes.
    mutating func reserve(_ count: Int) {
        graph.nodes.reserveCapacity(count)
        usedNames.reserveCapacity(count)
    }

    private mutating func newValue(_ type: TensorType, producer: Int?) -> Graph.Value {
        graph.types.append(type)
        producers.append(producer)
        return Graph.Value(index: graph.types.count - 1)
    }

    private mutating func unique(_ name: String) -> String {
        if usedNames.insert(name).inserted { return name }
        var number = lastSuffixes[name, default: 0] + 1
        while !usedNames.insert("\(name)_\(number)").inserted { number += 1 }
        lastSuffixes[name] = number
        return "\(name)_\(number)"
    }
}

extension Graph {
    /// Rebuilds the graph node by node. Most passes are built on this.
    ///
    /// `transform` receives each node, its inputs in the new graph, and the builder. It adds the replacement nodes
    /// and returns the values that replace the node's outputs, or returns nil to keep the node unchanged. Unused
    /// nodes are removed at the end.
    func rebuilt(
        _ transform: (Node, [Value], inout GraphBuilder) throws -> [Value]?
    ) throws -> Graph {
        try rebuilt(transform, outputs: { _, value, _ in value })
    }

    /// The graph with its outputs replaced: `transform` receives the index of each output, its value and the builder,
    /// and returns the new value.
    func rebuiltOutputs(_ transform: (Int, Value, inout GraphBuilder) throws -> Value) throws -> Graph {
        try rebuilt({ _, _, _ in nil }, outputs: transform)
    }

    private func rebuilt(
        _ transform: (Node, [Value], inout GraphBuilder) throws -> [Value]?,
        outputs finish: (Int, Value, inout GraphBuilder) throws -> Value
    ) throws -> Graph {
        var builder = GraphBuilder(channelOrder: channelOrder)
        builder.reserve(nodes.count)
        var values = [Value?](repeating: nil, count: types.count)
        for port in inputs { values[port.value.index] = builder.input(port.name, self[port.value]) }
        for node in nodes {
            let inputs = node.inputs.map { values[$0.index]! }
            let results =
                try transform(node, inputs, &builder) ?? builder.add(node.operation, inputs, name: node.name)
            for (old, new) in zip(node.outputs, results) { values[old.index] = new }
        }
        for (index, port) in outputs.enumerated() {
            builder.output(port.name, try finish(index, values[port.value.index]!, &builder))
        }
        return builder.graph.pruned()
    }

    /// The graph without nodes that no output depends on, with its values renumbered.
    func pruned() -> Graph {
        // By index: copying a node would take longer than the test.
        var isNeeded = [Bool](repeating: false, count: types.count)
        for port in outputs { isNeeded[port.value.index] = true }
        var kept: [Int] = []
        kept.reserveCapacity(nodes.count)
        for index in nodes.indices.reversed() where nodes[index].outputs.contains(where: { isNeeded[$0.index] }) {
            for input in nodes[index].inputs { isNeeded[input.index] = true }
            kept.append(index)
        }
        // Most passes leave most graphs unchanged.
        if kept.count == nodes.count, isNumberedInOrder { return self }
        var result = Graph()
        result.channelOrder = channelOrder
        var renumbered = [Value?](repeating: nil, count: types.count)
        func number(_ value: Value) -> Value {
            let new = Value(index: result.types.count)
            renumbered[value.index] = new
            result.types.append(self[value])
            return new
        }
        result.inputs = inputs.map { Port(name: $0.name, value: number($0.value)) }
        result.nodes = kept.reversed().map { index in
            var node = nodes[index]
            node.inputs = node.inputs.map { renumbered[$0.index]! }
            node.outputs = node.outputs.map(number)
            return node
        }
        result.outputs = outputs.map { Port(name: $0.name, value: renumbered[$0.value.index]!) }
        return result
    }

    /// Whether the values are numbered in order of definition, without gaps.
    private var isNumberedInOrder: Bool {
        var count = 0
        func isNext(_ value: Value) -> Bool {
            defer { count += 1 }
            return value.index == count
        }
        return inputs.allSatisfy { isNext($0.value) } && nodes.allSatisfy { $0.outputs.allSatisfy(isNext) }
            && count == types.count
    }
}
