import CMachine
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
        // The products take at most half of the accumulator's positive range, the bias an eighth.
        guard biases.count == outputs, terms * 255 * 128 < 1 << 30 else { return nil }
        let minimumScales = biases.map { max(.leastNormalMagnitude, abs($0) / input.scale * 0x1p-28) }
        guard biases.allSatisfy(\.isFinite),
            let scales = IntegerLayer.scales(weights, minimumScales: minimumScales)
        else { return nil }
        let integers = weights.withFloats { IntegerLayer.integers($0, scales) }
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

    /// The weights divided by the scales of their channels, and rounded to the nearest integers.
    private static func integers(_ weights: UnsafeBufferPointer<Float>, _ scales: [Float]) -> [Int8] {
        [Int8](unsafeUninitializedCapacity: weights.count) { integers, count in
            scales.withUnsafeBufferPointer { scales in
                for first in stride(from: 0, to: weights.count, by: scales.count) {
                    let (row, integers) = (weights.baseAddress! + first, integers.baseAddress! + first)
                    for channel in 0..<scales.count {
                        let level = min(127, max(-128, row[channel] / scales[channel]))
                        // The low bits of a float between 2^23 and 2^24 are those of an integer.
                        integers[channel] = Int8(truncatingIfNeeded: (level + 0x1.8p23).bitPattern)
                    }
                }
            }
            count = weights.count
        }
    }

    /// The scales for the weights of the output channels: the original ones, if the weights have been quantized before.
    /// - Parameter minimumScales: The least scale of each channel.
    /// - Returns: Nil if a weight is NaN.
    private static func scales(_ weights: Tensor, minimumScales: [Float]) -> [Float]? {
        weights.withFloats { values in
            let rows = WeightRows(weights: values, channels: minimumScales.count)
            // Zero, or NaN if a weight is infinite or NaN.
            guard rows.combined(by: { sum, weight, _ in sum + weight * 0 }).allSatisfy({ $0 == 0 }) else { return nil }
            let lowest = rows.combined { least, weight, _ in thaw_minimum4(least, weight) }
            let highest = rows.combined { greatest, weight, _ in thaw_maximum4(greatest, weight) }
            let largest = zip(lowest, highest).map { max(-$0, $1) }
            let integers = rows.integers(largest, limits: zip(highest, largest).map { $0 < $1 ? 128 : 127 })
            return minimumScales.indices.map { channel in
                guard largest[channel] / 128 > minimumScales[channel] else {
                    return max(largest[channel] / 127, minimumScales[channel])
                }
                return largest[channel] / Float(integers[channel] ?? 127)
            }
        }
    }
}

/// Weights in rows with one for each output channel.
private struct WeightRows {
    let weights: UnsafeBufferPointer<Float>
    let channels: Int

    /// A number for each channel: `combine` is called for all weights, four channels at a time, with the numbers so far,
    /// which begin with zero, the weights, and the parameters of the channels.
    @inline(__always)
    func combined(
        _ parameters: [Float]? = nil, by combine: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) -> SIMD4<Float>
    ) -> [Float] {
        func vector(_ numbers: UnsafePointer<Float>, _ first: Int) -> SIMD4<Float> {
            if first + 4 <= channels { return UnsafeRawPointer(numbers + first).loadUnaligned(as: SIMD4<Float>.self) }
            var vector = SIMD4<Float>.zero
            for lane in 0..<channels - first { vector[lane] = numbers[first + lane] }
            return vector
        }
        var results = [SIMD4<Float>](repeating: .zero, count: channels.dividedRoundingUp(by: 4))
        let vectors =
            parameters?.withUnsafeBufferPointer { numbers in
                results.indices.map { vector(numbers.baseAddress!, 4 * $0) }
            } ?? results
        results.withUnsafeMutableBufferPointer { results in
            vectors.withUnsafeBufferPointer { vectors in
                for first in stride(from: 0, to: weights.count, by: channels) {
                    let row = weights.baseAddress! + first
                    for index in 0..<vectors.count {
                        results[index] = combine(results[index], vector(row, 4 * index), vectors[index])
                    }
                }
            }
        }
        return (0..<channels).map { results[$0 / 4][$0 % 4] }
    }

    /// For each channel, the integer that its largest weight was quantized to, or nil if the weights are not the multiples
    /// of a number.
    func integers(_ largest: [Float], limits: [Int]) -> [Int?] {
        func integer(_ channel: Int, from limit: Int, rows: Int) -> Int? {
            guard largest[channel] > 0, limit > 0 else { return nil }
            return (1...limit).last { isMultiple(channel, of: largest[channel] / Float($0), $0, rows: rows) }
        }
        let rows = weights.count / channels
        // If a channel has not been quantized before, one of the first few weights is no multiple.
        var integers = (0..<channels).map { integer($0, from: limits[$0], rows: min(rows, 8)) }
        let scales = zip(largest, integers).map { largest, integer in integer.map { largest / Float($0) } ?? 1 }
        let deviations = combined(scales) { largest, weight, scale in
            let level = weight / scale
            let deviation = level - ((level + 0x1.8p23) - 0x1.8p23)
            return thaw_maximum4(largest, thaw_maximum4(deviation, -deviation))
        }
        for (channel, found) in integers.enumerated() {
            guard let found, deviations[channel] > WeightRows.tolerance(found) else { continue }
            integers[channel] = integer(channel, from: found - 1, rows: rows)
        }
        return integers
    }

    /// Whether the first weights of a channel are multiples of its scale, the largest one by this integer.
    private func isMultiple(_ channel: Int, of scale: Float, _ integer: Int, rows: Int) -> Bool {
        (0..<rows).allSatisfy {
            let level = weights[$0 * channels + channel] / scale
            return abs(level - level.rounded()) <= WeightRows.tolerance(integer)
        }
    }

    private static func tolerance(_ integer: Int) -> Float { 0x1p-14 * Float(integer) }
}
