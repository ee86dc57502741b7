/// The axes in another order: axis i of the result is axis `order[i]` of the input.
struct Transpose: Operation {
    var order: [Int]

    init(_ order: [Int]) { self.order = order }

    var kind: String { "Transpose" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard order.sorted() == Array(0..<inputs[0].shape.rank) else {
            throw Failure.wrongRank(order.count, inputs[0].shape)
        }
        return [TensorType(inputs[0].shape.permuted(order), inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] { [inputs[0].transposed(order)] }
}
