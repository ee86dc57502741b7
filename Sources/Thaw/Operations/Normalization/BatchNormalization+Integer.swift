import Kernels

extension BatchNormalization: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        guard let output = use.output, use.types[0].shape.rank == 4 else { return nil }
        let unit = Double(output.scale)
        let factors = scale.floats.map { Float(Double($0) * Double(use.inputs[0].scale) / unit) }
        let offsets = offset.floats.map { Float(Double($0) / unit) }
        guard (factors + offsets).allSatisfy(\.isFinite) else { return nil }
        return IntegerScale(
            zeroPoint: use.inputs[0].zeroPoint, factors: factors, offsets: offsets,
            rounding: output.rounding(bounds: use.bounds))
    }
}
