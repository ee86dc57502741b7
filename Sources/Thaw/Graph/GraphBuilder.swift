/// Builds a graph node by node. Types are worked out as nodes are added, so what is built is sound.
public struct GraphBuilder {
    public private(set) var graph: Graph
    private var producers: [Graph.Value: Int] = [:]
    private var usedNames: Set<String> = []

    public init(channelOrder: Graph.ChannelOrder = .last) {
        graph = Graph()
        graph.channelOrder = channelOrder
    }

    public mutating func input(_ name: String, _ type: TensorType) -> Graph.Value {
        let value = newValue(type)
        graph.inputs.append(Graph.Port(name: unique(name), value: value))
        return value
    }

    public mutating func output(_ name: String, _ value: Graph.Value) {
        graph.outputs.append(Graph.Port(name: name, value: value))
    }

    /// Adds a node and returns its outputs.
    ///
    /// - Parameter name: The node's name; where another has it already, a number is added.
    /// - Throws: `Failure` naming the node when the operation cannot take the inputs.
    public mutating func add(_ operation: any Operation, _ inputs: [Graph.Value], name: String) throws -> [Graph.Value]
    {
        let types = try naming(place: name) {
            let types = try graph.outputTypes(of: operation, inputs.map { graph[$0] })
            for type in types where type.shape.checkedCount == nil { throw Failure.impossibleShape(type.shape) }
            return types
        }
        let outputs = types.map { newValue($0) }
        for output in outputs { producers[output] = graph.nodes.count }
        graph.nodes.append(Graph.Node(name: unique(name), operation: operation, inputs: inputs, outputs: outputs))
        return outputs
    }

    public subscript(value: Graph.Value) -> TensorType { graph[value] }

    /// The node that computes `value`, or nil for an input of the graph.
    public func producer(of value: Graph.Value) -> Graph.Node? { producers[value].map { graph.nodes[$0] } }

    private mutating func newValue(_ type: TensorType) -> Graph.Value {
        graph.types.append(type)
        return Graph.Value(index: graph.types.count - 1)
    }

    private mutating func unique(_ name: String) -> String {
        if usedNames.insert(name).inserted { return name }
        var number = 1
        while !usedNames.insert("\(name)_\(number)").inserted { number += 1 }
        return "\(name)_\(number)"
    }
}

extension Graph {
    /// The graph built anew, node by node: the frame of most passes.
    ///
    /// `transform` gets each node, its inputs in the new graph and the builder; it adds what should stand there and
    /// returns the values that take the place of the node's outputs, or nil to keep the node as it is.
    /// Nodes that nobody reads any more are left out at the end.
    public func rebuilt(
        _ transform: (Node, [Value], inout GraphBuilder) throws -> [Value]?
    ) throws -> Graph {
        try rebuilt(transform, outputs: { _, value, _ in value })
    }

    /// The graph with other values at its outputs: `transform` gets the place of each output among them, its value and the
    /// builder, and returns what is given instead.
    func rebuiltOutputs(_ transform: (Int, Value, inout GraphBuilder) throws -> Value) throws -> Graph {
        try rebuilt({ _, _, _ in nil }, outputs: transform)
    }

    private func rebuilt(
        _ transform: (Node, [Value], inout GraphBuilder) throws -> [Value]?,
        outputs finish: (Int, Value, inout GraphBuilder) throws -> Value
    ) throws -> Graph {
        var builder = GraphBuilder(channelOrder: channelOrder)
        var values: [Value: Value] = [:]
        for port in inputs { values[port.value] = builder.input(port.name, self[port.value]) }
        for node in nodes {
            let arrived = node.inputs.map { values[$0]! }
            let results =
                try transform(node, arrived, &builder) ?? builder.add(node.operation, arrived, name: node.name)
            for (old, new) in zip(node.outputs, results) { values[old] = new }
        }
        for (index, port) in outputs.enumerated() {
            builder.output(port.name, try finish(index, values[port.value]!, &builder))
        }
        return builder.graph.pruned()
    }

    /// The graph without the nodes that no output needs, its values numbered anew.
    public func pruned() -> Graph {
        var needed = Set(outputs.map(\.value))
        var kept: [Node] = []
        for node in nodes.reversed() where node.outputs.contains(where: needed.contains) {
            needed.formUnion(node.inputs)
            kept.append(node)
        }
        var result = Graph()
        result.channelOrder = channelOrder
        var renumbered: [Value: Value] = [:]
        func number(_ value: Value) -> Value {
            renumbered[value] = Value(index: result.types.count)
            result.types.append(self[value])
            return renumbered[value]!
        }
        result.inputs = inputs.map { Port(name: $0.name, value: number($0.value)) }
        result.nodes = kept.reversed().map { node in
            var node = node
            node.inputs = node.inputs.map { renumbered[$0]! }
            node.outputs = node.outputs.map(number)
            return node
        }
        result.outputs = outputs.map { Port(name: $0.name, value: renumbered[$0.value]!) }
        return result
    }
}
