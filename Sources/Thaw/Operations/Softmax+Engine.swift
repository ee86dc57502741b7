extension Softmax: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        axis == output.shape.rank - 1 ? .softmax : nil
    }
}
