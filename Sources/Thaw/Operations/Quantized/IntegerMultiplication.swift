import Kernels

/// The quantized product of two quantized tensors: `QuantizedMultiplication` defines the arithmetic. One of them may have
/// a single value for each channel of an image.
struct IntegerMultiplication: Operation {
    var multiplication: QuantizedMultiplication

    var kind: String { "IntegerMultiplication" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        [TensorType(try inputs[0].shape.broadcast(with: inputs[1].shape), .uint8)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = try! inputs[0].shape.broadcast(with: inputs[1].shape)
        let (leftIndex, rightIndex) = (
            inputs[0].shape.broadcastIndex(in: shape), inputs[1].shape.broadcastIndex(in: shape)
        )
        let (left, right) = (inputs[0].bytes, inputs[1].bytes)
        return withExtendedLifetime(inputs) {
            [
                Tensor(shape: shape, element: .uint8) { i in
                    let first = Int32(left[leftIndex(i)]) - multiplication.leftZeroPoint
                    let second = Int32(right[rightIndex(i)]) - multiplication.rightZeroPoint
                    return multiplication.rounding.quantized(Float(first * second) * multiplication.factor)
                }
            ]
        }
    }

    /// The input that is the image, if the other has a value for each of its channels.
    static func image(_ inputs: [TensorType]) -> Int? {
        (0..<2).first { image in
            let shape = inputs[image].shape
            return shape.rank == 4 && inputs[1 - image].shape == [shape[0], 1, 1, shape[3]]
        }
    }
}

// MARK: Facts

extension IntegerMultiplication {
    var family: Family { .arithmetic }
    var isElementwise: Bool { true }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        AxisUse.broadcast(inputs[input].shape, axis, with: inputs.map(\.shape))
    }
}

// MARK: Engine

extension IntegerMultiplication: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { Int(multiplication.rounding.zeroPoint) }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        if inputs[0] == inputs[1] { return .integer(.multiplication(multiplication, image: nil)) }
        return IntegerMultiplication.image(inputs).map { image in
            .integer(.multiplication(image == 0 ? multiplication : multiplication.swapped, image: image))
        }
    }
}
