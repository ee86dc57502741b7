/// A scale and an offset for each channel: the common form of batch normalization, biases, and sums and products with
/// per-channel constants.
struct ChannelArithmetic {
    var scale: [Double]
    var offset: [Double]

    /// This arithmetic followed by `next`.
    func followed(by next: ChannelArithmetic) -> ChannelArithmetic {
        ChannelArithmetic(
            scale: zip(scale, next.scale).map { $0 * $1 },
            offset: offset.indices.map { offset[$0] * next.scale[$0] + next.offset[$0] })
    }

    /// The bias of a layer whose results go through this arithmetic.
    func applied(to bias: Tensor?) -> Tensor {
        let old = bias?.floats
        let new = offset.indices.map { Float(Double(old?[$0] ?? 0) * scale[$0] + offset[$0]) }
        return Tensor(new, shape: [new.count])
    }
}

/// A clamp to a range.
struct Bound: Equatable {
    var low = -Float.infinity
    var high = Float.infinity

    /// These bounds followed by `next`.
    func followed(by next: Bound) -> Bound {
        let clamp = { (value: Float) in min(max(value, next.low), next.high) }
        return Bound(low: clamp(low), high: clamp(high))
    }
}

/// The values that an operation rounds to: the lowest, the highest and the step between them.
struct Levels: Hashable, Sendable {
    let low: Float
    let high: Float
    let step: Float
}

/// Zeros around an image, in pixels.
struct Border {
    var height: (before: Int, after: Int)
    var width: (before: Int, after: Int)
}
