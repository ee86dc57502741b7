extension BatchNormalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .scale(factor: scale, offset: offset)
    }
}
