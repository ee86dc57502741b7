/// The maximum or the mean under a window that slides over an image.
///
/// Image: batch, height, width, channel. Padding is never the maximum, and counts toward the mean only if
/// `countsPadding` is set, which it never is in TensorFlow.
struct Pooling: Operation, Hashable {
    enum Function: String, Hashable, Sendable { case maximum, average }

    var function: Function
    var window: Window
    var countsPadding = false

    var kind: String { function == .maximum ? "MaxPooling" : "AveragePooling" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, image[3]])]
    }

    func work(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        .saturatedProduct(outputs[0].shape.elementCount, window.height.size, window.width.size)
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let channels = image[3]
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        return inputs[0].withFloats { x in
            [
                Tensor(shape: output) { y in
                    for position in 0..<y.count / Swift.max(1, channels) {
                        let (row, column) = (position / output[2] % output[1], position % output[2])
                        let batch = position / (output[1] * output[2])
                        for channel in 0..<channels {
                            y[position * channels + channel] = pooled(row, column, image) { h, w in
                                x[((batch * image[1] + h) * image[2] + w) * channels + channel]
                            }
                        }
                    }
                }
            ]
        }
    }

    /// The result at an output position for the values of one channel, by row and column of the image.
    private func pooled(_ row: Int, _ column: Int, _ image: Shape, _ value: (Int, Int) -> Float) -> Float {
        var largest = -Float.infinity
        var (sum, count) = (0.0, 0.0)
        window.forEachTap(row: row, column: column, height: image[1], width: image[2]) { h, w, _, _ in
            let pixel = value(h, w)
            // NaN is ignored, as in TensorFlow.
            if pixel > largest { largest = pixel }
            sum += Double(pixel)
            count += 1
        }
        guard function == .average else { return largest }
        // The mean of a window over padding alone is 0.
        return Float(sum / (countsPadding ? Double(window.height.size * window.width.size) : max(count, 1)))
    }
}

// MARK: Facts

extension Pooling: WindowOperation {
    var family: Family { .pooling }
    var quantizedRole: QuantizedRole { function == .maximum ? .selection : .arithmetic }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { window.use(ofAxis: axis) }

    /// Zeros of the padding may count toward the mean, and the mean of padding alone is 0.
    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? {
        guard function == .average, window.hasPadding else { return range(0) }
        return range(0).map { min($0.lowerBound, 0)...max($0.upperBound, 0) }
    }

    /// The border counts toward the mean, but existing padding might not. Zeros may be larger than the maximum.
    func padded(by border: Border) -> (any Operation)? {
        guard function == .average, countsPadding || !window.hasPadding else { return nil }
        var result = self
        result.window = window.padded(by: border)
        result.countsPadding = true
        return result
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let output = outputs[0].shape
        let name = function == .maximum ? "max pooling" : "average pooling"
        return Caption(
            output[1] * output[2] == 1 ? "Global " + name : name.prefix(1).uppercased() + name.dropFirst(),
            [window.caption])
    }
}

// MARK: TensorFlow

extension Pooling {
    // MaxPoolWithArgmax also returns the indices of the maxima; only the values are supported.
    static let tensorFlow = [
        ("MaxPool", Function.maximum, ImageAxes.image(input: 0)), ("AvgPool", .average, .image(input: 0)),
        ("MaxPoolWithArgmax", .maximum, .channelsLast),
    ].map { name, function, axes in
        TensorFlowRule(name, axes: axes, roles: []) { node, context in
            [
                try context.image(node, node.input(0)) { image, context in
                    try node.requireImage(image)
                    let sizes = try node.ints("ksize", default: [])
                    guard sizes.count == 4, sizes.allSatisfy((1..<1 << 24).contains) else {
                        throw Failure.badAttribute(node.name, node.op, "ksize")
                    }
                    let isChannelsFirst = try node.string("data_format", default: "NHWC") == "NCHW"
                    guard sizes[0] == 1, sizes[isChannelsFirst ? 1 : 3] == 1 else {
                        throw node.refused(
                            "ksize \(sizes) pools over the batch or the channels",
                            remedy: "only height and width can be pooled")
                    }
                    let window = try node.window(
                        height: sizes[isChannelsFirst ? 2 : 1], width: sizes[isChannelsFirst ? 3 : 2], over: image.shape
                    )
                    return try context.add(Pooling(function: function, window: window), image, name: node.name)
                }
            ]
        }
    }
}

// MARK: Engine

extension Pooling: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard window.height.dilation == 1, window.width.dilation == 1 else { return nil }
        return .pooling(function == .maximum ? .maximum : .average, window: window, countsPadding: countsPadding)
    }
}
