import Kernels

extension IntegerLayer {
    /// Quantizes the weights of a layer, symmetrically and separately for each output channel.
    /// - Parameters:
    ///   - weights: The output channels are the last axis.
    ///   - terms: The number of products in an accumulator.
    /// - Returns: Nil if an accumulator might overflow 32 bits, or if a weight is NaN.
    init?(_ weights: Tensor, bias: Tensor?, terms: Int, _ use: QuantizedUse) {
        let input = use.inputs[0]
        let outputs = weights.shape[weights.shape.rank - 1]
        let biases = bias?.floats ?? [Float](repeating: 0, count: outputs)
        // Half of the 32 bits for the products, a quarter for the bias.
        guard biases.count == outputs, terms * 255 * 128 < 1 << 30 else { return nil }
        let minimumScales = biases.map { max(.leastNormalMagnitude, abs($0) / input.scale * 0x1p-28) }
        guard biases.allSatisfy(\.isFinite),
            let scales = IntegerLayer.scales(weights, minimumScales: minimumScales)
        else { return nil }
        var integers = [Int8](repeating: 0, count: weights.elementCount)
        weights.withFloats { values in
            for first in stride(from: 0, to: values.count, by: outputs) {
                for channel in 0..<outputs {
                    let level = (values[first + channel] / scales[channel]).rounded(.toNearestOrEven)
                    integers[first + channel] = Int8(min(127, max(-128, level)))
                }
            }
        }
        let units = scales.map { Double($0) * Double(input.scale) }
        self.weights = integers.withUnsafeBytes { Tensor(copying: $0, shape: weights.shape, element: .int8) }
        self.bias = zip(biases, units).map { Int32((Double($0) / $1).rounded(.toNearestOrEven)) }
        zeroPoint = input.zeroPoint
        if let output = use.output {
            factors = units.map { Float($0 / Double(output.scale)) }
            var rounding = output.rounding(bounds: use.bounds)
            rounding.bound = 0x1p31 * (factors.max() ?? 0)
            result = .quantized(rounding)
        } else {
            factors = units.map { Float($0) }
            result = .values(lower: use.bounds.lowerBound, upper: use.bounds.upperBound)
        }
        guard factors.allSatisfy(\.isFinite) else { return nil }
    }

    /// The scales for the weights of the output channels: the original ones, if the weights have been quantized before.
    /// - Parameter minimumScales: The least scale of each channel.
    /// - Returns: Nil if a weight is NaN.
    private static func scales(_ weights: Tensor, minimumScales: [Float]) -> [Float]? {
        let outputs = minimumScales.count
        return weights.withFloats { values in
            var lowest = [Float](repeating: 0, count: outputs)
            var highest = lowest
            // Zero, or NaN if a weight is infinite or NaN.
            var check: Float = 0
            for first in stride(from: 0, to: values.count, by: outputs) {
                for channel in 0..<outputs {
                    let value = values[first + channel]
                    check += value * 0
                    lowest[channel] = min(lowest[channel], value)
                    highest[channel] = max(highest[channel], value)
                }
            }
            guard check == 0 else { return nil }
            return (0..<outputs).map { channel in
                let largest = max(-lowest[channel], highest[channel])
                guard largest / 128 > minimumScales[channel] else { return max(largest / 127, minimumScales[channel]) }
                let column = stride(from: channel, to: values.count, by: outputs)
                for integer in (1...128).reversed() where integer <= 127 || highest[channel] < largest {
                    // The first weight that is not a multiple decides, usually one of the first.
                    let scale = largest / Float(integer)
                    let isExact = column.allSatisfy {
                        let level = values[$0] / scale
                        return abs(level - level.rounded()) <= 0x1p-14 * Float(integer)
                    }
                    if isExact { return scale }
                }
                return largest / 127
            }
        }
    }
}
