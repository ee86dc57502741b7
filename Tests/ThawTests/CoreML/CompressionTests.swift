import Foundation
import Testing

@testable import Thaw

/// Compression of existing models.
@Suite struct CompressionTests {
    /// A model with several outputs, one of them an image, and with much metadata.
    private static func imageToImage() throws -> Model {
        var model = try imageModel(size: (8, 6)) { builder, input in
            let filters = Convolution(
                filters: Tensor(noise(9 * 3 * 8), shape: [3, 3, 3, 8]), bias: Tensor(noise(8), shape: [8]),
                window: Window(height: .init(size: 3, before: 1, after: 1), width: .init(size: 3, before: 1, after: 1)))
            let features = try builder.add(filters, [input], name: "features")[0]
            let last = Convolution(
                filters: Tensor(noise(24), shape: [1, 1, 8, 3]), bias: nil,
                window: Window(height: .init(size: 1), width: .init(size: 1)))
            return try builder.add(Unary(.sigmoid), builder.add(last, [features], name: "last"), name: "styled")[0]
        }
        let features = try #require(model.graph.nodes.first { $0.name == "features" }).outputs[0]
        model.graph.outputs.append(Graph.Port(name: "features", value: features))
        model.metadata.author = "A. Person"
        model.metadata.license = "CC0"
        model.metadata.description = "Paints"
        model.metadata.version = "2.1"
        model.metadata.userDefined = ["a key": "a value", "b": ""]
        return model
    }

    private static let fixtures = ["rgb", "bgr", "gray", "array", "array_exact", "rgb_half", "converted"]
    private static let networks = ["mobilenet_v1_folded", "resnet", "preprocess_per_channel_sub_div"]
    private static let types: [WeightType] = [.int8, .palette8, .palette6, .palette4, .float16]

    private static let sources =
        fixtures.map { "\($0).mlmodel" }
        + (networks + ["image_to_image"]).flatMap { ["\($0).mlmodel", "\($0).mlpackage"] }

    /// The model of this name, and a temporary folder for its compressed forms.
    private func source(_ name: String) throws -> (TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent(name).path
        let base = String(name[..<name.lastIndex(of: ".")!])
        if Self.fixtures.contains(base) {
            try FileManager.default.copyItem(atPath: Fixtures.path("coreml/\(name)"), toPath: path)
        } else if base == "image_to_image" {
            try Self.imageToImage().write(toFile: path, weights: WeightStorage(.float32))
        } else {
            try NetworkCase.all.first { $0.name == base }!.conversion().model.write(
                toFile: path, weights: WeightStorage(.float32))
        }
        return (folder, path)
    }

    private func message(_ path: String) throws -> Message { try CoreMLFile(path, ModelFormat(of: path)).message() }

    /// The kinds of layers or operations.
    private func kinds(_ path: String) throws -> [String] {
        let message = try message(path)
        if message.choice == "mlProgram" {
            return try ProgramReader.kinds(message).filter { !$0.hasPrefix("constexpr_") }
        }
        return (message[message.choice!].layers as [Message]).compactMap(\.choice)
    }

    /// The message without its weights and version: everything that must stay unchanged.
    private func kept(_ path: String) throws -> Message {
        func strip(_ message: inout Message) {
            if message.messageType == .weights {
                message = Message(.weights)
            } else if message.messageType == .block {
                // The replacement of a constant has its name.
                let operations: [Message] = message.operations
                message.operations = operations.filter {
                    $0.type as String != "const" && !($0.type as String).hasPrefix("constexpr_")
                }
            } else {
                message.mapMessages(strip)
            }
        }
        var message = try message(path)
        message.specificationVersion = 1
        if message.choice == "mlProgram" {
            var functions: [Message] = message.mlProgram.functions
            functions[0].value.opset = "any"
            var bodies: [Message] = functions[0].value.block_specializations
            bodies[0].key = "any"
            functions[0].value.block_specializations = bodies
            message.mlProgram.functions = functions
        }
        strip(&message)
        return message
    }

