extension Softmax: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        !isLogarithmic && axis == output.shape.rank - 1 ? .softmax : nil
    }
}
