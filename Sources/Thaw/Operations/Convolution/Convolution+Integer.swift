extension Convolution: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        let inputs = use.types[0].shape[3]
        guard groups(inputChannels: inputs) == 1 else { return nil }
        let terms = window.height.size * window.width.size * inputs
        return IntegerLayer(filters, bias: bias, terms: terms, use).map {
            IntegerConvolution(layer: $0, window: window)
        }
    }
}
