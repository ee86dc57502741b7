extension Concatenation: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .concatenation(axis: axis) }
}
