import Kernels

extension IntegerLayer {
    /// Quantizes the weights of a layer, symmetrically and for each output channel by itself.
    /// - Parameters:
    ///   - weights: The output channels are the last axis.
    ///   - terms: The number of products in a sum.
    /// - Returns: Nil if a sum might not fit into 32 bits, or a weight is no number.
    init?(_ weights: Tensor, bias: Tensor?, terms: Int, _ use: QuantizedUse) {
        let input = use.inputs[0]
        let outputs = weights.shape[weights.shape.rank - 1]
        let biases = bias?.floats ?? [Float](repeating: 0, count: outputs)
        // Half of the 32 bits for the products, a quarter for the bias.
        guard biases.count == outputs, terms * 255 * 128 < 1 << 30 else { return nil }
        var codes = [Int8](repeating: 0, count: weights.elementCount)
        var scales = [Float](repeating: 0, count: outputs)
        let isFinite = weights.withFloats { values in
            for channel in 0..<outputs {
                let column = stride(from: channel, to: values.count, by: outputs)
                let bias = biases[channel]
                guard column.allSatisfy({ values[$0].isFinite }), bias.isFinite else { return false }
                let scale = IntegerLayer.scale(
                    values, column, least: max(.leastNormalMagnitude, abs(bias) / input.scale * 0x1p-28))
                scales[channel] = scale
                for index in column {
                    codes[index] = Int8(min(127, max(-128, (values[index] / scale).rounded(.toNearestOrEven))))
                }
            }
            return true
        }
        guard isFinite else { return nil }
        let units = scales.map { Double($0) * Double(input.scale) }
        self.weights = codes.withUnsafeBytes { Tensor(copying: $0, shape: weights.shape, element: .int8) }
        self.bias = zip(biases, units).map { Int32((Double($0) / $1).rounded(.toNearestOrEven)) }
        zeroPoint = input.zeroPoint
        if let output = use.output {
            factors = units.map { Float($0 / Double(output.scale)) }
            result = .codes(output.rounding(bounds: use.bounds))
        } else {
            factors = units.map { Float($0) }
            result = .values(lower: use.bounds.lowerBound, upper: use.bounds.upperBound)
        }
        guard factors.allSatisfy(\.isFinite) else { return nil }
    }

    /// The scale for the weights of one output channel: that of their codes, if they have been quantized before.
    private static func scale(_ values: UnsafeBufferPointer<Float>, _ column: StrideTo<Int>, least: Float) -> Float {
        var (lowest, highest) = (Float(0), Float(0))
        for index in column { (lowest, highest) = (min(lowest, values[index]), max(highest, values[index])) }
        let largest = max(-lowest, highest)
        guard largest / 128 > least else { return max(largest / 127, least) }
        for code in (1...128).reversed() {
            let scale = largest / Float(code)
            let isExact = column.allSatisfy {
                let level = values[$0] / scale
                return abs(level - level.rounded()) <= 0x1p-14 * Float(code)
            }
            if isExact, code <= 127 || highest < largest { return scale }
        }
        return largest / 127
    }
}
