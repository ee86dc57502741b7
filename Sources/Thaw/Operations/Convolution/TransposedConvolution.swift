/// A transposed convolution: every input pixel is multiplied by the filters and added to the output pixels that the
/// window covers.
///
/// Image: batch, height, width, channel. Weights: height, width, output channels of a group, channels of the image.
/// The window is that of the convolution whose gradient this is: its strides and dilation apply to the result, and its
/// padding is cropped from the result. If the padding after is negative, the result is extended by pixels that contain
/// only the bias.
struct TransposedConvolution: Operation {
    var filters: Tensor
    /// One value per output channel.
    var bias: Tensor?
    var window: Window
    /// The number of channel groups; each output channel reads one of them.
    var groups = 1

    var kind: String { "TransposedConvolution" }
    var weights: [Tensor] { [filters] + (bias.map { [$0] } ?? []) }
    var isSpatial: Bool { true }
    var outputChannels: Int { filters.shape[2] * groups }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        guard image[3] == filters.shape[3], groups > 0, image[3] % groups == 0 else {
            throw Failure.channelMismatch(image[3], filters.shape[3])
        }
        try window.requirePixels()
        let (height, width) = (window.height.transposedSize(image[1]), window.width.transposedSize(image[2]))
        guard height > 0, width > 0 else {
            throw Failure.windowTooLarge(window.height.extent, window.width.extent, image[1], image[2])
        }
        return [TensorType([image[0], height, width, outputChannels])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        inputs[0].shape.elementCount * window.height.size * window.width.size * filters.shape[2]
    }

    /// Besides the multiply-adds, every output pixel searches all rows of the window, and in each row that has an input all
    /// columns.
    func work(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        let pixels = outputs[0].shape.dropLast().reduce(1, *)
        let rows = Swift.min(window.height.size, inputs[0].shape[1])
        let search = Int.saturatedProduct(pixels, window.height.size + rows * window.width.size)
        let (sum, overflow) = search.addingReportingOverflow(multiplyAdds(inputs, outputs))
        return overflow ? .max : sum
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        let start = bias?.floats.map(Double.init) ?? Array(repeating: 0, count: outputChannels)
        return inputs[0].withFloats { x in
            filters.withFloats { w in
                [
                    Tensor(shape: output) { y in
                        for position in 0..<y.count / Swift.max(1, outputChannels) {
                            var sums = start
                            forEachSource(of: position, output, in: image) { pixel, tap in
                                addProducts(of: x, pixel, w, tap, to: &sums)
                            }
                            for channel in 0..<outputChannels {
                                y[position * outputChannels + channel] = Float(sums[channel])
                            }
                        }
                    }
                ]
            }
        }
    }

    /// Calls `body` for every input pixel that contributes to an output pixel, with the index of the pixel in the batch and
    /// that of the tap.
    private func forEachSource(of position: Int, _ output: Shape, in image: Shape, _ body: (Int, Int) -> Void) {
        let batch = position / (output[1] * output[2])
        for (row, ky) in window.height.sources(of: position / output[2] % output[1], in: image[1]) {
            for (column, kx) in window.width.sources(of: position % output[2], in: image[2]) {
                body((batch * image[1] + row) * image[2] + column, ky * window.width.size + kx)
            }
        }
    }

    /// Adds an input pixel times the filters of a tap.
    private func addProducts(
        of x: UnsafeBufferPointer<Float>, _ pixel: Int, _ w: UnsafeBufferPointer<Float>, _ tap: Int,
        to sums: inout [Double]
    ) {
        let (perGroup, channels) = (filters.shape[2], filters.shape[3])
        for i in 0..<channels {
            let group = i / (channels / groups) * perGroup
            for o in 0..<perGroup {
                sums[group + o] += Double(x[pixel * channels + i]) * Double(w[(tap * perGroup + o) * channels + i])
            }
        }
    }
}

extension Window.Axis {
    /// The number of pixels that a transposed window expands `input` to.
    func transposedSize(_ input: Int) -> Int { (input - 1) * stride + extent - before - after }

