import Kernels

extension Pooling: QuantizableOperation, QuantizedMovement {
    /// Averages. Maxima are those of the quantized values.
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        let area = window.height.size * window.width.size
        guard function == .average, let output = use.output, area * 255 < 1 << 30 else { return nil }
        let ratio = Double(use.inputs[0].scale) / Double(output.scale)
        let factors = (0...area).map { Float(ratio / Double(countsPadding ? area : max(1, $0))) }
        guard factors.allSatisfy(\.isFinite) else { return nil }
        return IntegerPooling(
            function: .average(
                zeroPoint: use.inputs[0].zeroPoint, factors: factors, output.rounding(bounds: use.bounds)),
            window: window)
    }

    func integerOperation(zeroPoint: Int) -> (any Operation)? {
        function == .maximum ? IntegerPooling(function: .maximum, window: window) : nil
    }
}
