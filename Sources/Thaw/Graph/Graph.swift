/// A computation: topologically sorted nodes, connected by values whose types are known.
///
/// Edges carry activations only; weights are fields of the operations. A graph has value semantics: a pass takes one
/// and returns another.
public struct Graph: Sendable {
    /// An edge: an index into the graph's types.
    public struct Value: Hashable, Sendable {
        /// The index among the graph's values.
        public let index: Int
    }

    /// A value and its external name.
    public struct Port: Hashable, Sendable {
        /// The name of the input or output.
        public var name: String
        /// The value that it receives or returns.
        public var value: Value
    }

    /// An operation with its name, inputs and outputs.
    public struct Node: Sendable {
        /// The name of the node, which is unique.
        public var name: String
        var operation: any Operation
        /// The values that it uses.
        public var inputs: [Value]
        /// The values that it computes.
        public var outputs: [Value]

        /// Its operation, in the field's terms: "Convolution", "Relu6".
        public var kind: String { operation.kind }

        /// Its name and kind, as failures report them.
        var identity: Failure.Node { Failure.Node(name: name, op: kind) }

        /// Whether it applies one function to all elements of its only input.
        var isFunctionOfElements: Bool { inputs.count == 1 && operation.scalarFunction() != nil }
    }

    /// The position of the channels among the axes of an image.
    public enum ChannelOrder: Sendable {
        /// Batch, height, width, channel: TensorFlow's order, also used by the passes and the engine.
        case channelsLast
        /// Batch, channel, height, width: Core ML's order.
        case channelsFirst
    }

    /// The inputs, in order.
    public internal(set) var inputs: [Port] = []
    /// The outputs, in order.
    public internal(set) var outputs: [Port] = []
    /// The nodes, each after those whose outputs it uses.
    public internal(set) var nodes: [Node] = []
    /// How spatial operations interpret rank-4 values.
    var channelOrder = ChannelOrder.channelsLast
    /// The type of every value, by value index.
    public internal(set) var types: [TensorType] = []

    /// A graph without nodes.
    public init() {}

    /// The type of a value.
    public subscript(value: Value) -> TensorType { types[value.index] }

    /// The node that computes each value.
    var producers: [Value: Node] {
        var result: [Value: Node] = [:]
        for node in nodes { for output in node.outputs { result[output] = node } }
        return result
    }

    /// The nodes that read each value, each once.
    var consumers: [Value: [Node]] {
        var result: [Value: [Node]] = [:]
        for node in nodes { for input in Set(node.inputs) { result[input, default: []].append(node) } }
        return result
    }

    /// The number of consumers of each value, including graph outputs, by value index.
    var consumerCounts: [Int] {
        var counts = [Int](repeating: 0, count: types.count)
        for index in nodes.indices { for input in nodes[index].inputs { counts[input.index] += 1 } }
        for output in outputs { counts[output.value.index] += 1 }
        return counts
    }

    /// The total number of weights of all operations.
    public var parameterCount: Int { nodes.reduce(0) { $0 + $1.operation.weights.reduce(0) { $0 + $1.elementCount } } }

    /// How many of the parameters are duplicates, that is, belong to weights that equal those of an earlier node. An
    /// ML Program stores such weights once, a neural network once per layer.
    package var repeatedParameterCount: Int {
        var known = TensorTable<Void>()
        var count = 0
        for node in nodes {
            for tensor in node.operation.weights where tensor.elementCount > 0 {
                if known.value(of: tensor) != nil { count += tensor.elementCount } else { known.add(tensor, ()) }
            }
        }
        return count
    }

    /// The multiply-adds of one run, at most `Int.max`.
    public var multiplyAdds: Int {
        nodes.reduce(0) { sum, node in
            let (result, overflow) = sum.addingReportingOverflow(multiplyAdds(of: node))
            return overflow ? .max : result
        }
    }

    /// The multiply-adds of one node.
    public func multiplyAdds(of node: Node) -> Int {
        let operation = node.operation
        return operation.multiplyAdds(
            channelsLast(node.inputs.map { self[$0] }, for: operation),
            channelsLast(node.outputs.map { self[$0] }, for: operation))
    }
}

// MARK: Spatial operations in either channel order

extension Graph {
    /// The axis permutation from channels last to channels first, and the inverse.
    static let toFirst = [0, 3, 1, 2]
    static let toLast = [0, 2, 3, 1]

    /// The types of the inputs or outputs of `operation`, with the axes of images permuted to channels last if the
    /// operation interprets them.
    private func channelsLast(_ types: [TensorType], for operation: any Operation) -> [TensorType] {
        guard channelOrder == .channelsFirst, operation.isSpatial else { return types }
        return types.map { $0.permuted(Graph.toLast) }
    }

    /// The types that `operation` returns for inputs of these types in this graph.
    func outputTypes(of operation: any Operation, _ inputs: [TensorType]) throws -> [TensorType] {
        let outputs = try operation.outputTypes(channelsLast(inputs, for: operation))
        guard channelOrder == .channelsFirst, operation.isSpatial else { return outputs }
        return outputs.map { $0.permuted(Graph.toFirst) }
    }

    /// The work of `operation` with these types in this graph.
    func work(of operation: any Operation, _ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        operation.work(channelsLast(inputs, for: operation), channelsLast(outputs, for: operation))
    }

    /// Evaluates `operation` in this graph by its reference implementation.
    /// - Throws: `Failure` if a loop does not end.
    func evaluate(_ operation: any Operation, _ inputs: [Tensor]) throws -> [Tensor] {
        guard channelOrder == .channelsFirst, operation.isSpatial else { return try operation.evaluate(inputs) }
        let images = inputs.map { $0.shape.rank == 4 ? $0.transposed(Graph.toLast) : $0 }
        return try operation.evaluate(images).map { $0.shape.rank == 4 ? $0.transposed(Graph.toFirst) : $0 }
    }
}

extension Graph.ChannelOrder {
    /// The axes of batch, height, width and channel.
    var axes: [Int] { self == .channelsFirst ? Graph.toLast : [0, 1, 2, 3] }
}

extension TensorType {
    /// The type with its axes permuted if it is an image.
    fileprivate func permuted(_ order: [Int]) -> TensorType {
        shape.rank == 4 ? TensorType(shape.permuted(order), element) : self
    }
}

// MARK: Reference evaluation

extension Graph {
    /// Evaluates the graph by the plain reference implementations.
    ///
    /// - Parameters:
    ///   - inputs: One tensor for each graph input, of the declared types.
    ///   - visit: Called with every value as it is computed.
    /// - Returns: One tensor for each graph output, in order.
    /// - Throws: `Failure` naming the node if a loop does not end.
    package func evaluate(_ inputs: [Tensor], visit: (Node, [Tensor]) -> Void = { _, _ in }) throws -> [Tensor] {
        precondition(inputs.map(\.type) == self.inputs.map { self[$0.value] }, "inputs differ from the graph's types")
        var values: [Value: Tensor] = [:]
        var remaining = consumerCounts
        for (port, tensor) in zip(self.inputs, inputs) { values[port.value] = tensor }
        for node in nodes {
            let results = try naming(node: node.identity) {
                try evaluate(node.operation, node.inputs.map { values[$0]! })
            }
            visit(node, results)
            for (value, tensor) in zip(node.outputs, results) { values[value] = tensor }
            for input in node.inputs {
                remaining[input.index] -= 1
                if remaining[input.index] == 0 { values[input] = nil }
            }
        }
        return outputs.map { values[$0.value]! }
    }
}
