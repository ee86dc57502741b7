import Foundation
import Testing

@testable import Thaw

/// Models and photos that are refused, or accepted with a warning.
extension QuantizationTests {
    @Test func `values that float16 cannot represent are refused in a program that computes in it`() throws {
        var model = try Self.model("mobilenet_v1_folded")
        let plan = QuantizationPlan(model.graph)
        let index = plan.layers[1]
        var layer = model.graph.nodes[index].operation as! any QuantizableLayer
        layer.bias = Tensor([Float](repeating: 1e5, count: layer.outputChannels), shape: [layer.outputChannels])
        model.graph.nodes[index].operation = layer
        // ReLU6 would hide it.
        for (clamp, node) in model.graph.nodes.enumerated() where node.inputs == model.graph.nodes[index].outputs {
            model.graph.nodes[clamp].operation = Unary(.relu)
        }
        let quantization = try Quantization(model, imagesAt: Self.photos)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlpackage").path
        let failure = #expect(throws: Failure.self) { try quantization.write(toFile: path) }
        #expect(failure?.code == .cannotQuantize && "\(failure!)".contains("the largest float16 value is 65504"))
        var precision = ProgramPrecision()
        precision.compute = .float32
        try quantization.write(toFile: path, precision: precision)
        try quantization.write(toFile: folder.url.appending(path: "m.mlmodel").path)
    }

    @Test func `a quantized model is not quantized again`() throws {
        let quantization = try Quantization(Self.model("resnet"), imagesAt: Self.photos)
        for model in [quantization.model, try quantization.modelWithRanges()] {
            #expect(throws: Failure.alreadyQuantized()) { try Quantization(model, imagesAt: Self.photos) }
        }
    }

    @Test func `photos are needed, and a single one is enough for a warning`() throws {
        let model = try Self.model("mobilenet_v1_folded")
        #expect(throws: Failure.noPhotos()) { try Quantization(model, imagesAt: []) }
        let single = try Quantization(model, imagesAt: [Self.photos[0]])
        #expect(single.warnings == [.singlePhoto()])
        let missing = Fixtures.path("photographs/none.jpg")
        let failure = #expect(throws: Failure.self) { try Quantization(model, imagesAt: [missing]) }
        #expect(failure?.code == .noSuchFile)
        let some = try Quantization(model, imagesAt: [missing] + Self.photos)
        #expect(some.failures.count == 1 && some.photoCount == Self.photos.count)
    }

    @Test(arguments: [-.infinity, -0.1, 1.1, 1e300, .nan] as [Double])
    func `a share that is out of range is refused`(_ share: Double) throws {
        var options = Quantization.Options()
        options.maximumChangedShare = share
        let failure = #expect(throws: Failure.self) {
            try Quantization(Self.model("mobilenet_v1_folded"), imagesAt: Self.photos, options: options)
        }
        #expect(failure?.code == .invalidOption)
        #expect(failure?.description == "maximumChangedShare is \(share); expected a number from 0 to 1")
    }

    @Test func `unsuitable photos cause a warning`() {
        // The scores of the first class, of three classes.
        func scores(_ first: [Float]) -> [[Float]] { first.map { [$0, (1 - $0) / 2, (1 - $0) / 2] } }
        let many = [Float](repeating: 1, count: 20)
        let classes: [[Float]] = (0..<20).map { photo in (0..<20).map { $0 == photo ? 0.1 : 0.9 / 19 } }
        for (name, scores, warnings) in [
            ("no classes", nil, []), ("one photo", scores([0.9]), [.singlePhoto()]),
            ("ten photos of one class", scores([Float](repeating: 0.9, count: 10)), [.photosOfOneLabel(10)]),
            ("nine photos of one class", scores([Float](repeating: 0.9, count: 9)), []),
            ("two classes", scores(many.indices.map { $0 < 10 ? 0.9 : 0.1 }), []),
            ("unrelated photos", classes, [.uncertainPhotos(0.1)]),
            ("scores that are no probabilities", classes.map { $0.map { $0 * 3 } }, []),
        ] as [(String, [[Float]]?, [Note])] {
            #expect(Quantization.warnings(scores) == warnings, "\(name)")
        }
    }

    @Test(arguments: [(false, .nan), (true, .nan), (true, 3e38)] as [(Bool, Float)])
    func `a layer that computes NaN, or values whose range is infinite, is named`(_ isLast: Bool, _ bias: Float) throws
    {
        var model = try Self.model("mobilenet_v1_folded")
        let plan = QuantizationPlan(model.graph)
        let index = isLast ? plan.layers.last! : plan.layers[2]
        var layer = model.graph.nodes[index].operation as! any QuantizableLayer
        let biases = (0..<layer.outputChannels).map { $0 % 2 == 0 ? bias : -bias }
        layer.bias = Tensor(biases, shape: [layer.outputChannels])
        model.graph.nodes[index].operation = layer
        let failure = #expect(throws: Failure.self) { try Quantization(model, imagesAt: Self.photos) }
        #expect(failure?.code == .cannotQuantize)
        #expect(failure?.nodes.map(\.name) == [model.graph.nodes[index].name])
    }

    @Test func `a label that changes for many photos causes a warning`() {
        #expect(Quantization.warnings(changed: 2, of: 9, atMost: nil) == [])
        #expect(Quantization.warnings(changed: 25, of: 100, atMost: nil) == [])
        #expect(Quantization.warnings(changed: 26, of: 100, atMost: nil) == [.manyLabelsChanged(26, of: 100)])
        #expect(Quantization.warnings(changed: 26, of: 100, atMost: 26) == [])
        #expect(Quantization.warnings(changed: 26, of: 100, atMost: 5) == [.labelsChanged(26, of: 100, atMost: 5)])
    }

    @Test func `batches, and labels of models without classes, are refused`() throws {
        func model(images: Int) throws -> Model {
            var builder = GraphBuilder()
            let input = builder.input("input", TensorType([images, 4, 4, 3]))
            builder.output("output", try Self.convolution(&builder, input, "a"))
            var model = Model(graph: builder.graph)
            model.image = ImageInput(name: "input", width: 4, height: 4, color: .rgb)
            return model
        }
        #expect(throws: Failure.cannotQuantizeBatch(2)) { try Quantization(model(images: 2), imagesAt: Self.photos) }
        var options = Quantization.Options()
        options.maximumChangedShare = 0.1
        #expect(throws: Failure.noLabelsToKeep()) {
            try Quantization(model(images: 1), imagesAt: Self.photos, options: options)
        }
    }

    @Test func `models without an image or without layers are refused`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 4, 3]))
        builder.output("output", try builder.add(Unary(.relu), [input], name: "output")[0])
        var model = Model(graph: builder.graph)
        #expect(throws: Failure.noImageInput()) { try Quantization(model, imagesAt: Self.photos) }
        model.image = ImageInput(name: "input", width: 4, height: 4, color: .rgb)
        #expect(throws: Failure.nothingToQuantize()) { try Quantization(model, imagesAt: Self.photos) }
        model.image?.sizes = .range(width: 4...8, height: 4...8)
        let failure = #expect(throws: Failure.self) { try Quantization(model, imagesAt: Self.photos) }
        #expect(failure?.code == .cannotQuantize)
    }
}
