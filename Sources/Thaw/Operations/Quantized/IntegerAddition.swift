import Kernels

/// The quantized sum of two quantized tensors: `QuantizedAddition` defines the arithmetic.
struct IntegerAddition: Operation {
    var addition: QuantizedAddition

    var kind: String { "IntegerAddition" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape == inputs[1].shape else { throw Failure.shapesDiffer(inputs[0].shape, inputs[1].shape) }
        return [TensorType(inputs[0].shape, .uint8)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let (left, right) = (inputs[0].bytes, inputs[1].bytes)
        return withExtendedLifetime(inputs) {
            [
                Tensor(shape: inputs[0].shape, element: .uint8) { i in
                    let first = Float(Int32(left[i]) - addition.leftZeroPoint) * addition.leftFactor
                    let second = Float(Int32(right[i]) - addition.rightZeroPoint) * addition.rightFactor
                    return addition.rounding.quantized(first + second)
                }
            ]
        }
    }
}

// MARK: Facts

extension IntegerAddition {
    var family: Family { .arithmetic }
    var isElementwise: Bool { true }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .kept(axis) }
}

// MARK: Engine

extension IntegerAddition: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { Int(addition.rounding.zeroPoint) }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .integer(.addition(addition)) }
}
