import Testing

@testable import Thaw

/// Versions of the format that models declare and that they need.
@Suite struct VersionTests {
    /// A network with one convolution of 4096 weights, enough to be compressed.
    private static func message(_ weights: WeightType = .float32) throws -> Message {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let image = builder.input("image", TensorType([1, 64, 4, 4]))
        let convolution = Convolution(
            filters: Tensor(noise(4096), shape: [1, 1, 64, 64]), bias: nil,
            window: Window(height: .init(size: 1), width: .init(size: 1)))
        builder.output("output", try builder.one(convolution, image))
        return try NeuralNetworkWriter.message(Model(graph: builder.graph), weights: WeightStorage(weights))
    }

    @Test(arguments: [
        (WeightType.float32, CoreMLVersion.iOS11), (.float16, .iOS11Point2), (.int8, .iOS12), (.palette8, .iOS12),
    ])
    func `compressed weights need a version that supports them`(_ weights: WeightType, _ needed: CoreMLVersion) throws {
        var message = try Self.message(weights)
        message.specificationVersion = 1
        let warnings = try ModelReader.run(message).warnings
        #expect(warnings == (needed == .iOS11 ? [] : [Note.olderVersion(1, needed.rawValue)]))
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlmodel").path
        _ = try EncodedModel(message).write(to: path, mayReplace: true)
        let contents = try FileContents(contentsOfFile: path)
        #expect(contents.version == 1 && contents.loadableVersion == needed)
    }

    private struct LayerCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let needed: CoreMLVersion
        let change: @Sendable (inout Message) -> Void
    }

    @Test(arguments: [
        LayerCase(testDescription: "upsample", needed: .iOS11) { $0.upsample.scalingFactor = [2, 2] },
        LayerCase(testDescription: "resizeBilinear", needed: .iOS12) { $0.resizeBilinear.targetSize = [2, 2] },
        LayerCase(testDescription: "tan", needed: .iOS13) { $0.choose("tan") },
        LayerCase(testDescription: "clampedReLU", needed: .iOS14) { $0.clampedReLU.beta = 1.0 as Float },
        LayerCase(testDescription: "upsample by a fractional factor", needed: .iOS14) {
            $0.upsample.fractionalScalingFactor = [1, 2] as [Float]
        },
    ]) private func `layers need the version that introduced them`(_ layerCase: LayerCase) throws {
        var message = try Self.message()
        var layers: [Message] = message.neuralNetwork.layers
        layerCase.change(&layers[0])
        message.neuralNetwork.layers = layers
        #expect(message.minimumVersion == layerCase.needed)
    }

    @Test func `layers of conditions count too`() throws {
        var message = try Self.message()
        var layers: [Message] = message.neuralNetwork.layers
        var nested = layers[0]
        nested.clampedReLU.beta = 1.0 as Float
        layers[0].branch.elseBranch.layers = [nested]
        message.neuralNetwork.layers = layers
        #expect(message.minimumVersion == .iOS14)
    }

    @Test(arguments: GraphCase.all) func `written models declare a version that has all their layers`(
        _ graphCase: GraphCase
    ) throws {
        let model = Model(graph: try Passes.run(Passes.simplification, on: graphCase.result().graph))
        let messages = [try? NeuralNetworkWriter.message(model), try? ProgramWriter.run(model).message]
        for message in messages.compactMap({ $0 }) {
            #expect(message.minimumVersion.rawValue <= message.specificationVersion as Int)
            #expect(message.unknownOpset == nil)
        }
    }

    @Test func `an unknown opset is read if every operation is known, with a warning`() throws {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 4, 4, 3]))
        builder.output("held", try builder.one(Unary(.relu6), image))
        var message = try ProgramWriter.run(Model(graph: builder.graph)).message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        functions[0].value.opset = "CoreML99"
        bodies[0].key = "CoreML99"
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        #expect(try ModelReader.run(message).warnings == [Note.unknownOpset("CoreML99")])
    }

    private static func program() throws -> Message {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 4, 4, 3]))
        builder.output("held", try builder.one(Unary(.relu6), image))
        return try ProgramWriter.run(Model(graph: builder.graph)).message
    }

    @Test func `a newer program is read if every operation is known, with a warning`() throws {
        var message = try Self.program()
        message.mlProgram.version = 7
        #expect(try ModelReader.run(message).warnings == [Note.newerProgram(7)])
    }

    @Test func `a package of several functions is refused by their names`() throws {
        var message = try Self.program()
        var functions: [Message] = message.mlProgram.functions
        functions.append(functions[0])
        functions[1].key = "features"
        message.mlProgram.functions = functions
        #expect(throws: Never.self) { try ModelReader.run(message) }
        // Each function has its own description then.
        message.description.input = [] as [Message]
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problem.description == "the package has several functions: 'features', 'main'")
    }

    // MARK: Pipelines

    /// A pipeline of models of these kinds.
    private static func pipeline(_ kinds: [String]) -> Message {
        var pipeline = Message(.model)
        pipeline.pipeline.models = kinds.map { kind in
            var model = Message(.model)
            model.choose(kind)
            return model
        }
        return pipeline
    }

    @Test func `a pipeline is refused by its first unsupported member and its position`() throws {
        var outer = Message(.model)
        outer.specificationVersion = 3
        var network = Message(.model)
        network.choose("neuralNetwork")
        func problem(_ members: [Message]) -> String? {
            outer.pipelineClassifier.pipeline.models = members
            return #expect(throws: Failure.self) { try ModelReader.run(outer) }?.problemText
        }
        #expect(
            problem([network, Self.pipeline(["neuralNetworkClassifier", "wordTagger", "scaler"])])
                == "the model is of kind 'pipelineClassifier': neuralNetwork, neuralNetworkClassifier, wordTagger, "
                + "scaler; member 2.2, of kind 'wordTagger', is not supported")
        #expect(problem([network, network])?.contains("; Pipeline computes its outputs") == true)
        #expect(problem([])?.contains("pipelineClassifier") == true)
    }
}
