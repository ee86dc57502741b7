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

    private static func output(_ mapping: String, _ changes: [(inout Message) -> Void]) throws -> [Float] {
        let graph = try ModelReader.run(message(mapping, changes)).model.graph
        return try graph.evaluate([Tensor(noise(60), shape: graph[graph.inputs[0].value].shape)])[0].floats
    }

    private static func softmax(_ axis: Int) -> (inout Message) -> Void { { $0.softmaxND.axis = axis } }

    @Test(arguments: [(0, 2), (1, 3), (2, 4), (-3, -3), (-1, -1)])
    func `layers since iOS 13 count the sequence axis of an image`(_ four: Int, _ five: Int) throws {
        let axis = four < 0 ? four : four + 1
        let expected = try Self.output("RANK4_IMAGE_MAPPING", [Self.softmax(axis)])
        #expect(try Self.output("RANK5_IMAGE_MAPPING", [Self.softmax(five)]) == expected)
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
        #expect(try Self.output("RANK5_IMAGE_MAPPING", layers(1)) == Self.output("RANK4_IMAGE_MAPPING", layers(0)))
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
