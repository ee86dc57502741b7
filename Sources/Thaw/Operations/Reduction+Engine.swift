extension Reduction: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard inputs[0].shape.rank == 4, axes == [1, 2], function == .mean || function == .sum else { return nil }
        let pixels = inputs[0].shape[1] * inputs[0].shape[2]
        return .pixelSum(factor: function == .mean ? 1 / Float(pixels) : 1)
    }
}
