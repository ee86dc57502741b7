import Foundation
import Testing

@testable import Thaw

/// Quantization to 8-bit integers.
@Suite struct QuantizationTests {
    static let photos = ["cat", "coffee", "horse", "photographer", "rocket"].map {
        Fixtures.path("photographs/\($0).jpg")
    }
    static let networks = ["mobilenet_v1_folded", "resnet"]

    static func model(_ name: String) throws -> Model {
        try NetworkCase.all.first { $0.name == name }!.conversion().model
    }

    /// An image of smooth noise, as the network takes it.
    static func input(_ graph: Graph) -> Tensor {
        let shape = graph[graph.inputs[0].value].shape
        return Tensor(noise(shape.elementCount), shape: shape)
    }

    // MARK: The quantized network

    @Test(arguments: networks) func `layers read quantized values, and results stay similar`(_ name: String) throws {
        let model = try Self.model(name)
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let graph = quantization.model.graph
        let producers = graph.producers
        for node in graph.nodes {
            guard let layer = node.operation as? any QuantizableLayer else { continue }
            #expect(producers[node.inputs[0]]?.operation is AffineDequantize, "\(node.name)")
            #expect(layer.symmetricWeights != nil, "\(node.name)")
        }
        #expect(quantization.layerCount > 3 && quantization.keptLayers.isEmpty)
        let image = try #require(model.image)
        let pixels = try DecodedImage(contentsOfFile: Self.photos[0]).pixels.fitted(to: image).bytes
        let input = Tensor(shape: graph[graph.inputs[0].value].shape) { values in
            for index in values.indices {
                let channel = index % image.color.channels
                values[index] = Float(
                    image.scaling.scale[channel] * Double(pixels[index]) + image.scaling.bias[channel])
            }
        }
        // Random networks of some dozen layers in a row are sensitive to their 8 bits.
        #expect(difference(graph.output(for: input), model.graph.output(for: input)) < 0.15)
    }

    @Test(arguments: networks) func `kernels round like the reference implementations`(_ name: String) throws {
        let graph = try Self.model(name).graph
        let plan = QuantizationPlan(graph)
        let parameters = Dictionary(uniqueKeysWithValues: plan.values.map { ($0, QuantizationParameters(-1.5, 4)) })
        let input = Self.input(graph)
        let (quantized, rounded) = (try graph.quantized(parameters), try graph.rounded(parameters))
        #expect(quantized.output(for: input) == rounded.output(for: input))
    }

    @Test func `if no label may change, none does`() throws {
        let model = try Self.model("mobilenet_v1_folded")
        var options = Quantization.Options()
        options.maximumChangedShare = 0
        let quantization = try Quantization(model, imagesAt: Self.photos, options: options)
        #expect(quantization.agreeingCount == Self.photos.count)
        #expect(quantization.model.quantization?.changedCount == 0)
        #expect(quantization.model.quantization?.photoCount == Self.photos.count)
    }

    /// How many labels change if 0, 1, 2, … layers are kept, and how many may; the number of layers to keep.
    private static let searches: [(name: String, changed: [Int], maximum: Int, count: Int)] = [
        ("the fewest", [9, 7, 4, 3, 1, 0], 3, 3), ("all layers", [9, 9, 9, 9, 0], 0, 4),
        ("the best, if none is enough", [9, 9, 4, 6, 6], 3, 2), ("none, if each is worse", [5, 6, 7], 4, 0),
        ("a single layer", [1, 0], 0, 1), ("a single layer that does not help", [1, 1], 0, 0),
    ]

    @Test func `as few layers as possible are kept`() {
        for search in Self.searches {
            let count = NetworkQuantizer.fewestLayers(
                search.changed.count - 1, changing: search.maximum, changedWithoutKeeping: search.changed[0],
                changedCount: { search.changed[$0] })
            #expect(count == search.count, "\(search.name)")
        }
    }

    @Test func `images are sampled evenly`() {
        for (total, count, expected) in [(6, 3, [0, 2, 4]), (5, 3, [0, 1, 3]), (2, 3, [0, 1]), (100, 1, [0])] {
            let pixels = (0..<total).map { _ in Pixels(width: 1, height: 1, channels: 3, bytes: [0, 0, 0]) }
            let image = ImageInput(name: "input", width: 1, height: 1, color: .rgb)
            let sampler = ActivationSampler(image: image, pixels: pixels, threads: 1)
            #expect(sampler.sampleIndices(count) == expected)
            #expect(sampler.sample(count).pixels.count == expected.count)
        }
    }

    @Test(arguments: networks) func `unchanged labels are those of the written model in int8`(_ name: String) throws {
        let model = try Self.model(name)
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlmodel").path
        try quantization.write(toFile: path)
        let before = try Classifier(model)
        let after = try Classifier(Model.load(contentsOfFile: path).model, precision: .int8)
        let agreeing = try Self.photos.count {
            try before.classify(imageAt: $0).top(1)[0].index == after.classify(imageAt: $0).top(1)[0].index
        }
        #expect(quantization.agreeingCount == agreeing)
    }

