import Kernels

/// A dense layer with integer weights over rows of quantized values: `IntegerLayer` defines the arithmetic.
struct IntegerDense: Operation {
    var layer: IntegerLayer

    var kind: String { "IntegerDense" }
    var weights: [Tensor] { [layer.weights] }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let input = inputs[0].shape
        guard input.rank == 2 else { throw Failure.wrongRank(2, input) }
        let count = layer.weights.shape[0]
        guard input[1] == count else { throw Failure.channelMismatch(input[1], count) }
        return [TensorType([input[0], layer.outputs], layer.element)]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * layer.weights.shape[0]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let (rows, count) = (inputs[0].shape[0], inputs[0].shape[1])
        let weights = layer.weights.bytes.bindMemory(to: Int8.self)
        let quantized = inputs[0].bytes
        return withExtendedLifetime(inputs) {
            var results: [Double] = []
            for row in 0..<rows {
                for channel in 0..<layer.outputs {
                    var sum = Int(layer.bias[channel])
                    for i in 0..<count {
                        let level = Int(quantized[row * count + i]) - layer.zeroPoint
                        sum += level * Int(weights[i * layer.outputs + channel])
                    }
                    results.append(layer.value(sum, channel: channel))
                }
            }
            return [Tensor(shape: [rows, layer.outputs], element: layer.element) { results[$0] }]
        }
    }
}

// MARK: Facts

extension IntegerDense {
    var family: Family { .dense }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == inputs[0].shape.rank - 1 ? .combined : .kept(axis)
    }
}

// MARK: Engine

extension IntegerDense: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { layer.outputZeroPoint }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .integer(.dense(layer)) }
}
