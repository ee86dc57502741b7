/// An array that is known: where an operation reads one and has no field for it.
struct Constant: Operation {
    var value: Tensor

    init(_ value: Tensor) { self.value = value }

    var kind: String { "Constant" }
    var weights: [Tensor] { [value] }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { [value.type] }
    func evaluate(_ inputs: [Tensor]) -> [Tensor] { [value] }
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(self, inputs: [], outputs: [Array(0..<value.shape.rank)])
    }
}
