import Testing

@testable import Thaw

@Suite struct ImageToImageTests {
    /// An image with something in every corner.
    private func image(_ width: Int, _ height: Int) -> Pixels {
        var state: UInt32 = 7
        return Pixels(
            width: width, height: height, channels: 3,
            bytes: (0..<width * height * 3).map { index in
                state = state &* 1_664_525 &+ 1_013_904_223
                let (x, y) = (index / 3 % width, index / 3 / width)
                return UInt8((x * 3 + y * 2 + Int(state >> 27)) % 256)
            })
    }

    private func network(_ name: String, _ change: (inout ImageToImage.Options) -> Void = { _ in }) throws
        -> ImageToImage
    {
        var options = ImageToImage.Options()
        change(&options)
        let generator = GeneratorCase.named(name)
        return try ImageToImage(contentsOfFile: generator.graph, graphOptions: generator.options, options: options)
    }

    @Test func `a longest side below 1 is refused`() {
        let failure = #expect(throws: Failure.self) { try network("style") { $0.longestSide = 0 } }
        #expect(failure?.code == .invalidOption)
    }

    @Test func `a graph of open size takes each image in its own size, to the nearest multiple`() throws {
        let sizes = [(33, 46, 32, 48), (64, 21, 64, 20), (1, 1, 4, 4)]
        for name in ["style", "generator"] {
            let network = try network(name)
            for (width, height, newWidth, newHeight) in sizes where name == "style" || width > 1 {
                let result = try network.apply(to: image(width, height))
                #expect((result.width, result.height) == (newWidth, newHeight))
            }
        }
        let doubled = try network("super_resolution").apply(to: image(19, 23))
        #expect((doubled.width, doubled.height, doubled.channels) == (38, 46, 3))
    }

    @Test func `an image is scaled down until no side exceeds the limit`() throws {
        let network = try network("style") { $0.longestSide = 30 }
        for (width, height, newWidth, newHeight) in [(300, 200, 28, 20), (20, 16, 20, 16), (15, 90, 4, 28)] {
            let result = try network.apply(to: image(width, height))
            #expect((result.width, result.height) == (newWidth, newHeight))
        }
    }

    /// The same values come from other memory locations, so sums may be in another order: a difference of at most one level.
    @Test(arguments: [24, 31, 50, 89]) func `tiles fit together seamlessly`(_ tile: Int) throws {
        let image = image(90, 67)
        let whole = try network("super_resolution").apply(to: image)
        let tiled = try network("super_resolution") { $0.tile = tile }.apply(to: image)
        #expect((tiled.width, tiled.height) == (whole.width, whole.height))
        let worst = zip(tiled.bytes, whole.bytes).map { abs(Int($0) - Int($1)) }.max()
        #expect(worst! <= 1)
    }

    /// Strides, mirrored borders, transposed convolutions, resizes, pooling and slices, but nothing global.
    @Test func `tiles of a network with strides fit together`() throws {
        func model(_ width: Int, _ height: Int) throws -> Model {
            try imageModel(size: (width, height)) { builder, input in
                func filters(_ size: Int, _ inputs: Int, _ outputs: Int) -> Tensor {
                    Tensor(
                        (0..<size * size * inputs * outputs).map { Float(($0 * 37) % 19 - 9) * 0.07 },
                        shape: [size, size, inputs, outputs])
                }
                func window(_ size: Int, _ stride: Int, _ before: Int, _ after: Int) -> Window {
                    let axis = Window.Axis(size: size, stride: stride, before: before, after: after)
                    return Window(height: axis, width: axis)
                }
                var value = try builder.add(
                    Binary(.multiply, constant: Tensor([1 / 255 as Float], shape: [])), [input], name: "scale")[0]
                for axis in [1, 2] {
                    let shape = builder[value].shape
                    func part(_ start: Int) throws -> Graph.Value {
                        var ranges = shape.map { StridedSlice.Range(start: 0, count: $0) }
                        ranges[axis] = StridedSlice.Range(start: start, count: 2, step: -1)
                        return try builder.add(StridedSlice(ranges: ranges), [value], name: "mirror")[0]
                    }
                    value = try builder.add(
                        Concatenation(axis: axis), [part(2), value, part(shape[axis] - 2)], name: "mirrored")[0]
                }
                value = try builder.add(
                    Convolution(filters: filters(5, 3, 4), bias: nil, window: window(5, 1, 0, 0)), [value],
                    name: "conv1")[0]
                value = try builder.add(
                    Convolution(filters: filters(3, 4, 6), bias: nil, window: window(3, 2, 0, 1)), [value],
                    name: "conv2")[0]
                value = try builder.add(Unary(.relu), [value], name: "relu")[0]
                value = try builder.add(Pooling(function: .average, window: window(2, 2, 0, 0)), [value], name: "pool")[
                    0]
                value = try builder.add(
                    TransposedConvolution(filters: filters(4, 4, 6), window: window(4, 2, 1, 1)), [value],
                    name: "spread")[0]
                let shape = builder[value].shape
                value = try builder.add(
                    Resize(
                        rows: .linear(.edges, shape[1], 2 * shape[1]), columns: .linear(.edges, shape[2], 2 * shape[2])),
                    [value], name: "resize")[0]
                value = try builder.add(
                    Convolution(filters: filters(3, 4, 3), bias: nil, window: window(3, 1, 1, 1)), [value],
                    name: "conv3")[0]
                return try builder.add(Unary(.sigmoid), [value], name: "sigmoid")[0]
            }
        }
        let image = image(128, 96)
        let whole = try ImageToImage(model(128, 96)).apply(to: image)
        var options = ImageToImage.Options()
        options.tile = 64
        let tiled = try ImageToImage(model(64, 64), options: options).apply(to: image)
        #expect((tiled.width, tiled.height) == (128, 96))
        #expect(zip(tiled.bytes, whole.bytes).map { abs(Int($0) - Int($1)) }.max()! <= 1)
        // The output is not a single color.
        #expect(Set(whole.bytes).count > 20)
    }

