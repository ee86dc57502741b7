import Kernels

/// The quantized mean of all pixels of each channel of a quantized image: the sum of the values minus the zero point,
/// times a factor.
struct IntegerMean: Operation {
    /// The zero point of the input.
    var zeroPoint: Int
    var factor: Float
    var rounding: QuantizedRounding
    /// Whether height and width are kept with size 1.
    var keepsAxes: Bool

    var kind: String { "IntegerMean" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        return [TensorType(keepsAxes ? [image[0], 1, 1, image[3]] : [image[0], image[3]], .uint8)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        let pixels = shape[1] * shape[2]
        let quantized = inputs[0].bytes
        return withExtendedLifetime(inputs) {
            [
                Tensor(shape: output, element: .uint8) { index in
                    let (image, channel) = index.quotientAndRemainder(dividingBy: shape[3])
                    var sum = -pixels * zeroPoint
                    for pixel in 0..<pixels { sum += Int(quantized[(image * pixels + pixel) * shape[3] + channel]) }
                    return rounding.quantized(Float(sum) * factor)
                }
            ]
        }
    }
}

// MARK: Facts

extension IntegerMean {
    var family: Family { .pooling }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 1 || axis == 2 ? .combined : .kept(keepsAxes || axis == 0 ? axis : 1)
    }
}

// MARK: Engine

extension IntegerMean: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { Int(rounding.zeroPoint) }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .integer(.mean(zeroPoint: zeroPoint, factor: factor, rounding))
    }
}
