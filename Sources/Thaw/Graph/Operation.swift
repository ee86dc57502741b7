/// What one node of a graph computes: its fields, weights among them.
///
/// Everything about an operation stands in its one place under `Operations`; this is the part that every operation has.
public protocol Operation: Sendable {
    /// The name of what it computes, in the field's words: "Convolution", "Relu6".
    var kind: String { get }

    /// The types of the outputs for inputs of these types.
    /// - Throws: `Failure` for inputs that the operation cannot take.
    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType]

    /// The plain reference: what the operation computes, by obvious loops. Every fast path is tested against it.
    /// - Precondition: `outputTypes` accepts the inputs' types.
    func evaluate(_ inputs: [Tensor]) -> [Tensor]

    /// The arrays of weights that it holds.
    var weights: [Tensor] { get }

    /// How many multiply-adds one run takes; 0 for what multiplies nothing to speak of.
    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int

    /// How the operation is done where its inputs' axes stand in another order, or nil where it needs them as they were.
    ///
    /// Input `i` lies as `orders[i]`: its axis `k` is the former axis `orders[i][k]`. See `AxisOrders`.
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered?

    /// Whether the axes of a rank-4 image have a meaning to the operation: batch, height, width, channel in a graph whose
    /// channels stand last, batch, channel, height, width where they stand first.
    var isSpatial: Bool { get }

    /// Whether each element of the result comes of the elements at its own place alone, smaller arrays repeated as NumPy
    /// broadcasts.
    var isElementwise: Bool { get }
}

/// An operation that has taken on other orders of axes: what it is now, how its inputs must lie, how its outputs lie.
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