    @Test(arguments: ["style", "generator"]) func `a network that depends on the whole image is not split into tiles`(
        _ name: String
    ) throws {
        let failure = try #require(throws: Failure.self) { try network(name) { $0.tile = 64 } }
        #expect(failure.problem.hasPrefix("depends on the whole image"))
        #expect(failure.location?.contains("norm") == true || failure.location?.contains("Norm") == true)
        #expect(failure.hint?.contains("longestSide") == true)
    }

    @Test func `tiles that are too small or do not fit the model are refused`() throws {
        #expect(
            try #require(throws: Failure.self) { try network("super_resolution") { $0.tile = 9 } }.remedy!.hasPrefix(
                "expected tile "))
        let model = try imageModel { builder, input in try builder.add(Unary(.tanh), [input], name: "tanh")[0] }
        var options = ImageToImage.Options()
        options.tile = 3
        #expect(throws: Failure.self) { try ImageToImage(model, options: options) }
        options.tile = nil
        options.longestSide = 3
        #expect(throws: Failure.self) { try ImageToImage(model, options: options) }
    }

    @Test func `an image too large for the memory is refused with its size and a hint`() throws {
        let large = image(256, 128)
        let local = try network("super_resolution") { $0.memory = 300_000 }
        let failure = try #require(throws: Failure.self) { try local.apply(to: large) }
        #expect(failure.problem.contains("256 × 128 pixels"))
        #expect(failure.hint?.contains("tile") == true)
        let global = try network("style") { $0.memory = 300_000 }
        let other = try #require(throws: Failure.self) { try global.apply(to: large) }
        #expect(other.hint?.description == "longestSide N scales it down")
    }

    @Test func `a model without image input or output is refused`() throws {
        #expect(throws: Failure.self) {
            try ImageToImage(contentsOfFile: Fixtures.path("networks/squeezenet/graph.pb"))
        }
    }
}

@Suite struct TilesTests {
    @Test func `a network whose steps are larger than any image is not processed in tiles`() throws {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 4, 4, 3]))
        for stride in [16_777_213, 16_777_199] {
            let axis = Window.Axis(size: 1, stride: stride)
            _ = try builder.add(
                Pooling(function: .maximum, window: Window(height: axis, width: axis)), [image], name: "pool\(stride)")
        }
        var tracing = Locality.Tracing(builder.graph, image)
        for node in builder.graph.nodes { tracing.follow(node) }
        #expect(tracing.global == "pool16777199")
    }

    @Test func `segments cover an axis once and contain the receptive fields of their pixels`() {
        for (step, unit) in [(Fraction(1), 1), (Fraction(1, 2), 1), (Fraction(4), 4), (Fraction(1, 2), 4)] {
            for reach in [0.0, 3, 7.5] {
                let axis = Reach(step: step, first: -reach, last: reach / 2)
                let margin = Tiles.margin(axis, unit)
                for window in stride(from: 2 * margin + unit, through: 2 * margin + 9 * unit, by: unit) {
                    for length in stride(from: window + unit, through: window + 40 * unit, by: unit) {
                        let output = window * step.denominator / step.numerator
                        let segments = Tiles.segments(of: length, window, output, axis, unit: unit)
                        var next = 0
                        for segment in segments {
                            #expect(segment.target == next && !segment.kept.isEmpty)
                            #expect(segment.start % unit == 0 && segment.start + window <= length)
                            next = segment.end
                            let first = Double(segment.kept.lowerBound) * step.value - reach
                            let last = Double(segment.kept.upperBound - 1) * step.value + reach / 2
                            // Only whole pixels between the two positions count.
                            #expect(first.rounded(.up) >= 0 || segment.start == 0)
                            #expect(last.rounded(.down) < Double(window) || segment.start + window == length)
                        }
                        #expect(next == length * step.denominator / step.numerator)
                    }
                }
            }
        }
    }
}
