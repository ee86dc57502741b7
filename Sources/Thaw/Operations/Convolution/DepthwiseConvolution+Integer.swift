extension DepthwiseConvolution: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        guard multiplier == 1, use.output != nil else { return nil }
        let terms = window.height.size * window.width.size
        let flat = filters.reshaped([filters.shape[0], filters.shape[1], outputChannels])
        return IntegerLayer(flat, bias: bias, terms: terms, use).map {
            IntegerDepthwiseConvolution(layer: $0, window: window)
        }
    }
}
