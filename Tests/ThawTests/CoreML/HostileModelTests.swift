import Testing

@testable import Thaw

/// Models with a field value that no tool writes. They are refused with the reason; none may crash the process.
@Suite struct HostileModelTests {
    /// A network on an image of 6 channels, with one layer whose fields `change` sets.
    private static func network(_ change: (inout Message) -> Void) throws -> Message {
        var builder = GraphBuilder(channelOrder: .first)
        let input = builder.input("input", TensorType([1, 6, 4, 4]))
        builder.output("output", try builder.one(Unary(.relu), input))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        var layers: [Message] = message.neuralNetwork.layers
        change(&layers[0])
        message.neuralNetwork.layers = layers
        return message
    }

    private struct Layer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let words: String
        let change: @Sendable (inout Message) -> Void
    }

    private static let largest = Int.max

    @Test(arguments: [
        Layer(testDescription: "an activation without a kind", words: "the type of the activation is missing") {
            $0.activation = Message(MessageType.layer.type(of: "activation"))
        },
        Layer(testDescription: "2^63 − 1 groups", words: "\(largest) groups of 2 channels") {
            $0.convolution.nGroups = largest
            $0.convolution.outputChannels = 2
            $0.convolution.kernelChannels = 2
        },
        Layer(testDescription: "2^63 − 1 channels in each of two groups", words: "2 groups of \(largest) channels") {
            $0.convolution.nGroups = 2
            $0.convolution.outputChannels = 2
            $0.convolution.kernelChannels = largest
        },
        Layer(testDescription: "2^63 − 1 channels from a deconvolution", words: "not a valid weight shape") {
            $0.convolution.isDeconvolution = true
            $0.convolution.outputChannels = largest
        },
        Layer(testDescription: "parts of 2^63 − 1", words: "is outside the tensor") {
            $0.splitND.axis = 1
            $0.splitND.splitSizes = [largest, largest]
        },
        Layer(testDescription: "2^63 − 1 parts", words: "\(largest) equal parts") {
            $0.splitND.axis = 1
            $0.splitND.numSplits = largest
        },
        Layer(testDescription: "a slice that begins at 2^63 − 1", words: "is outside the tensor") {
            $0.sliceStatic.beginIds = [0, largest, 0, 0]
            $0.sliceStatic.endIds = [1, 1, 4, 4]
            $0.sliceStatic.strides = [1, 1, 1, 1]
            $0.sliceStatic.beginMasks = [false, false, false, false]
            $0.sliceStatic.endMasks = [false, false, false, false]
            $0.sliceStatic.squeezeMasks = [false, true, false, false]
        },
    ]) private func `a layer with impossible values is refused`(_ layer: Layer) throws {
        let message = try Self.network(layer.change)
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.description.contains(layer.words) == true, "\(failure?.description ?? "")")
    }

    @Test func `a list of sizes that is too long is refused`() throws {
        let list = Operand.constant(Tensor(integers: Array(repeating: 1, count: 65_537), shape: [65_537]))
        let layer = NeuralLayer(
            name: "l", kind: "reshapeDynamic", parameters: Message(MessageType.layer), inputs: [list], outputCount: 1)
        let operation = MILRead(
            name: "o", kind: "reshape", arguments: ["shape": [.operand(list)]], outputCount: 1)
        let failures = [
            #expect(throws: Failure.self) { try layer.integers(0) },
            #expect(throws: Failure.self) { try operation.integers("shape") },
        ]
        for (failure, subject) in zip(failures, ["input 0", "the argument 'shape'"]) {
            let text = failure?.description ?? ""
            #expect(text.contains("\(subject) has 65537 elements"), "\(text)")
        }
    }

    @Test(arguments: ["INT32", "INT64", "BOOL"]) func `a program's image that is not floating-point is refused`(
        _ element: String
    ) throws {
        var builder = GraphBuilder()
        let value = builder.input("image", TensorType([1, 4, 4, 3]))
        builder.output("output", try builder.one(Unary(.relu), value))
        let image = ImageInput(name: "image", width: 4, height: 4, color: .rgb)
        var message = try ProgramWriter.run(Model(graph: builder.graph, image: image)).message
        var functions: [Message] = message.mlProgram.functions
        var inputs: [Message] = functions[0]["value"].inputs
        inputs[0]["type"]["tensorType"]["dataType"] = element
        functions[0]["value"].inputs = inputs
        message.mlProgram.functions = functions
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.description.contains("the input 'image' is an image") == true, "\(failure?.description ?? "")")
    }
}