    /// The axis with its padding after adjusted so that a transposed window expands `input` to `output` pixels.
    func croppedAtEnd(_ input: Int, to output: Int) -> Window.Axis {
        var axis = self
        axis.after = 0
        axis.after = axis.transposedSize(input) - output
        return axis
    }

    /// The input pixels that contribute to an output pixel, each with the tap involved.
    fileprivate func sources(of pixel: Int, in input: Int) -> [(pixel: Int, tap: Int)] {
        (0..<size).compactMap { tap in
            let step = pixel + before - tap * dilation
            return step >= 0 && step % stride == 0 && step / stride < input ? (step / stride, tap) : nil
        }
    }
}

// MARK: Facts

extension TransposedConvolution {
    var family: Family { .convolution }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        switch axis {
        case 1: .local(1, window.height.transposedReach)
        case 2: .local(2, window.width.transposedReach)
        case 3: .combined
        default: .kept(axis)
        }
    }

    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? {
        let perGroup = filters.shape[2]
        let channels = filters.shape[3]
        let perInput = channels / groups
        let factors = (0..<perGroup * channels).map { i in
            arithmetic.scale[i % channels / perInput * perGroup + i / channels]
        }
        var result = self
        result.filters = filters.scaled(lastAxes: factors)
        result.bias = arithmetic.applied(to: bias)
        return result
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Transposed convolution", [window.caption + ", \(outputChannels) filters"])
    }
}

extension Window.Axis {
    /// The pixels on which a transposed window's result depends.
    fileprivate var transposedReach: Reach {
        let step = 1 / Double(stride)
        return Reach(
            step: Fraction(1, stride), first: Double(before - (extent - 1)) * step, last: Double(before) * step)
    }
}

// MARK: TensorFlow

extension TransposedConvolution {
    static let tensorFlow = [
        TensorFlowRule("Conv2DBackpropInput", axes: .image(input: 2), roles: [.layer, .map]) { node, context in
            [
                try context.image(node, node.input(2)) { image, context in
                    try node.requireImage(image)
                    let filters = try node.input(1)
                    guard filters.shape.rank == 4 else {
                        throw Failure.weightShape(filters.shape, "height, width, outputs, inputs")
                    }
                    let window = try window(node, filters.shape, image.shape)
                    if let filters = filters.constant {
                        return try context.add(
                            TransposedConvolution(filters: filters.asFloat32, window: window), image, name: node.name)
                    }
                    return try context.transposedConvolution(image, filters, window, name: node.name)
                }
            ]
        }
    ]

    /// The window of the convolution whose gradient the node computes. It slides over the node's result.
    private static func window(_ node: TensorFlowNode, _ filters: Shape, _ image: Shape) throws -> Window {
        let sizes = try node.integers(0, "output shape")
        let isChannelsFirst = try node.string("data_format", default: "NHWC") == "NCHW"
        guard sizes.count == 4 || sizes.count == 2, sizes.suffix(3).allSatisfy((1..<1 << 24).contains) else {
            throw node.refused("\(Shape(sizes)) is not a valid image shape")
        }
        let channels = sizes.count == 2 ? filters[2] : sizes[isChannelsFirst ? 1 : 3]
        let size = sizes.count == 2 ? sizes : Array(sizes[(isChannelsFirst ? 2 : 1)...].prefix(2))
        guard channels == filters[2] else {
            throw node.refused(
                "the result should have \(channels) channels", remedy: "the weights are for \(filters[2])")
        }
        var window = try node.window(
            height: filters[0], width: filters[1], over: [image[0], size[0], size[1], channels])
        guard window.height.outputSize(size[0]) == image[1], window.width.outputSize(size[1]) == image[2] else {
            throw node.refused(
                "an image of \(image[2])×\(image[1]) pixels cannot become one of \(size[1])×\(size[0])",
                remedy: "the strides and padding do not produce that size")
        }
        window.height = window.height.croppedAtEnd(image[1], to: size[0])
        window.width = window.width.croppedAtEnd(image[2], to: size[1])
        return window
    }
}
