/// A scale and an offset for each channel: the common form of batch normalization, biases, and sums and products with
/// per-channel constants.
struct ChannelArithmetic {
    var scale: [Double]
    var offset: [Double]

    /// The effect of `operation` on a tensor with the channels on its last axis, or nil if it is not per-channel
    /// arithmetic.
    init?(_ operation: any Operation, on type: TensorType) {
        guard let channels = type.shape.last, type.element == .float32, channels > 0 else { return nil }
        switch operation {
        case let normalization as BatchNormalization:
            self.init(
                scale: normalization.scale.floats.map(Double.init), offset: normalization.offset.floats.map(Double.init)
            )
        case let unary as Unary where unary.function == .negate:
            self.init(scale: Array(repeating: -1, count: channels), offset: Array(repeating: 0, count: channels))
        case let binary as Binary:
            guard let numbers = binary.constant?.numbersByChannel(channels, rank: type.shape.rank) else { return nil }
            let zeros = [Double](repeating: 0, count: channels)
            let ones = [Double](repeating: 1, count: channels)
            switch (binary.function, binary.constantFirst) {
            case (.add, _): self.init(scale: ones, offset: numbers)
            case (.subtract, false): self.init(scale: ones, offset: numbers.map { -$0 })
            case (.subtract, true): self.init(scale: ones.map { -$0 }, offset: numbers)
            case (.multiply, _): self.init(scale: numbers, offset: zeros)
            case (.divide, false):
                guard numbers.allSatisfy({ $0 != 0 }) else { return nil }
                self.init(scale: numbers.map { 1 / $0 }, offset: zeros)
            default: return nil
            }
        default: return nil
        }
    }

    init(scale: [Double], offset: [Double]) {
        self.scale = scale
        self.offset = offset
    }

    /// This arithmetic followed by `next`.
    func followed(by next: ChannelArithmetic) -> ChannelArithmetic {
        ChannelArithmetic(
            scale: zip(scale, next.scale).map { $0 * $1 },
            offset: offset.indices.map { offset[$0] * next.scale[$0] + next.offset[$0] })
    }

    /// The equivalent operation.
    var operation: BatchNormalization {
        BatchNormalization(
            scale: Tensor(scale.map { Float($0) }, shape: [scale.count]),
            offset: Tensor(offset.map { Float($0) }, shape: [offset.count]))
    }
}

extension Tensor {
    /// One value per channel, if the tensor is constant along all other axes when broadcast to `rank` axes with the
    /// channels last.
    fileprivate func numbersByChannel(_ channels: Int, rank: Int) -> [Double]? {
        guard element.isFloatingPoint, shape.rank <= rank,
            elementCount == 1 || (elementCount == channels && shape.last == channels)
        else { return nil }
        let numbers = floats.map(Double.init)
        return numbers.count == channels ? numbers : Array(repeating: numbers[0], count: channels)
    }
}
