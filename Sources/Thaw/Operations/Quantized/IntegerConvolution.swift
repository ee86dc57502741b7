import Kernels

/// A convolution of a quantized image with integer weights: `IntegerLayer` defines the arithmetic. The padding has the
/// value zero.
struct IntegerConvolution: Operation {
    var layer: IntegerLayer
    var window: Window

    var kind: String { "IntegerConvolution" }
    var weights: [Tensor] { [layer.weights] }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        let channels = layer.weights.shape[2]
        guard image[3] == channels else { throw Failure.channelMismatch(image[3], channels) }
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, layer.outputs], layer.element)]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * window.height.size * window.width.size * layer.weights.shape[2]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let channels = inputs[0].shape[3]
        return layer.evaluate(inputs[0], window, try! outputTypes(inputs.map(\.type))[0]) { sums, pixel, weights in
            for input in 0..<channels {
                let level = Int(pixel[input]) - layer.zeroPoint
                let first = input * layer.outputs
                for channel in 0..<layer.outputs { sums[channel] += level * Int(weights[first + channel]) }
            }
        }
    }
}

extension IntegerLayer {
    /// The reference implementation of a convolution of an image with the layer's weights.
    /// - Parameters:
    ///   - output: The type of the result.
    ///   - addProducts: Adds the products of a pixel and the weights of a tap, which are at the pointers, to the accumulators
    ///     of an output pixel.
    func evaluate(
        _ image: Tensor, _ window: Window, _ output: TensorType,
        addProducts: (_ sums: inout [Int], _ pixel: UnsafePointer<UInt8>, _ weights: UnsafePointer<Int8>) -> Void
    ) -> [Tensor] {
        let shape = image.shape
        let tapCount = window.height.size * window.width.size
        return image.withUnsafeBytes { quantized in
            weights.withUnsafeBytes { weights in
                let quantized = quantized.bindMemory(to: UInt8.self)
                let weights = weights.bindMemory(to: Int8.self)
                var results: [Double] = []
                output.shape.forEachPixel { image, row, column in
                    var sums = bias.map(Int.init)
                    window.forEachTap(row: row, column: column, height: shape[1], width: shape[2]) { y, x, ky, kx in
                        let pixel = ((image * shape[1] + y) * shape[2] + x) * shape[3]
                        let tap = ky * window.width.size + kx
                        addProducts(
                            &sums, quantized.baseAddress! + pixel,
                            weights.baseAddress! + tap * (weights.count / tapCount))
                    }
                    for channel in sums.indices { results.append(value(sums[channel], channel: channel)) }
                }
                return [Tensor(shape: output.shape, element: output.element) { results[$0] }]
            }
        }
    }
}

extension Shape {
    /// Calls the function with the indices of each pixel of images of this shape.
    func forEachPixel(_ body: (Int, Int, Int) -> Void) {
        for image in 0..<self[0] {
            for row in 0..<self[1] {
                for column in 0..<self[2] { body(image, row, column) }
            }
        }
    }
}

// MARK: Facts

extension IntegerConvolution {
    var family: Family { .convolution }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 3 ? .combined : window.use(ofAxis: axis)
    }
}

// MARK: Engine

extension IntegerConvolution: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { layer.outputZeroPoint }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .integer(.convolution(layer, window: window))
    }
}
