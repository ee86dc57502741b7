import Kernels

extension Reduction: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        let shape = use.types[0].shape
        guard function == .mean, axes == [1, 2], shape.rank == 4, let output = use.output else { return nil }
        let pixels = shape[1] * shape[2]
        let factor = Float(Double(use.inputs[0].scale) / Double(output.scale) / Double(pixels))
        guard pixels * 255 < 1 << 30, factor.isFinite else { return nil }
        return IntegerMean(
            zeroPoint: use.inputs[0].zeroPoint, factor: factor, rounding: output.rounding(bounds: use.bounds),
            keepsAxes: keepsAxes)
    }
}
