import Kernels

/// A factor and an offset for each channel of an image of quantized values, as in a batch normalization:
///
///     round((q − zero) · factor[channel] + offset[channel])
///
/// The product and the sum are each rounded to float32.
struct IntegerScale: Operation {
    /// The zero point of the input.
    var zeroPoint: Int
    /// One value per channel, the last axis.
    var factors: [Float]
    /// One value per channel, in steps of the output.
    var offsets: [Float]
    var rounding: QuantizedRounding

    var kind: String { "IntegerScale" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape.last == factors.count else {
            throw Failure.channelMismatch(inputs[0].shape.last ?? 0, factors.count)
        }
        return [TensorType(inputs[0].shape, .uint8)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let bytes = inputs[0].bytes
        return withExtendedLifetime(inputs) {
            [
                Tensor(shape: inputs[0].shape, element: .uint8) { index in
                    let channel = index % factors.count
                    let product = Float(Int(bytes[index]) - zeroPoint) * factors[channel]
                    return rounding.quantized(product + offsets[channel])
                }
            ]
        }
    }
}

extension IntegerScale {
    /// The arithmetic of an image's channels, between quantized values; nil if it has no integer form.
    init?(_ arithmetic: ChannelArithmetic, _ use: QuantizedUse) {
        guard let output = use.output, use.types[0].shape.rank == 4 else { return nil }
        let (input, unit) = (use.inputs[0], Double(output.scale))
        let factors = arithmetic.scale.map { Float($0 * Double(input.scale) / unit) }
        let offsets = arithmetic.offset.map { Float($0 / unit) }
        guard (factors + offsets).allSatisfy(\.isFinite) else { return nil }
        var rounding = output.rounding(bounds: use.bounds)
        rounding.bound = 256 * (factors.map(abs).max() ?? 0) + (offsets.map(abs).max() ?? 0)
        self.init(zeroPoint: input.zeroPoint, factors: factors, offsets: offsets, rounding: rounding)
    }
}

// MARK: Facts

extension IntegerScale {
    var family: Family { .normalization }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == inputs[0].shape.rank - 1 ? .weighted(axis) : .kept(axis)
    }
}

// MARK: Engine

extension IntegerScale: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { Int(rounding.zeroPoint) }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .integer(.scale(zeroPoint: zeroPoint, factors: factors, offsets: offsets, rounding))
    }
}
