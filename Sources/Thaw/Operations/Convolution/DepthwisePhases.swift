/// The phases of a depthwise transposed convolution, in the order that `Interleaving` reads: a depthwise convolution with
/// several filters per channel. The results of the first filter for all channels, padded to whole blocks, precede those of
/// the second one, and so on.
///
/// Image: batch, height, width, channel. Weights: height, width, output channel.
struct DepthwisePhases: EngineOperation {
    var filters: Tensor
    /// One value per output channel.
    var bias: Tensor?
    var window: Window
    /// The number of filters per channel.
    var count: Int

    var kind: String { "DepthwisePhases" }
    var weights: [Tensor] { [filters] + (bias.map { [$0] } ?? []) }
    var isSpatial: Bool { true }
    var family: Family { .convolution }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 3 ? .rearranged : window.use(ofAxis: axis)
    }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, filters.shape[2]])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * window.height.size * window.width.size
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        let channels = inputs[0].shape[3]
        let padded = output[3] / count
        return filters.withFloats { w in
            [
                window.convolve(inputs[0], to: output, bias: bias) { sums, pixel, tap in
                    for channel in 0..<channels {
                        let value = Double(pixel[channel])
                        for o in stride(from: channel, to: output[3], by: padded) {
                            sums[o] += value * Double(w[tap * output[3] + o])
                        }
                    }
                }
            ]
        }
    }

    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .depthwisePhases(filters: filters, bias: bias, window: window)
    }
}
