import Foundation
import Testing

@testable import Thaw

/// How quantized models are stored and read again.
extension QuantizationTests {
    /// The scale of each layer's input.
    private static func layerScales(_ graph: Graph) -> [AffineScale?] {
        let producers = graph.producers
        return graph.nodes.filter { $0.operation is any QuantizableLayer }.map {
            (producers[$0.inputs[0]]?.operation as? AffineDequantize)?.scale
        }
    }

    private static let forms: [(file: String, target: CoreMLVersion?, isProgram: Bool)] = [
        ("m.mlpackage", nil, true), ("m.mlpackage", .iOS18, true), ("m.mlpackage", .iOS16, false),
        ("m.mlpackage", .iOS15, false), ("m.mlmodel", nil, false),
    ]

    @Test(arguments: networks, forms) func `a quantized model is read again`(
        _ name: String, _ form: (file: String, target: CoreMLVersion?, isProgram: Bool)
    ) throws {
        let quantization = try Quantization(Self.model(name), imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: form.file).path
        try quantization.write(
            toFile: path, target: form.target,
            precision: ProgramPrecision(compute: form.target == .iOS15 || !form.isProgram ? nil : .float32))
        let read = try Model.load(contentsOfFile: path)
        #expect(read.warnings.isEmpty, "\(read.warnings)")
        #expect(read.model.isQuantized)
        #expect(read.model.graph.isQuantized == form.isProgram)
        #expect(read.model.quantization?.photoCount == Self.photos.count)
        let again = try #require(try read.model.quantizedGraph())
        let input = Self.input(again)
        let expected = quantization.model.graph.output(for: input)
        // Biases are stored in float16, or weights are dequantized in another order; a value may be rounded to the next
        // integer.
        #expect(difference(again.output(for: input), expected) < 0.05)
        // A group of values that share their parameters may have more members when it is read.
        let rounding = { (graph: Graph) in graph.nodes.count { $0.operation is AffineQuantize } }
        #expect(rounding(again) >= rounding(quantization.model.graph))
        #expect(Self.layerScales(again) == Self.layerScales(quantization.model.graph))
    }

    /// Networks whose values have other names when they are read: from reshapes around dense layers, groups, and more.
    private static let renaming = [
        "keras_vgg16", "keras_densenet121", "keras_efficientnet_b0", "keras_inception_v3", "keras_mobilenet_v3",
        "keras_nasnet_mobile", "keras_xception", "digits_dense", "squeezenet", "inception",
    ]

    @Test(arguments: renaming, ["m.mlmodel", "m.mlpackage"])
    func `layers keep their ranges in metadata`(_ name: String, _ file: String) throws {
        let quantization = try Quantization(Self.model(name), imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: file).path
        try quantization.write(toFile: path, target: file == "m.mlpackage" ? .iOS16 : nil)
        let read = try Model.load(contentsOfFile: path)
        #expect(read.warnings.isEmpty, "\(read.warnings)")
        let graph = try #require(try read.model.quantizedGraph())
        #expect(Self.layerScales(graph) == Self.layerScales(quantization.model.graph))
    }

    /// A graph that takes a small image, quantized, written with its ranges in the metadata, and read.
    private static func readBack(
        _ graph: Graph, from file: String
    ) throws -> (quantization: Quantization, read: Conversion) {
        let image = ImageInput(name: "input", width: 8, height: 8, color: .rgb)
        let quantization = try Quantization(Model(graph: graph, image: image), imagesAt: photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: file).path
        try quantization.write(toFile: path, target: file == "m.mlpackage" ? .iOS16 : nil)
        return (quantization, try Model.load(contentsOfFile: path))
    }

