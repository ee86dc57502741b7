/// A convolution of an image with a bank of filters.
///
/// Image: batch, height, width, channel. Weights: height, width, channels of a group, output channels. As in every
/// framework the filters are not flipped, so strictly speaking it is a cross-correlation.
struct Convolution: Operation {
    var filters: Tensor
    /// One value per output channel.
    var bias: Tensor?
    var window: Window

    var kind: String { "Convolution" }
    var weights: [Tensor] { [filters] + (bias.map { [$0] } ?? []) }
    var isSpatial: Bool { true }
    var outputChannels: Int { filters.shape[3] }

    /// The number of channel groups; each output channel reads one of them.
    func groups(inputChannels: Int) -> Int { inputChannels / filters.shape[2] }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        let perGroup = filters.shape[2]
        guard perGroup > 0, image[3] % perGroup == 0, outputChannels % Swift.max(1, image[3] / perGroup) == 0,
            image[3] > 0
        else {
            throw Failure.channelMismatch(image[3], perGroup)
        }
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, outputChannels])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * window.height.size * window.width.size * filters.shape[2]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let channels = inputs[0].shape[3]
        let perGroup = filters.shape[2]
        let outputsPerGroup = outputChannels / groups(inputChannels: channels)
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        return filters.withFloats { w in
            [
                window.convolve(inputs[0], to: output, bias: bias) { sums, pixel, tap in
                    for group in 0..<channels / perGroup {
                        let groupSums = sums + group * outputsPerGroup
                        for i in 0..<perGroup {
                            let value = Double(pixel[group * perGroup + i])
                            let weights =
                                w.baseAddress! + (tap * perGroup + i) * outputChannels + group * outputsPerGroup
                            for o in 0..<outputsPerGroup { groupSums[o] += value * Double(weights[o]) }
                        }
                    }
                }
            ]
        }
    }
}

extension Window {
    /// Slides over an image and computes one row of accumulators per output pixel: the bias, plus what `accumulate`
    /// adds for each tap.
    ///
    /// - Parameter accumulate: Receives the accumulators, one per output channel, the channels of the pixel under the
    ///   tap, and the index of the tap in row-major order.
    func convolve(
        _ image: Tensor, to output: Shape, bias: Tensor?,
        _ accumulate: (UnsafeMutablePointer<Double>, UnsafePointer<Float>, Int) -> Void
    ) -> Tensor {
        let shape = image.shape
        let channels = output[3]
        let start = bias?.floats.map(Double.init) ?? Array(repeating: 0, count: channels)
        return withUnsafeTemporaryAllocation(of: Double.self, capacity: channels) { row in
            let sums = row.baseAddress!
            return image.withFloats { x in
                Tensor(shape: output) { y in
                    for position in 0..<y.count / max(1, channels) {
                        let column = position % output[2]
                        let row = position / output[2] % output[1]
                        let batch = position / (output[1] * output[2])
                        sums.initialize(from: start, count: channels)
                        forEachTap(row: row, column: column, height: shape[1], width: shape[2]) { h, w, ky, kx in
                            let pixel = ((batch * shape[1] + h) * shape[2] + w) * shape[3]
                            accumulate(sums, x.baseAddress! + pixel, ky * width.size + kx)
                        }
                        for channel in 0..<channels { y[position * channels + channel] = Float(sums[channel]) }
                    }
                }
            }
        }
    }

    /// Calls `body` for every pixel under the window at an output position, with the row and column of the pixel and of
    /// the tap. Taps over the padding are skipped.
    func forEachTap(
        row: Int, column: Int, height imageHeight: Int, width imageWidth: Int, _ body: (Int, Int, Int, Int) -> Void
    ) {
        for ky in 0..<height.size {
            let y = row * height.stride - height.before + ky * height.dilation
            guard y >= 0, y < imageHeight else { continue }
            for kx in 0..<width.size {
                let x = column * width.stride - width.before + kx * width.dilation
                guard x >= 0, x < imageWidth else { continue }
                body(y, x, ky, kx)
            }
        }
    }
}

// MARK: Facts

extension Convolution: WindowOperation {
    var family: Family { .convolution }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 3 ? .combined : window.use(ofAxis: axis)
    }

    var quantizedRole: QuantizedRole { .layer }

    func padded(by border: Border) -> (any Operation)? { sliding(window.padded(by: border)) }

    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? {
        var result = self
        result.filters = filters.scaled(lastAxes: arithmetic.scale)
        result.bias = arithmetic.applied(to: bias)
        return result
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let groups = self.groups(inputChannels: inputs[0].shape[3])
        let filters = ", \(outputChannels) filters" + (groups > 1 ? ", \(groups) groups" : "")
        return Caption("Convolution", [window.caption + filters])
    }
}

extension Convolution: QuantizableLayer {
    func largestWeights(inputChannels: Int) -> [Float]? { filters.shape[2] == inputChannels ? largestAlongRows() : nil }
    func multiplyingInputs(by factors: [Double]) -> any QuantizableLayer { multiplyingRows(by: factors) }

    var kernel: Tensor {
        get { filters }
        set { filters = newValue }
    }
}

// MARK: TensorFlow

extension Convolution {
    static let tensorFlow = [
        TensorFlowRule("Conv2D", axes: .image(input: 0), roles: [.layer, .map]) { node, context in
            [
                try context.image(node, node.input(0)) { image, context in
                    try node.requireImage(image)
                    let filters = try node.input(1)
                    guard filters.shape.rank == 4 else {
                        throw Failure.weightShape(filters.shape, "height, width, inputs, outputs")
                    }
                    let window = try node.window(height: filters.shape[0], width: filters.shape[1], over: image.shape)
                    if let filters = filters.constant {
                        return try context.add(
                            Convolution(filters: filters.asFloat32, window: window), image, name: node.name)
                    }
                    return try context.convolve(image, filters, window, name: node.name)
                }
            ]
        }
    ]
}

// MARK: Integers

extension Convolution: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        let inputs = use.types[0].shape[3]
        guard groups(inputChannels: inputs) == 1 else { return nil }
        let terms = window.height.size * window.width.size * inputs
        return IntegerLayer(filters, bias: bias, terms: terms, use).map {
            IntegerConvolution(layer: $0, window: window)
        }
    }
}
