import Foundation
import Testing

@testable import Thaw

/// Quantized models in each precision.
@Suite struct QuantizedPrecisionTests {
    private static let photos = ["cat", "coffee", "horse", "photographer", "rocket"].map {
        Fixtures.path("photographs/\($0).jpg")
    }
    private static let network = NetworkCase.all.first { $0.name == "mobilenet_v1_folded" }!
    private static let quantization: Result<Quantization, any Error> = Result {
        // With so few photos, the ranges of this random network matter.
        var options = Quantization.Options()
        options.statistic = .entropy
        return try Quantization(network.conversion().model, imagesAt: photos, options: options)
    }

    /// The same quantized network with operations for quantization, and with the parameters in its metadata.
    private static func models() throws -> [Model] {
        let quantization = try quantization.get()
        return [quantization.model, try quantization.modelWithRanges()]
    }

    private static func input(_ graph: Graph) -> Tensor {
        let shape = graph[graph.inputs[0].value].shape
        return Tensor(noise(shape.elementCount), shape: shape)
    }

    @Test func `int8 uses 8-bit integers, wherever the ranges are stored`() throws {
        let models = try Self.models()
        let programs = try models.map { try Program($0, precision: .int8) }
        let input = Self.input(models[0].graph)
        let outputs = try programs.map { try $0.run([input])[0] }
        #expect(outputs[0] == outputs[1])
        for program in programs {
            #expect(program.precision == .int8)
            let layers = program.steps.filter { $0.multiplyAdds > 0 }
            let others = layers.filter { $0.precision != .int8 }
            #expect(layers.count > 4 && others.isEmpty, "\(others.map(\.name))")
        }
    }

    @Test func `float32 computes quantized values as written, and ignores ranges in metadata`() throws {
        let original = try Self.network.conversion().model.graph
        for model in try Self.models() {
            let program = try Program(model)
            let input = Self.input(model.graph)
            let output = try program.run([input])[0].floats
            #expect(program.precision == .float32)
            #expect(program.steps.allSatisfy { $0.precision == .float32 })
            // Sums in another order may round to the next integer.
            let expected = try model.graph.evaluate([input])[0].floats
            #expect(error(output, expected) < (model.graph.isQuantized ? 0.05 : 1e-4))
            #expect((output == (try Program(original).run([input])[0].floats)) == false)
        }
    }

    @Test func `auto is int8 if the cost is recorded`() throws {
        for model in try Self.models() {
            #expect(try Program(model, precision: .auto).precision == .int8)
            var unknown = model
            unknown.quantization?.photoCount = 0
            unknown.quantization?.changedCount = 0
            #expect(try Program(unknown, precision: .auto).precision == .float32)
        }
        // Metadata without parameters, in a network without quantization.
        var plain = try Self.network.conversion().model
        plain.quantization = QuantizationRecord(photoCount: 100, changedCount: 1)
        #expect(try Program(plain, precision: .auto).precision == .float32)
    }

    @Test func `everything that runs networks takes a precision`() throws {
        let model = try Self.models()[1]
        let image = Self.photos[0]
        func top(_ precision: Precision) throws -> [Float] {
            try Classifier(model, precision: precision).classify(imageAt: image).probabilities
        }
        let expected = try top(.int8)
        #expect(try top(.auto) == expected)
        #expect(try top(.float32) != expected)
        #expect(try Benchmark(model, precision: .auto).precision == .int8)
        let input = Self.input(model.graph)
        let quantized = try Program(model, precision: .int8).run([input])
        #expect(try ArrayRunner(model, precision: .int8).run([(nil, input)])[0].array.floats == quantized[0].floats)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlmodel").path
        try Self.quantization.get().write(toFile: path)
        let document = try ModelDocument(contentsOfFile: path)
        let pixels = try DecodedImage(contentsOfFile: image).pixels.fitted(to: document.model.image!)
        func run(_ precision: Precision) throws -> [Float] {
            try ModelRunner(document, precision: precision).run([(nil, .pixels(pixels))])[0].tensor.floats
        }
        #expect(try run(.int8) == run(.auto))
        #expect(try run(.int8) != run(.float32))
    }

    @Test(arguments: [0, 1]) func `layers have ranges and a precision`(_ index: Int) throws {
        let layers = try Self.models()[index].layerPrecisions()
        let convolutions = layers.filter { $0.operation.contains("Conv") }
        #expect(convolutions.count == 10)
        #expect(convolutions.allSatisfy { $0.isInteger })
        // ReLU6 follows each convolution but the last, whose results are floats.
        for layer in convolutions.dropLast() {
            let range = try #require(layer.range)
            let step = try #require(layer.step)
            #expect(range.lowerBound == 0 && range.upperBound > 0, "\(layer)")
            #expect(abs(range.upperBound - 255 * step) < step)
        }
        #expect(try Self.network.conversion().model.layerPrecisions().isEmpty)
    }

    @Test func `layers that stay in floating point are listed`() throws {
        var model = try Self.models()[1]
        let plan = QuantizationPlan(model.graph)
        let kept = model.graph.nodes[plan.layers[3]].name
        model.quantization?.kept = [featureName(kept)]
        let layers = try model.layerPrecisions()
        #expect(layers.filter { !$0.isInteger }.map(\.name) == [kept])
        let program = try Program(model, precision: .int8)
        let floats = program.steps.filter { $0.multiplyAdds > 0 && $0.precision == .float32 }
        #expect(floats.map(\.name) == [kept])
    }

