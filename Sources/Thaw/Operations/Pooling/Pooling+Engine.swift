extension Pooling: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard window.height.dilation == 1, window.width.dilation == 1 else { return nil }
        return .pooling(function == .maximum ? .maximum : .average, window: window, countsPadding: countsPadding)
    }
}
