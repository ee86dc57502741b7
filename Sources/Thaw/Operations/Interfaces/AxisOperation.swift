/// An operation along one axis of its first input, whose other axes it keeps.
protocol AxisOperation: Operation {
    var axis: Int { get set }
}

extension AxisOperation {
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        self.axis == axis ? .combined : .kept(axis)
    }

    /// The operation for an input with permuted axes. Each of its `outputCount` outputs has the same order.
    func reordered(_ orders: [[Int]], outputCount: Int) -> Reordered {
        var copy = self
        copy.axis = orders[0].firstIndex(of: axis)!
        return Reordered(copy, inputs: orders, outputs: Array(repeating: orders[0], count: outputCount))
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? { reordered(orders, outputCount: 1) }
}
