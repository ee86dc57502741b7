import Kernels

/// A depthwise convolution of a quantized image with integer weights, one filter per channel: `IntegerLayer` defines
/// the arithmetic. The padding has the value zero.
struct IntegerDepthwiseConvolution: Operation {
    var layer: IntegerLayer
    var window: Window

    var kind: String { "IntegerDepthwiseConvolution" }
    var weights: [Tensor] { [layer.weights] }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        guard image[3] == layer.outputs else { throw Failure.channelMismatch(image[3], layer.outputs) }
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, layer.outputs], layer.element)]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * window.height.size * window.width.size
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        layer.evaluate(inputs[0], window, try! outputTypes(inputs.map(\.type))[0]) { sums, pixel, weights in
            for channel in sums.indices {
                sums[channel] += (Int(pixel[channel]) - layer.zeroPoint) * Int(weights[channel])
            }
        }
    }
}

// MARK: Facts

extension IntegerDepthwiseConvolution {
    var family: Family { .convolution }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 3 ? .weighted(3) : window.use(ofAxis: axis)
    }
}

// MARK: Engine

extension IntegerDepthwiseConvolution: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { layer.outputZeroPoint }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard case .quantized = layer.result else { return nil }
        return .integer(.depthwise(layer, window: window))
    }
}
