/// Determines the value ranges that a network for upscaling or restoring images uses for the pixels 0 to 255.
///
/// Such a network returns its input, but larger or cleaner. If its values are in another range than in training, its
/// biases are too weak or too strong, and it returns a different image. So a test image is run through the network in
/// each of the usual ranges. If one of them reproduces the image, and does so better than the others, that is the
/// range.
struct PixelRangeTrial {
    /// The scaling of the input's pixels, and the scaling that turns the output into pixels.
    let input: PixelScaling
    let output: PixelScaling
    /// The root mean square difference between the output and the test image at that size, in gray levels.
    let error: Double

    /// The range of the input values: "0 to 1".
    var rangeOfInput: String {
        [(1.0, 0.0), (255, 0), (1, -1)].compactMap { high, low in
            input.scale[0] * 255 + input.bias[0] == high && input.bias[0] == low ? "\(Int(low)) to \(Int(high))" : nil
        }.first ?? "0 to 255"
    }

    /// A network's upscaled image differs from plain interpolation along the edges: for the test image, whose edges are soft,
    /// by about three gray levels. With a wrong range the difference is far larger.
    private static let tolerance = 16.0

    /// The ratio of a later range's error to an earlier one's below which the later one is better. A network without
    /// biases works in all ranges, with errors that hardly differ.
    private static let improvement = 0.9

    /// The ranges with which the network reproduces the test image best; nil if none does.
    ///
    /// - Parameters:
    ///   - graph: Takes one image: batch, height, width, channel.
    ///   - inputs: The candidates for the input. If several are equally good, the first is chosen.
    ///   - output: The scaling that turns the output into pixels, if it is known.
    static func best(_ graph: Graph, inputs: [PixelScaling], output known: PixelScaling? = nil) -> PixelRangeTrial? {
        guard graph.inputs.count == 1, let port = graph.inputs.first else { return nil }
        let shape = graph[port.value].shape
        guard shape.rank == 4, shape[0] == 1, shape[3] == 1 || shape[3] == 3 else { return nil }
        let (width, height, channels) = (shape[2], shape[1], shape[3])
        let index = graph.outputs.firstIndex { output in
            guard graph[output.value].element == .float32, let form = ImageForm(graph[output.value].shape) else {
                return false
            }
            return form.channels == channels && form.width >= width && form.height >= height
        }
        guard let index, let form = ImageForm(graph[graph.outputs[index].value].shape) else { return nil }
        let color: ColorLayout = channels == 1 ? .gray : .rgb
        var model = Model(graph: graph, image: ImageInput(name: port.name, width: width, height: height, color: color))
        // The network's own values, but with the axes of an image.
        model.imageOutput = ImageOutput(index: index, form: form, color: color, exceedsPixels: false)
        guard let pixels = try? model.graphOfPixels(), let program = try? Program(pixels) else { return nil }
        let executor = Executor(program, threads: 1)
        let image = testImage(width: width, height: height, channels: channels)
        let expected = image.fitted(width: form.width, height: form.height, resize: .bicubic)

        let trials = inputs.flatMap { input -> [PixelRangeTrial] in
            image.bytes.withUnsafeBufferPointer { executor.load(pixels: $0, input, forInputAt: 0) }
            guard (try? executor.run()) != nil else { return [] }
            let outputs =
                known.map { [$0] } ?? [input.undone(channels: channels)]
                + PixelScaling.usual(channels).map {
                    $0.undone(channels: channels)
                }
            return outputs.map { output in
                let error = executor.withOutput(at: index) { difference($0, output, expected) }
                return PixelRangeTrial(input: input, output: output, error: error)
            }
        }
        var best = trials.first
        for trial in trials.dropFirst() where trial.error < improvement * (best?.error ?? .infinity) { best = trial }
        guard let best, best.error <= tolerance else { return nil }
        return best
    }

    private static func difference(
        _ values: UnsafeBufferPointer<Float>, _ scaling: PixelScaling, _ expected: Pixels
    ) -> Double {
        let channels = expected.channels
        var sum = 0.0
        for (index, byte) in expected.bytes.enumerated() {
            let channel = index % channels
            let pixel: Double = Double(values[index]) * scaling.scale[channel] + scaling.bias[channel]
            guard !pixel.isNaN else { return .infinity }
            let difference = min(max(pixel, 0), 255) - Double(byte)
            sum += difference * difference
        }
        return (sum / Double(expected.bytes.count)).squareRoot()
    }

    /// Gradients from black to white, with soft-edged discs of various brightness.
    static func testImage(width: Int, height: Int, channels: Int) -> Pixels {
        let discs: [(x: Double, y: Double, radius: Double, levels: [Double])] = [
            (0.22, 0.25, 0.17, [235, 210, 60]), (0.70, 0.20, 0.13, [20, 35, 190]), (0.50, 0.55, 0.20, [128, 60, 90]),
            (0.15, 0.75, 0.12, [60, 150, 40]), (0.82, 0.70, 0.15, [250, 245, 240]), (0.40, 0.88, 0.09, [5, 10, 15]),
        ]
        let side = Double(min(width, height))
        return Pixels(width: width, height: height, channels: channels) { target in
            for index in target.indices {
                let (x, y, channel) = (index / channels % width, index / channels / width, index % channels)
                let (u, v) = (Double(x) / Double(width), Double(y) / Double(height))
                let ramp = [0.6 * u + 0.4 * v, 0.3 * u + 0.7 * v, 1 - 0.5 * u - 0.5 * v][channel]
                var level = 255 * ramp
                for disc in discs {
                    let (dx, dy) = ((u - disc.x) * Double(width), (v - disc.y) * Double(height))
                    let depth = disc.radius * side - (dx * dx + dy * dy).squareRoot()
                    // Edges are four pixels wide.
                    let share = min(max(depth / 4 + 0.5, 0), 1)
                    level += share * (disc.levels[channel] - level)
                }
                target[index] = UInt8(level.rounded())
            }
        }
    }
}

extension PixelScaling {
    /// The ranges that networks are usually trained with, the most common first: 0 to 1, 0 to 255, and -1 to 1.
    static func usual(_ channels: Int) -> [PixelScaling] {
        [(1 / 255.0, 0.0), (1, 0), (1 / 127.5, -1)].map { scale, bias in
            PixelScaling(scale: Array(repeating: scale, count: channels), bias: Array(repeating: bias, count: channels))
        }
    }
}
