extension Softmax: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .softmax(axis: axis, isLogarithmic: isLogarithmic)
    }
}