    @Test(arguments: sources, types) func `only the weights of a model change`(
        _ name: String, _ type: WeightType
    ) throws {
        let (folder, path) = try source(name)
        let storage = WeightStorage(type, minimumCount: 16)
        if name == "rgb_half.mlmodel", type == .float16 {
            #expect(throws: Failure.alreadyFloat16().inFile(path)) {
                try Compression(contentsOfFile: path, weights: storage)
            }
            return
        }
        let result = folder.url.appendingPathComponent("result." + name.split(separator: ".")[1]).path
        let compression = try Compression(contentsOfFile: path, weights: storage)
        let bytes = try compression.write(toFile: result).bytes
        #expect(try ModelFormat(of: result) == ModelFormat(of: path))
        let (before, after) = (compression.original.model, try Model.load(contentsOfFile: result).model)
        expectSameInterface(after, before)
        // A program that will compute in half precision is converted.
        if !name.hasSuffix("mlpackage") || type.isSelective {
            // A layer followed by a scale is tested separately.
            let isScaled = try kinds(result) != kinds(path)
            #expect(!isScaled || type.paletteBits != nil)
            if !isScaled { #expect(try kept(result) == kept(path)) }
        }
        #expect(try message(result).hasCompressedWeights == type.isSelective)
        // Palettes of 256 values need more space than they save in such small layers.
        if Self.networks.contains(where: name.hasPrefix), type != .palette8 { #expect(bytes < compression.byteCount) }
    }

    private func expectSameInterface(_ after: Model, _ before: Model) {
        #expect(after.image == before.image)
        #expect(after.imageOutput == before.imageOutput)
        #expect(after.classifier == before.classifier)
        #expect(after.metadata == before.metadata)
        #expect(after.graph.outputs.map(\.name) == before.graph.outputs.map(\.name))
    }

    @Test(arguments: ["image_to_image.mlmodel", "image_to_image.mlpackage", "mobilenet_v1_folded.mlmodel"], types)
    func `the other dialect gives the same outputs`(_ name: String, _ type: WeightType) throws {
        let (folder, path) = try source(name)
        let ending = name.hasSuffix("mlmodel") ? "mlpackage" : "mlmodel"
        let result = folder.url.appendingPathComponent("result." + ending).path
        let compression = try Compression(contentsOfFile: path, weights: WeightStorage(type, minimumCount: 16))
        try compression.write(toFile: result)
        let (before, after) = (compression.original.model, try Model.load(contentsOfFile: result).model)
        expectSameInterface(after, before)
        #expect(try message(result).hasShortWeights)
    }

    @Test(arguments: ["mlmodel", "mlpackage"]) func `a model may replace itself`(_ ending: String) throws {
        let (folder, path) = try source("mobilenet_v1_folded." + ending)
        let other = folder.url.appendingPathComponent("other." + ending).path
        let compression = try Compression(contentsOfFile: path, weights: WeightStorage(.palette6, minimumCount: 16))
        try compression.write(toFile: other)
        #expect(throws: Failure.self) { try compression.write(toFile: path, mayReplace: false) }
        try compression.write(toFile: path)
        for file in ending == "mlmodel" ? [""] : ["/Data/com.apple.CoreML/weights/weight.bin", "/Manifest.json"] {
            let data = try Data(contentsOf: URL(fileURLWithPath: path + file))
            #expect(try data == Data(contentsOf: URL(fileURLWithPath: other + file)))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
        // The original is still available for comparison.
        let graph = compression.original.model.graph
        #expect(graph.nodes.allSatisfy { $0.operation.weights.allSatisfy { $0.floats.allSatisfy(\.isFinite) } })
    }

    @Test(arguments: ["mlmodel", "mlpackage"], [WeightType.int8, .palette8, .palette4])
    func `depthwise filters and small tensors are kept, unless requested`(
        _ ending: String, _ type: WeightType
    ) throws {
        let (folder, path) = try source("mobilenet_v1_folded." + ending)
        let result = folder.url.appendingPathComponent("result." + ending).path
        for includesDepthwise in [false, true] {
            let storage = WeightStorage(type, minimumCount: 72, includesDepthwise: includesDepthwise)
            let compression = try Compression(contentsOfFile: path, weights: storage)
            try compression.write(toFile: result)
            // Scales after layers are folded into their weights again.
            let back = try Model.load(contentsOfFile: result).model.graph.withFoldedArithmetic().nodes
            var changed = Set<String>()
            for (before, after) in zip(compression.original.model.graph.nodes, back) {
                for (a, b) in zip(before.operation.weights, after.operation.weights) {
                    #expect(a.shape == b.shape)
                    let isSame = a.floats == b.floats
                    // A palette as large as the tensor contains all its values.
                    if a.elementCount < 72 { #expect(isSame) }
                    if !isSame { changed.insert(before.operation.kind) }
                    #expect(difference(b, a) < 0.1)
                }
            }
            #expect(changed.contains("Convolution"))
            if type != .palette8 { #expect(changed.contains("DepthwiseConvolution") == includesDepthwise) }
        }
    }

    // MARK: Refusals

    private struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var source = "mobilenet_v1_folded.mlmodel"
        var storage = WeightStorage(.int8)
        var ending: String?
        var target: CoreMLVersion?
        let words: String
    }

    @Test(arguments: [
        Refusal(
            testDescription: "no layer large enough", storage: WeightStorage(.int8, minimumCount: 1 << 30),
            words: "no convolution and no dense layer has 1073741824 weights or more; minimumCount"),
        Refusal(
            testDescription: "no layer large enough in a program", source: "mobilenet_v1_folded.mlpackage",
            storage: WeightStorage(.palette4, minimumCount: 1 << 30), words: "no convolution and no dense layer"),
        Refusal(
            testDescription: "a palette for iOS 11", storage: WeightStorage(.palette8), target: .iOS11,
            words: "the target is iOS 11"),
        Refusal(
            testDescription: "half precision for iOS 11", source: "rgb.mlmodel", storage: WeightStorage(.float16),
            target: .iOS11, words: "weights float16 needs iOS 11.2"),
        Refusal(
            testDescription: "a palette of a model for iOS 11", source: "rgb.mlmodel",
            storage: WeightStorage(.palette4, minimumCount: 1), target: .iOS11, words: "weights palette4 needs iOS 12"
        ),
        Refusal(
            testDescription: "a palette in a program for iOS 15", source: "mobilenet_v1_folded.mlpackage",
            storage: WeightStorage(.palette6), target: .iOS15, words: "weights palette6 needs iOS 16"),
        Refusal(
            testDescription: "a program for iOS 14", ending: "mlpackage", target: .iOS14,
            words: "a .mlpackage needs iOS 15"),
        Refusal(
            testDescription: "a palette in the other dialect for iOS 15", storage: WeightStorage(.palette6),
            ending: "mlpackage", target: .iOS15, words: "weights palette6 needs iOS 16"),
    ]) private func `models that cannot be compressed are refused, and nothing is written`(_ refusal: Refusal) throws {
        let (folder, path) = try source(refusal.source)
        let ending = refusal.ending ?? String(refusal.source.split(separator: ".")[1])
        let result = folder.url.appendingPathComponent("result." + ending).path
        let failure = #expect(throws: Failure.self) {
            try Compression(contentsOfFile: path, weights: refusal.storage).write(
                toFile: result, target: refusal.target)
        }
        #expect(failure?.description.contains(refusal.words) == true, "\(failure.map { "\($0)" } ?? "")")
        #expect(!FileManager.default.fileExists(atPath: result))
    }

    @Test(arguments: ["mlmodel", "mlpackage"], types) func `a compressed model is refused`(
        _ ending: String, _ type: WeightType
    ) throws {
        let (folder, path) = try source("mobilenet_v1_folded." + ending)
        let result = folder.url.appendingPathComponent("result." + ending).path
        try Compression(contentsOfFile: path, weights: WeightStorage(type, minimumCount: 16)).write(toFile: result)
        for other in Self.types where type.isSelective || !other.isSelective {
            let expected = type.isSelective ? Failure.alreadyCompressed() : .alreadyFloat16()
            #expect(throws: expected.inFile(result)) {
                try Compression(contentsOfFile: result, weights: WeightStorage(other))
            }
        }
    }

    @Test func `a graph and a trainable model are refused`() throws {
        let graph = Fixtures.path("networks/resnet/graph.pb")
        #expect(throws: Failure.cannotCompressGraph().inFile(graph)) {
            try Compression(contentsOfFile: graph, weights: WeightStorage(.int8))
        }
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlmodel").path
        var message = try NeuralNetworkWriter.message(NetworkCase.all[0].conversion().model)
        message.isUpdatable = true
        _ = try EncodedModel(message).write(to: path, mayReplace: true)
        #expect(throws: Failure.cannotCompressTrainable().inFile(path)) {
            try Compression(contentsOfFile: path, weights: WeightStorage(.int8))
        }
    }

    @Test func `a function must be selected if there are several, because the others would be lost`() throws {
        let path = Fixtures.path("sequences/functions.mlpackage")
        let failure = #expect(throws: Failure.self) {
            try Compression(contentsOfFile: path, weights: WeightStorage(.int8))
        }
        #expect(failure?.description.contains("several functions: 'double', 'negate'") == true, "\(failure!)")
        _ = try Compression(contentsOfFile: path, weights: WeightStorage(.int8), function: "negate")
    }

    @Test(arguments: ["branch", "loop_until"])
    func `a program with branches or loops is refused`(_ name: String) throws {
        let path = Fixtures.path("sequences/\(name).mlpackage")
        let folder = try TemporaryFolder()
        let failure = #expect(throws: Failure.self) {
            _ = try Compression(contentsOfFile: path, weights: WeightStorage(.int8, minimumCount: 1))
                .write(toFile: folder.url.appendingPathComponent("small.mlpackage").path)
        }
        #expect(failure?.code == .cannotCompress)
        #expect(failure?.description.contains("contains nested operations") == true)
    }
}
