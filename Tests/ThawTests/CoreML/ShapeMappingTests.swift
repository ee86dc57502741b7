import Testing

@testable import Thaw

/// The axes of images and arrays in neural networks. Source: NeuralNetwork.proto of coremltools, "shape mapping".
@Suite struct ShapeMappingTests {
    /// A network of these layers, one after another, on an image.
    private static func message(_ mapping: String, _ changes: [(inout Message) -> Void]) throws -> Message {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 4, 5, 3]))
        builder.output("result", try builder.one(Unary(.absolute), image))
        let model = Model(graph: builder.graph, image: ImageInput(name: "image", width: 5, height: 4, color: .rgb))
        var message = try NeuralNetworkWriter.message(model)
        var network: Message = message.neuralNetwork
        network.imageInputShapeMapping = mapping
        network.layers = changes.enumerated().map { index, change in
            var layer = Message(.layer)
            layer.name = "layer \(index)"
            layer.input = [index == 0 ? "image" : "value \(index)"]
            layer.output = [index == changes.count - 1 ? "result" : "value \(index + 1)"]
            change(&layer)
            return layer
        }
        message.neuralNetwork = network
        return message
    }

    private static func answer(_ mapping: String, _ changes: [(inout Message) -> Void]) throws -> [Float] {
        let graph = try ModelReader.run(message(mapping, changes)).model.graph
        return try graph.evaluate([Tensor(noise(60), shape: graph[graph.inputs[0].value].shape)])[0].floats
    }

    private static func softmax(_ axis: Int) -> (inout Message) -> Void { { $0.softmaxND.axis = axis } }

    @Test(arguments: [(0, 2), (1, 3), (2, 4), (-3, -3), (-1, -1)])
    func `layers since iOS 13 count the sequence axis of an image`(_ four: Int, _ five: Int) throws {
        let axis = four < 0 ? four : four + 1
        let expected = try Self.answer("RANK4_IMAGE_MAPPING", [Self.softmax(axis)])
        #expect(try Self.answer("RANK5_IMAGE_MAPPING", [Self.softmax(five)]) == expected)
    }

    @Test func `old and new layers may alternate`() throws {
        let relu = { (layer: inout Message) in layer.activation.ReLU = Message(layer.activation.ReLU.messageType) }
        func layers(_ offset: Int) -> [(inout Message) -> Void] {
            [
                { $0.choose("tanh") }, Self.softmax(1 + offset), relu,
                { (layer: inout Message) in
                    layer.reduceMax.axes = [2 + offset]
                    layer.reduceMax.keepDims = true
                },
                { $0.choose("tanh") },
            ]
        }
        #expect(try Self.answer("RANK5_IMAGE_MAPPING", layers(1)) == Self.answer("RANK4_IMAGE_MAPPING", layers(0)))
    }

    @Test func `an unknown mapping is refused`() throws {
        var message = try Self.message("RANK4_IMAGE_MAPPING", [Self.softmax(1)])
        let type = message.neuralNetwork.messageType
        message.neuralNetwork.setEntry(type.index(of: "imageInputShapeMapping"), .ints([77]))
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText == "the value 77 of 'imageInputShapeMapping' is unknown")
    }

    @Test func `arrays of five axes and layers since iOS 13 are refused, as by Core ML`() throws {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let array = builder.input("array", TensorType([1, 3, 4, 5]))
        builder.output("result", try builder.one(Softmax(axis: 1), array))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        var layers: [Message] = message.neuralNetwork.layers
        Self.softmax(1)(&layers[0])
        message.neuralNetwork.layers = [layers[0]]
        message.neuralNetwork.arrayInputShapeMapping = "RANK5_ARRAY_MAPPING"
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problem.contains("cannot compute with arrays of RANK5_ARRAY_MAPPING") == true)
    }

    @Test func `an unknown value of an enumeration is refused`() throws {
        let message = try Self.message("RANK4_IMAGE_MAPPING", [{ $0.pooling.globalPooling = true }])
        var layers: [Message] = message.neuralNetwork.layers
        let type = layers[0].pooling.messageType
        layers[0].pooling.setEntry(type.index(of: "type"), .ints([77]))
        var changed = message
        changed.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(changed) }
        #expect(failure?.problem.description == "the value 77 of 'type' is unknown")
    }
}

/// Transposed convolutions of volumes.
@Suite struct TransposedVolumeTests {
    private static func answer(_ change: (inout Message) -> Void) throws -> Tensor {
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
        let padded = try Self.answer { Self.pad(&$0) }
        let both = try Self.answer {
            Self.pad(&$0)
            $0.outputShape = [3, 4, 5]
        }
        #expect(both == padded && padded.elementCount == 3 * 60)
    }

    @Test func `without padding, an output shape crops the end`() throws {
        let whole = try Self.answer { _ in }
        let cropped = try Self.answer { $0.outputShape = [5, 6, 6] }
        #expect(cropped.elementCount == 3 * 5 * 6 * 6 && whole.elementCount == 3 * 5 * 6 * 7)
        let rows = stride(from: 0, to: whole.elementCount, by: 7).flatMap { whole.floats[$0..<$0 + 6] }
        #expect(cropped.floats == rows)
    }
}