    /// max(x, 0) + min(x, 0) · slopes: a leaky rectifier with a slope for each channel.
    @Test(arguments: ["m.mlmodel", "m.mlpackage"])
    func `activations of several nodes keep their ranges in metadata`(_ file: String) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 8, 8, 3]))
        let x = try Self.convolution(&builder, input, "a")
        let below = try builder.add(Binary(.minimum, constant: Tensor([0], shape: [])), [x], name: "below")
        let slopes = Tensor((0..<4).map { Float($0) / 8 }, shape: [4])
        let scaled = try builder.add(Binary(.multiply, constant: slopes), below, name: "scaled")
        let above = try builder.add(Unary(.relu), [x], name: "above")
        let sum = try builder.add(Binary(.add), above + scaled, name: "sum")[0]
        builder.output("output", try Self.convolution(&builder, sum, "b"))
        let (quantization, read) = try Self.readBack(builder.graph, from: file)
        let graph = try #require(try read.model.quantizedGraph())
        let rounding = { (graph: Graph) in graph.nodes.count { $0.operation is AffineQuantize } }
        #expect(rounding(graph) == rounding(quantization.model.graph))
        let values = Self.input(graph)
        #expect(difference(graph.output(for: values), quantization.model.graph.output(for: values)) < 0.02)
    }

    @Test(arguments: ["m.mlmodel", "m.mlpackage"])
    func `every output of a node keeps its range in metadata`(_ file: String) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 8, 8, 3]))
        let parts = try builder.add(
            Split(axis: 3, sizes: [2, 2]), [Self.convolution(&builder, input, "a")], name: "split")
        let results = try zip(parts, ["b", "c"]).map { try Self.convolution(&builder, $0, $1) }
        builder.output("output", try builder.add(Binary(.add), results, name: "sum")[0])
        let (quantization, read) = try Self.readBack(builder.graph, from: file)
        #expect(read.warnings.isEmpty, "\(read.warnings)")
        let graph = try #require(try read.model.quantizedGraph())
        #expect(Self.layerScales(graph) == Self.layerScales(quantization.model.graph))
    }

    @Test(arguments: [1e-2, 1e-4, 1e-6] as [Float])
    func `a program that computes in float16 keeps scales that are too small for it`(_ factor: Float) throws {
        var model = try Self.model("mobilenet_v1_folded")
        let first = try #require(model.graph.nodes.firstIndex { $0.operation is Convolution })
        var layer = try #require(model.graph.nodes[first].operation as? Convolution)
        layer.filters = Tensor(layer.filters.floats.map { $0 * factor }, shape: layer.filters.shape)
        layer.bias = layer.bias.map { bias in Tensor(bias.floats.map { $0 * factor }, shape: bias.shape) }
        model.graph.nodes[first].operation = layer
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let scales = { (graph: Graph) in Set(graph.nodes.compactMap { ($0.operation as? AffineQuantize)?.scale }) }
        let expected = scales(quantization.model.graph)
        #expect(expected.contains { $0.scales[0] < 0x1p-14 } == (factor < 1e-2))
        #expect(expected.allSatisfy(\.isHalf) == (factor > 1e-6))
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlpackage").path
        try quantization.write(toFile: path)
        let read = try Model.load(contentsOfFile: path)
        #expect(read.warnings.isEmpty, "\(read.warnings)")
        #expect(scales(read.model.graph) == expected)
    }

    @Test func `ranges that a file cannot hold are refused`() throws {
        let large = try Quantization(Self.model("resnet"), imagesAt: Self.photos).modelWithRanges()
        let small = try Quantization(Self.model("mobilenet_v1_folded"), imagesAt: Self.photos).modelWithRanges()
        var encoded = try small.encoded(as: .coreML)
        let failure = try #require(throws: Failure.self) { try encoded.nameRanges(of: large) }
        #expect(failure.code == .cannotQuantize && failure.location != nil)
    }

    @Test func `ranges whose names become the same are refused`() throws {
        var model = try Self.model("mobilenet_v1_folded")
        for index in model.graph.nodes.indices {
            model.graph.nodes[index].name = "layer\(index / 3)\(["/", "-", "_"][index % 3])out"
        }
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let failure = try #require(throws: Failure.self) { try quantization.modelWithRanges() }
        // The first one in the order of the graph.
        var names = Set<String>()
        let plan = QuantizationPlan(model.graph)
        let lost = plan.values.map { plan.name(of: $0) }.first { !names.insert(featureName($0)).inserted }
        #expect(failure.code == .cannotQuantize && lost != nil && failure.location == lost, "\(failure)")
    }

    @Test(arguments: forms) func `a photo is quantized to the same values on every instruction set`(
        _ form: (file: String, target: CoreMLVersion?, isProgram: Bool)
    ) throws {
        let quantization = try Quantization(Self.model("resnet"), imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: form.file).path
        try quantization.write(toFile: path, target: form.target)
        let read = try Model.load(contentsOfFile: path).model
        let image = try #require(read.image)
        let pixels = try DecodedImage(contentsOfFile: Self.photos[0]).pixels.fitted(to: image).bytes
        // The last quantized value: the softmax after it may differ in the last bit.
        var graph = try #require(try read.quantizedGraph())
        let last = try #require(graph.nodes.last { $0.operation is AffineDequantize })
        graph.outputs = [Graph.Port(name: "last", value: last.outputs[0])]
        graph = graph.pruned()
        var expected: Tensor?
        for set in InstructionSet.available {
            for threads in [1, 2] {
                let program = try Program(graph, instructionSet: set, threads: threads, precision: .int8)
                let executor = Executor(program, threads: threads)
                pixels.withUnsafeBufferPointer { executor.load(pixels: $0, image.scaling, forInputAt: 0) }
                try executor.run()
                let output = executor.output(at: 0)
                #expect(Set(output.floats).count > 10)
                if expected == nil { expected = output }
                #expect(output == expected, "\(set), \(threads) threads")
            }
        }
    }

    @Test func `weights take a byte each`() throws {
        let model = try Self.model("mobilenet_v1_folded")
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlmodel").path
        try quantization.write(toFile: path)
        let message = try CoreMLFile(path, .coreML).message()
        #expect(message.hasCompressedWeights && message.knownVersion >= .iOS12)
    }

    // MARK: Damaged metadata

    @Test(arguments: [
        ("not JSON", "{"), ("another version", #"{"version": 2}"#),
        ("more changes than photos", #"{"version": 1, "photos": 1, "changed": 2, "float": [], "codes": {}}"#),
        ("no codes", #"{"version": 1, "photos": 1, "changed": 0, "float": []}"#),
        ("an unknown value", #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"nowhere": [1, 0]}}"#),
        ("an unknown layer", #"{"version": 1, "photos": 1, "changed": 0, "float": ["nowhere"], "codes": {}}"#),
        ("a scale of 0", #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"input": [0, 0]}}"#),
        ("a negative scale", #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"input": [-1, 0]}}"#),
        (
            "an infinite scale",
            #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"input": [1e99, 0]}}"#
        ),
        (
            "a scale of no network",
            #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"input": [1e30, 0]}}"#
        ),
        (
            "a zero point of 256",
            #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"input": [1, 256]}}"#
        ),
        (
            "a zero point of 0.5",
            #"{"version": 1, "photos": 1, "changed": 0, "float": [], "codes": {"input": [1, 0.5]}}"#
        ),
    ])
    func `corrupt ranges are ignored with a warning`(_ damage: String, _ text: String) throws {
        let model = try Self.model("mobilenet_v1_folded")
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlmodel").path
        var damaged = model
        damaged.metadata.userDefined[QuantizationRecord.key] = text
        try damaged.write(toFile: path)
        let read = try Model.load(contentsOfFile: path)
        #expect(read.warnings.map(\.code) == [.quantizationIgnored])
        #expect(read.model.quantization == nil)
        #expect(try read.model.quantizedGraph() == nil)
        let input = Self.input(model.graph)
        #expect(difference(read.model.graph.output(for: input), model.graph.output(for: input)) < 1e-5)
    }
}
