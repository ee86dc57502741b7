extension Convolution: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .convolution(filters: filters, bias: bias, window: window)
    }
}

extension DepthwiseConvolution: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .depthwise(filters: filters, bias: bias, window: window)
    }
}
