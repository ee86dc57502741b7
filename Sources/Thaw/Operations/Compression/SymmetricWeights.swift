/// Weights as signed 8-bit integers: weight = scale · q, with a scale for each output channel.
struct SymmetricWeights: Sendable {
    /// In the order of the weights, from −127 to 127; −128 only in models written by others.
    var quantized: [Int8]
    /// One per output channel.
    var scales: [Float]

    /// The nearest integers. The output channels are the last axis of the weights, or the last axes.
    ///
    /// Scales are float16 values if that is precise enough, so that a program that computes in float16 has the same
    /// ones.
    init(rounding weights: Tensor, channels: Int) {
        let largest = SymmetricWeights.largest(weights, channels)
        let scales = largest.map { SymmetricWeights.scale($0) }
        quantized = weights.withFloats { floats in
            floats.indices.map {
                Int8(min(127, max(-127, (floats[$0] / scales[$0 % channels]).rounded(.toNearestOrEven))))
            }
        }
        self.scales = scales
    }

    /// The scale for weights up to a magnitude.
    static func scale(_ largest: Float) -> Float {
        guard largest > 0, largest.isFinite else { return 1 }
        let exact = largest / 127
        // Smaller float16 values are too coarse. A scale that is rounded down would not reach the largest weight.
        return exact >= 0x1p-20 && exact < 0x1p15 ? exact.roundedUpToHalf : max(exact, .leastNormalMagnitude)
    }

    /// The integers of weights that are multiples of a scale in each output channel; nil if they are not.
    ///
    /// They need not be exact multiples: weights may have been rounded to float16, or dequantized in another way. The
    /// largest magnitude of a channel is 127, or the highest integer below for which all others are integers.
    init?(of weights: Tensor, channels: Int) {
        guard channels > 0, weights.elementCount > 0, weights.elementCount % channels == 0 else { return nil }
        let largest = SymmetricWeights.largest(weights, channels)
        guard largest.allSatisfy(\.isFinite) else { return nil }
        var scales = [Float](repeating: 1, count: channels)
        var quantized = [Int8](repeating: 0, count: weights.elementCount)
        let isExact = weights.withFloats { floats in
            (0..<channels).allSatisfy { channel in
                guard largest[channel] > 0 else { return true }
                let indices = stride(from: channel, to: floats.count, by: channels)
                let top = SymmetricWeights.highestIntegers.first { top in
                    let inverse = Float(top) / largest[channel]
                    return indices.allSatisfy { index in
                        let level = floats[index] * inverse
                        let nearest = level.rounded(.toNearestOrEven)
                        return abs(level - nearest) <= abs(nearest) * 0x1.8p-10 && nearest <= 127
                    }
                }
                guard let top else { return false }
                scales[channel] = largest[channel] / Float(top)
                for index in indices {
                    quantized[index] = Int8((floats[index] / scales[channel]).rounded(.toNearestOrEven))
                }
                return true
            }
        }
        guard isExact else { return nil }
        (self.quantized, self.scales) = (quantized, scales)
    }

    /// The candidates for the integer of the largest magnitude, the usual ones first.
    private static let highestIntegers = [127, 128] + (1...126).reversed()

    private static func largest(_ weights: Tensor, _ channels: Int) -> [Float] {
        var largest = [Float](repeating: 0, count: channels)
        weights.withFloats { floats in
            for (index, weight) in floats.enumerated() {
                // NaN counts as infinite.
                let magnitude = weight.isNaN ? .infinity : abs(weight)
                if magnitude > largest[index % channels] { largest[index % channels] = magnitude }
            }
        }
        return largest
    }

    /// The integers as a tensor of the weights' shape.
    func tensor(_ shape: Shape) -> Tensor {
        let storage = Tensor.Storage(byteCount: quantized.count) { memory in
            quantized.withUnsafeBytes { memory.copyMemory(from: $0) }
        }
        return Tensor(shape: shape, element: .int8, storage: storage)
    }

    /// The dequantized weights.
    func weights(_ shape: Shape) -> Tensor {
        Tensor(shape: shape) { out in
            for index in out.indices { out[index] = Float(quantized[index]) * scales[index % scales.count] }
        }
    }
}

extension QuantizableLayer {
    /// The layer with its weights rounded to 8-bit integers.
    var withRoundedWeights: any QuantizableLayer {
        var result = self
        result.kernel = SymmetricWeights(rounding: kernel, channels: outputChannels).weights(kernel.shape)
        return result
    }

    /// The integers of the weights; nil if the weights are not multiples of a scale.
    var symmetricWeights: SymmetricWeights? { SymmetricWeights(of: kernel, channels: outputChannels) }
}
