import Testing

@testable import Thaw

/// Transposed convolutions of volumes.
@Suite struct TransposedVolumeTests {
    private static func output(_ change: (inout Message) -> Void) throws -> Tensor {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let array = builder.input("array", TensorType([1, 2, 3, 4, 5]))
        builder.output("result", try builder.one(Unary(.absolute), array))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        var layers: [Message] = message.neuralNetwork.layers
        let filters = noise(2 * 3 * 27, seed: 3)
        layers[0].convolution3d.isDeconvolution = true
        layers[0].convolution3d.inputChannels = 2
        layers[0].convolution3d.outputChannels = 3
        for name in ["Depth", "Height", "Width"] { layers[0].convolution3d["kernel" + name] = 3 }
        layers[0].convolution3d.weights.floatValue = filters.withUnsafeBytes { ByteView(copying: $0) }
        change(&layers[0].convolution3d)
        message.neuralNetwork.layers = layers
        let graph = try ModelReader.run(message).model.graph
        return try graph.evaluate([Tensor(noise(120), shape: graph[graph.inputs[0].value].shape)])[0]
    }

    private static func pad(_ parameters: inout Message) {
        parameters.paddingType = "CUSTOM"
        for side in ["Front", "Back", "Top", "Bottom", "Left", "Right"] { parameters["customPadding" + side] = 1 }
    }

    /// coremltools writes both.
    @Test func `an output shape that agrees with the padding changes nothing`() throws {
        let padded = try Self.output { Self.pad(&$0) }
        let both = try Self.output {
            Self.pad(&$0)
            $0.outputShape = [3, 4, 5]
        }
        #expect(both == padded && padded.elementCount == 3 * 60)
    }

    @Test func `without padding, an output shape crops the end`() throws {
        let whole = try Self.output { _ in }
        let cropped = try Self.output { $0.outputShape = [5, 6, 6] }
        #expect(cropped.elementCount == 3 * 5 * 6 * 6 && whole.elementCount == 3 * 5 * 6 * 7)
        let rows = stride(from: 0, to: whole.elementCount, by: 7).flatMap { whole.floats[$0..<$0 + 6] }
        #expect(cropped.floats == rows)
    }
}
