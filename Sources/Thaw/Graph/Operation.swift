/// What one node of a graph computes, with its parameters and weights as fields.
///
/// Each operation has a file of its own under `Operations`. This protocol is what all of them have in common.
public protocol Operation: Sendable {
    /// The name of the operation in the field's terms: "Convolution", "Relu6".
    var kind: String { get }

    /// The output types for inputs of these types.
    /// - Throws: `Failure` for inputs that the operation does not accept.
    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType]

    /// The reference implementation, written as plain loops. Every fast path is tested against it.
    /// - Precondition: `outputTypes` accepts the types of the inputs.
    func evaluate(_ inputs: [Tensor]) -> [Tensor]

    /// The weight tensors of the operation.
    var weights: [Tensor] { get }

    /// How many multiply-adds one run takes; 0 if the number is negligible.
    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int

    /// The equivalent operation for inputs with permuted axes, or nil if the operation requires the original order.
    ///
    /// Axis `k` of the permuted input `i` is axis `orders[i][k]` of the original. See `AxisOrders`.
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered?

    /// Whether the axes of a rank-4 input have fixed meanings: batch, height, width, channel in a channels-last
    /// graph; batch, channel, height, width in a channels-first graph.
    var isSpatial: Bool { get }

    /// Whether each output element depends only on the input elements at the same index, with inputs broadcast as in
    /// NumPy.
    var isElementwise: Bool { get }
}

/// An operation rewritten for permuted axes, with the axis orders of its inputs and outputs.
public struct Reordered {
    public var operation: any Operation
    public var inputs: [[Int]]
    public var outputs: [[Int]]

    public init(_ operation: any Operation, inputs: [[Int]], outputs: [[Int]]) {
        self.operation = operation
        self.inputs = inputs
        self.outputs = outputs
    }
}

extension Operation {
    public var weights: [Tensor] { [] }
    public func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int { 0 }
    public func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? { nil }
    public var isSpatial: Bool { false }
    public var isElementwise: Bool { false }
}
