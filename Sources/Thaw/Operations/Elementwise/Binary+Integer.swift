import Kernels

extension Binary: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        if let constant {
            // A function of one number is looked up.
            guard constant.elementCount > 1 else { return nil }
            return ChannelArithmetic(self, on: use.types[0]).flatMap { IntegerScale($0, use) }
        }
        guard let output = use.output else { return nil }
        switch function {
        case .add: return sum(use, output)
        case .multiply: return product(use, output)
        default: return nil
        }
    }

    private func sum(_ use: QuantizedUse, _ output: QuantizationParameters) -> IntegerAddition? {
        guard use.types[0] == use.types[1] else { return nil }
        let factors = use.inputs.map { Float(Double($0.scale) / Double(output.scale)) }
        guard factors.allSatisfy(\.isFinite) else { return nil }
        return IntegerAddition(
            addition: QuantizedAddition(
                leftFactor: factors[0], rightFactor: factors[1], leftZeroPoint: use.inputs[0].zeroPoint,
                rightZeroPoint: use.inputs[1].zeroPoint, rounding: output.rounding(bounds: use.bounds)))
    }

    private func product(_ use: QuantizedUse, _ output: QuantizationParameters) -> IntegerMultiplication? {
        guard use.types[0] == use.types[1] || IntegerMultiplication.image(use.types) != nil else { return nil }
        let factor = Float(Double(use.inputs[0].scale) * Double(use.inputs[1].scale) / Double(output.scale))
        guard factor.isFinite else { return nil }
        return IntegerMultiplication(
            multiplication: QuantizedMultiplication(
                factor: factor, leftZeroPoint: use.inputs[0].zeroPoint, rightZeroPoint: use.inputs[1].zeroPoint,
                rounding: output.rounding(bounds: use.bounds)))
    }
}
