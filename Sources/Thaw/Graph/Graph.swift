/// A computation: nodes in an order in which each finds its inputs computed, joined by values whose types are known.
///
/// Edges carry activations only; weights are fields of the operations. A graph is a value: a pass takes one and gives
/// another.
public struct Graph: Sendable {
    /// An edge, by its place among the graph's types.
    public struct Value: Hashable, Sendable {
        public let index: Int
    }

    /// A value with the name that the outside knows it by.
    public struct Port: Hashable, Sendable {
        public var name: String
        public var value: Value
    }

    /// An operation at its place.
    public struct Node: Sendable {
        public var name: String
        public var operation: any Operation
        public var inputs: [Value]
        public var outputs: [Value]
    }

    /// Where the channels of an image stand among its axes.
    public enum ChannelOrder: Sendable {
        /// Batch, height, width, channel: TensorFlow's order, and that of the passes and the engine.
        case last
        /// Batch, channel, height, width: Core ML's order.
        case first
    }

    public internal(set) var inputs: [Port] = []
    public internal(set) var outputs: [Port] = []
    public internal(set) var nodes: [Node] = []
    /// How the spatial operations read rank-4 values.
    public internal(set) var channelOrder = ChannelOrder.last
    /// The type of every value, by its index.
    public internal(set) var types: [TensorType] = []

    public init() {}

    public subscript(value: Value) -> TensorType { types[value.index] }

    /// The nodes by the value that they compute.
    public var producers: [Value: Node] {
        var result: [Value: Node] = [:]
        for node in nodes { for output in node.outputs { result[output] = node } }
        return result
    }

    /// How many nodes and outputs of the graph read each value, by the value's index.
    public var readerCounts: [Int] {
        var counts = [Int](repeating: 0, count: types.count)
        for node in nodes { for input in node.inputs { counts[input.index] += 1 } }
        for output in outputs { counts[output.value.index] += 1 }
        return counts
    }

    /// The number of weights that the operations hold.
    public var parameterCount: Int { nodes.reduce(0) { $0 + $1.operation.weights.reduce(0) { $0 + $1.elementCount } } }

    /// How many of the parameters are copies: weights of several nodes that are equal count once without them. An ML Program
    /// stores such weights once, a neural network once per layer.
    public var repeatedParameterCount: Int {
        var known = TensorTable<Void>()
        var count = 0
        for node in nodes {
            for tensor in node.operation.weights where tensor.elementCount > 0 {
                if known.value(of: tensor) != nil { count += tensor.elementCount } else { known.add(tensor, ()) }
            }
        }
        return count
    }

    /// The multiply-adds of one run.
    public var multiplyAdds: Int { nodes.reduce(0) { $0 + multiplyAdds(of: $1) } }

    /// The multiply-adds of one node.
    public func multiplyAdds(of node: Node) -> Int {
        let image = { (type: TensorType) in
            channelOrder == .first && node.operation.isSpatial ? type.permuted(Graph.toLast) : type
        }
        return node.operation.multiplyAdds(node.inputs.map { image(self[$0]) }, node.outputs.map { image(self[$0]) })
    }
}

// MARK: Spatial operations in either order of channels

extension Graph {
    /// The order of axes that brings channels from the last place to the first, and back.
    static let toFirst = [0, 3, 1, 2]
    static let toLast = [0, 2, 3, 1]

    /// The types that `operation` gives for inputs of these types in this graph.
    func outputTypes(of operation: any Operation, _ inputs: [TensorType]) throws -> [TensorType] {
        guard channelOrder == .first, operation.isSpatial else { return try operation.outputTypes(inputs) }
        return try operation.outputTypes(inputs.map { $0.permuted(Graph.toLast) }).map { $0.permuted(Graph.toFirst) }
    }

    /// What `operation` computes of these inputs in this graph, by its reference.
    func evaluate(_ operation: any Operation, _ inputs: [Tensor]) -> [Tensor] {
        guard channelOrder == .first, operation.isSpatial else { return operation.evaluate(inputs) }
        let images = inputs.map { $0.shape.rank == 4 ? $0.transposed(Graph.toLast) : $0 }
        return operation.evaluate(images).map { $0.shape.rank == 4 ? $0.transposed(Graph.toFirst) : $0 }
    }
}

extension TensorType {
    /// The type with its axes in another order, where it is an image.
    fileprivate func permuted(_ order: [Int]) -> TensorType {
        shape.rank == 4 ? TensorType(shape.permuted(order), element) : self
    }
}

// MARK: Running by the references

extension Graph {
    /// What the graph computes, by the plain references.
    ///
    /// - Parameters:
    ///   - inputs: One array an input, of the types that the graph declares.
    ///   - visit: Called with every value as it is computed.
    /// - Returns: One array an output, in their order.
    public func evaluate(_ inputs: [Tensor], visit: (Node, [Tensor]) -> Void = { _, _ in }) -> [Tensor] {
        precondition(inputs.map(\.type) == self.inputs.map { self[$0.value] }, "inputs are not of the graph's types")
        var values: [Value: Tensor] = [:]
        var remaining = readerCounts
        for (port, tensor) in zip(self.inputs, inputs) { values[port.value] = tensor }
        for node in nodes {
            let results = evaluate(node.operation, node.inputs.map { values[$0]! })
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
