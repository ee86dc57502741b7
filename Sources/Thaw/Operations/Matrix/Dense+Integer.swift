extension Dense: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        IntegerLayer(
            matrix, bias: bias.map { $0.reshaped([$0.elementCount]) }, terms: matrix.shape[0], use
        ).map { IntegerDense(layer: $0) }
    }
}
