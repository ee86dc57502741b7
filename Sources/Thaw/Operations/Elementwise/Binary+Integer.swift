import Kernels

extension Binary: QuantizableOperation {
    func onCodes(_ use: QuantizedUse) -> (any Operation)? {
        guard function == .add, constant == nil, let output = use.output, use.types[0] == use.types[1] else {
            return nil
        }
        let factors = use.inputs.map { Float(Double($0.scale) / Double(output.scale)) }
        guard factors.allSatisfy(\.isFinite) else { return nil }
        return IntegerAddition(
            addition: CodeAddition(
                leftFactor: factors[0], rightFactor: factors[1], leftZeroPoint: use.inputs[0].zeroPoint,
                rightZeroPoint: use.inputs[1].zeroPoint, rounding: output.rounding(bounds: use.bounds)))
    }
}
