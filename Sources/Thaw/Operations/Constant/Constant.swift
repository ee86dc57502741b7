/// A constant tensor, for operations that read it as an input rather than as a field.
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

// MARK: Facts

extension Constant {
    var family: Family { .arrangement }
    var constantValue: Tensor? { value }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        preconditionFailure("a constant has no inputs")
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Constant", [Words.sizes(value.shape)])
    }
}
