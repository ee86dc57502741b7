extension Convolution: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let image = inputs[0].shape
        if image[1] == 1, image[2] == 1, window.height.size == 1, window.width.size == 1, !window.hasPadding,
            filters.shape[2] == image[3]
        {
            // Images of a single pixel are rows of a matrix.
            return .dense(matrix: filters.reshaped([filters.shape[2], filters.shape[3]]), bias: bias)
        }
        return .convolution(filters: filters, bias: bias, window: window)
    }
}

extension DepthwiseConvolution: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .depthwise(filters: filters, bias: bias, window: window)
    }
}