    /// A graph, the nodes after which values are rounded, and the groups that share a range.
    struct PlanCase: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var rounded: [String]
        var groups = 0
        var build: @Sendable (inout GraphBuilder, Graph.Value) throws -> Graph.Value
    }

    static func convolution(_ builder: inout GraphBuilder, _ value: Graph.Value, _ name: String) throws
        -> Graph.Value
    {
        let channels = builder[value].shape[3]
        let layer = Convolution(
            filters: Tensor(noise(channels * 4), shape: [1, 1, channels, 4]), bias: nil,
            window: Window(height: .init(size: 1), width: .init(size: 1)))
        return try builder.add(layer, [value], name: name)[0]
    }

    private static let plans = [
        PlanCase(testDescription: "a bound belongs to its layer", rounded: ["input", "relu"]) { builder, input in
            let first = try convolution(&builder, input, "a")
            return try convolution(&builder, builder.add(Unary(.relu6), [first], name: "relu")[0], "b")
        },
        PlanCase(testDescription: "a bound of a value that is used elsewhere", rounded: ["input", "a", "relu", "sum"]) {
            builder, input in
            let first = try convolution(&builder, input, "a")
            let bound = try builder.add(Unary(.relu), [first], name: "relu")[0]
            return try convolution(&builder, builder.add(Binary(.add), [first, bound], name: "sum")[0], "b")
        },
        PlanCase(testDescription: "the end of the network is not rounded", rounded: ["input"]) { builder, input in
            let first = try convolution(&builder, input, "a")
            return try builder.add(Softmax(axis: 3), [builder.add(Unary(.relu), [first], name: "relu")[0]], name: "b")[
                0]
        },
        PlanCase(
            testDescription: "a maximum has the parameters of its input", rounded: ["input", "a", "max"], groups: 2
        ) {
            builder, input in
            let window = Window(height: .init(size: 2), width: .init(size: 2))
            let first = try convolution(&builder, input, "a")
            let largest = try builder.add(Pooling(function: .maximum, window: window), [first], name: "max")[0]
            return try convolution(&builder, largest, "b")
        },
        PlanCase(testDescription: "a function has a range before and after", rounded: ["input", "a", "sigmoid"]) {
            builder, input in
            let first = try convolution(&builder, input, "a")
            return try convolution(&builder, builder.add(Unary(.sigmoid), [first], name: "sigmoid")[0], "b")
        },
    ]

    @Test(arguments: plans) func `values are rounded where layers begin and end`(_ planCase: PlanCase) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 4, 3]))
        builder.output("output", try planCase.build(&builder, input))
        let plan = QuantizationPlan(builder.graph)
        #expect(plan.values.map { plan.name(of: $0) } == planCase.rounded)
        #expect(plan.groups.count == (planCase.groups > 0 ? planCase.groups : planCase.rounded.count))
    }

    /// A network that was trained with rounding to levels.
    private static func trained(top: Float) throws -> Graph {
        func levels(_ low: Float, _ high: Float) -> FakeQuantize {
            FakeQuantize(channels: [Levels(minimum: low, maximum: high, bottom: 0, top: top)])
        }
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 4, 3]))
        let rounded = try builder.add(levels(-1, 1), [input], name: "rounded")[0]
        let first = try convolution(&builder, rounded, "a")
        let bound = try builder.add(Unary(.relu6), [first], name: "relu")[0]
        // Values above the highest level are clamped to it.
        let second = try convolution(&builder, builder.add(levels(0, 0.5), [bound], name: "levels")[0], "b")
        builder.output("output", second)
        return builder.graph
    }

    @Test(arguments: [255, 254, 15]) func `levels of quantization-aware training are used`(_ top: Float) throws {
        let trained = try Self.trained(top: top)
        let model = Model(graph: trained)
        let graph = try #require(try model.quantizedGraph())
        #expect(graph.nodes.map(\.kind).count { $0 == "FakeQuantize" } == 0)
        #expect(graph.nodes.map(\.kind).count { $0 == "AffineQuantize" } == 2)
        // The weights are rounded to 8 bits.
        let sample = Self.input(graph)
        #expect(difference(graph.output(for: sample), trained.output(for: sample)) < 0.02)
        let integer = try graph.withIntegers().nodes.map(\.kind)
        // The image is clamped to its levels before it is rounded.
        #expect(integer == ["Clip", "AffineQuantize", "IntegerConvolution", "IntegerConvolution"], "\(integer)")
    }

    @Test(arguments: [(255, .iOS17, 2), (255, .iOS16, 0), (15, .iOS17, 0)] as [(Float, CoreMLVersion, Int)])
    func `a program has the levels of training as quantized values, if there are 256`(
        _ top: Float, _ target: CoreMLVersion, _ count: Int
    ) throws {
        let trained = try Self.trained(top: top)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlpackage").path
        var precision = ProgramPrecision()
        precision.compute = .float32
        var model = Model(graph: trained)
        model.image = ImageInput(name: "input", width: 4, height: 4, color: .rgb)
        try model.write(toFile: path, weights: WeightStorage(.float32), target: target, precision: precision)
        let read = try Model.load(contentsOfFile: path).model
        #expect(read.graph.nodes.count { $0.kind == "AffineQuantize" } == count)
        let sample = Self.input(trained)
        #expect(difference(read.graph.output(for: sample), trained.output(for: sample)) < 1e-5)
        guard count > 0 else { return }
        #expect(try read.prepared(for: .int8).precision == .int8)
    }

    @Test func `values that a ReLU hides do not shift the others`() throws {
        // Colors give large negative values, and black pixels the bias, which alone passes the ReLU.
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 16, 16, 3]))
        let first = Convolution(
            filters: Tensor([-100, -90, -37.3, -51.7, -21.7, -12.2], shape: [1, 1, 3, 2]),
            bias: Tensor([1, 0.6], shape: [2]), window: Window(height: .init(size: 1), width: .init(size: 1)))
        let bound = try builder.add(Unary(.relu), [builder.add(first, [input], name: "a")[0]], name: "relu")[0]
        builder.output("output", try Self.convolution(&builder, bound, "b"))
        var model = Model(graph: builder.graph)
        model.image = ImageInput(name: "input", width: 16, height: 16, color: .rgb)
        let folder = try TemporaryFolder()
        let photos = try (0..<4).map { number in
            let path = folder.url.appending(path: "\(number).png").path
            let colors = noise(768, seed: UInt64(number)).map { UInt8(150 + 100 * $0) }
            let bytes = colors.indices.map { $0 / 3 % 2 == 0 ? 0 : colors[$0] }
            try Pixels(width: 16, height: 16, channels: 3, bytes: bytes).write(toFile: path)
            return path
        }
        let quantized = try Quantization(model, imagesAt: photos).model
        let black = Tensor([Float](repeating: 0, count: 768), shape: [1, 16, 16, 3])
        #expect(difference(quantized.graph.output(for: black), model.graph.output(for: black)) < 0.02)
    }

    @Test func `quantizing keeps the levels of training, in metadata too`() throws {
        let trained = try Self.trained(top: 15)
        var model = Model(graph: trained)
        model.image = ImageInput(name: "input", width: 4, height: 4, color: .rgb)
        model.image?.scaling = PixelScaling(scale: [2.0 / 255, 2.0 / 255, 2.0 / 255], bias: [-1, -1, -1])
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlmodel").path
        try quantization.write(toFile: path)
        let read = try Model.load(contentsOfFile: path).model
        for graph in [quantization.model.graph, try #require(try read.quantizedGraph())] {
            let sample = Self.input(graph)
            #expect(difference(graph.output(for: sample), trained.output(for: sample)) < 0.02)
            let integer = try graph.withIntegers().nodes.map(\.kind)
            #expect(integer.count { $0 == "IntegerConvolution" } == 2, "\(integer)")
        }
    }

    @Test(arguments: [false, true]) func `equalized layers compute the same results`(_ isDepthwise: Bool) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 4, 3]))
        let first = Convolution(
            filters: Tensor(noise(12), shape: [1, 1, 3, 4]).scaled(lastAxes: [1, 0.01, 0.3, 2]),
            bias: Tensor([0.1, 0.001, 0, -0.2], shape: [4]),
            window: Window(height: .init(size: 1), width: .init(size: 1)))
        let value = try builder.add(Unary(.relu6), [builder.add(first, [input], name: "a")[0]], name: "relu")[0]
        if isDepthwise {
            let second = DepthwiseConvolution(
                filters: Tensor(noise(36), shape: [3, 3, 4, 1]), bias: nil,
                window: Window(height: .init(size: 3), width: .init(size: 3)))
            builder.output("output", try builder.add(second, [value], name: "b")[0])
        } else {
            builder.output("output", try Self.convolution(&builder, value, "b"))
        }
        let equalization = Equalization(builder.graph)
        #expect(equalization.pairs.map(\.isDepthwise) == [isDepthwise])
        let equalized = equalization.equalized([[2, 0.02, 0.6, 4]])
        let layer = try #require(equalized.nodes[0].operation as? Convolution)
        #expect(layer.filters != first.filters)
        let sample = Self.input(builder.graph)
        #expect(difference(equalized.output(for: sample), builder.graph.output(for: sample)) < 1e-5)
    }
}