    /// A layer `a`, a pooling `max` and a layer `b` that reads it. If it is shared, another layer `c` reads it, too.
    private static func pooled(isShared: Bool) throws -> Model {
        var builder = GraphBuilder()
        func layer(_ input: Graph.Value, _ name: String, _ seed: UInt64) throws -> Graph.Value {
            let channels = builder[input].shape[3]
            let filters = Tensor(noise(channels * 4, seed: seed), shape: [1, 1, channels, 4])
            let window = Window(height: .init(size: 1), width: .init(size: 1))
            return try builder.add(Convolution(filters: filters, bias: nil, window: window), [input], name: name)[0]
        }
        let input = builder.input("input", TensorType([1, 8, 8, 3]))
        let window = Window(height: .init(size: 2, stride: 2), width: .init(size: 2, stride: 2))
        let pooling = Pooling(function: .maximum, window: window)
        let largest = try builder.add(pooling, [layer(input, "a", 1)], name: "max")[0]
        var output = try layer(largest, "b", 2)
        if isShared { output = try builder.add(Binary(.add), [output, layer(largest, "c", 3)], name: "sum")[0] }
        builder.output("output", output)
        var model = Model(graph: builder.graph)
        model.image = ImageInput(name: "input", width: 8, height: 8, color: .rgb)
        return model
    }

    @Test(arguments: [false, true], [false, true])
    func `layers after a selection can stay in floating point`(_ isShared: Bool, _ isInMetadata: Bool) throws {
        let model = try Self.pooled(isShared: isShared)
        let plan = QuantizationPlan(model.graph)
        let parameters = Dictionary(uniqueKeysWithValues: plan.values.map { ($0, QuantizationParameters(-2, 2)) })
        var quantized = model
        if isInMetadata {
            quantized.quantization = QuantizationRecord(photoCount: 1, changedCount: 0)
            for (value, pair) in parameters { quantized.quantization!.parameters[plan.name(of: value)] = pair }
            quantized.quantization!.kept = ["b"]
        } else {
            quantized.graph = try model.graph.quantized(parameters, keeping: ["b"])
        }
        let floats = try quantized.layerPrecisions().filter { !$0.isInteger }.map(\.name)
        #expect(floats == ["b"])
        let pooling = try quantized.quantizedGraph()!.withIntegers().nodes.filter { $0.kind.contains("MaxPool") }
        // Only another layer makes the maximum worth computing with integers.
        #expect(pooling.map(\.kind) == [isShared ? "IntegerMaxPooling" : "MaxPooling"])
    }

    @Test(
        arguments: [
            ("input", nil, "'input' has no range"), ("a", nil, "'a' has no range"),
            ("max", QuantizationParameters(-1, 1), "'a' and 'max' have different ranges"),
        ] as [(String, QuantizationParameters?, String)])
    func `ranges that are missing, or that differ where they are shared, do not fit the model`(
        _ name: String, _ parameters: QuantizationParameters?, _ message: String
    ) throws {
        var model = try Self.pooled(isShared: true)
        let plan = QuantizationPlan(model.graph)
        model.quantization = QuantizationRecord(photoCount: 1, changedCount: 0)
        for value in plan.values {
            model.quantization!.parameters[plan.name(of: value)] = QuantizationParameters(-2, 2)
        }
        _ = try model.rangedValues()
        model.quantization!.parameters[name] = parameters
        let failure = #expect(throws: Failure.self) { try model.rangedValues() }
        #expect(failure?.description == message)
    }

    @Test(arguments: [false, true]) func `weights that are not finite are refused in int8, which would hide them`(
        _ isBias: Bool
    ) throws {
        var model = try Self.pooled(isShared: false)
        let plan = QuantizationPlan(model.graph)
        let parameters = Dictionary(uniqueKeysWithValues: plan.values.map { ($0, QuantizationParameters(-2, 2)) })
        model.graph = try model.graph.quantized(parameters)
        let index = try #require(model.graph.nodes.firstIndex { $0.name == "b" })
        var layer = try #require(model.graph.nodes[index].operation as? Convolution)
        if isBias {
            layer.bias = Tensor([0, .nan, 0, 0], shape: [4])
        } else {
            layer.filters = Tensor([Float](repeating: -.infinity, count: 16), shape: [1, 1, 4, 4])
        }
        model.graph.nodes[index].operation = layer
        _ = try Program(model)
        let failure = #expect(throws: Failure.self) { try Program(model, precision: .int8) }
        #expect(failure?.code == .invalidModel)
        #expect(failure?.nodes.map(\.name) == ["b"])
    }

    @Test func `layers have their own names, also if these differ by a number`() throws {
        var model = try Self.pooled(isShared: true)
        for (index, name) in ["a", "max", "a_1", "a_2"].enumerated() { model.graph.nodes[index].name = name }
        let plan = QuantizationPlan(model.graph)
        let parameters = Dictionary(uniqueKeysWithValues: plan.values.map { ($0, QuantizationParameters(-2, 2)) })
        model.graph = try model.graph.quantized(parameters)
        let layers = try model.layerPrecisions().filter { $0.operation == "Convolution" }
        #expect(layers.map(\.name) == ["a", "a_1", "a_2"])
        let names = try Program(model, precision: .int8).steps.filter { $0.multiplyAdds > 0 }.map(\.name)
        #expect(names == ["a", "a_1", "a_2"])
    }

    @Test func `a comparison reports the error of each layer`() throws {
        let conversion = try Self.network.conversion()
        var quantized = conversion
        for model in try Self.models() {
            quantized.model = model
            let comparison = try Comparison(conversion, quantized, precision: .int8)
            #expect(comparison.tolerance == Comparison.shortWeightTolerance)
            let report = try comparison.report(imagesAt: [Self.photos[0]])
            #expect(report.precision == .int8)
            #expect(report.layers.count > 20)
            #expect(report.layers.allSatisfy { $0.difference.relative < 0.5 })
            #expect(report.layers.contains { $0.difference.relative > 1e-3 })
        }
    }
}
