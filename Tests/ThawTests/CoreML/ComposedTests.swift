import Testing

@testable import Thaw

@Suite struct ComposedTests {
    /// A relu on an image of three channels, which the tests replace.
    private let model: Model = {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 4, 3]))
        builder.output("output", try! builder.add(Unary(.relu), [input], name: "relu")[0])
        return Model(graph: builder.graph, image: ImageInput(name: "input", width: 4, height: 4, color: .rgb))
    }()
    private let input = Tensor(noise(48), shape: [1, 4, 4, 3])

    private var planes: ComposedCase.Planes {
        let x = input.floats
        return (0..<3).map { c in (0..<4).map { row in (0..<4).map { x[(row * 4 + $0) * 3 + c] } } }
    }

    /// A model's output. Arithmetic at its head is read as the image's scaling.
    private func output(_ message: Message) throws -> Tensor {
        let back = try ModelReader.run(message).model
        return back.graph.output(for: input.scaled(back.image!.scaling))
    }

    /// The output must be an image of these planes, in any axis order.
    private func check(_ output: Tensor, _ expected: ComposedCase.Planes) {
        let first = Tensor(
            Array(expected.joined().joined()), shape: [1, expected.count, expected[0].count, expected[0][0].count])
        let isFirst = output.shape == first.shape
        #expect(difference(output, isFirst ? first : first.transposed(Graph.toLast)) <= 1e-5, "\(output.shape)")
    }

    @Test(arguments: ComposedCase.all.filter { $0.layer != nil }) func `a layer computes its formula`(
        _ composed: ComposedCase
    ) throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        composed.layer!(&layers[0])
        layers[0].output = ["output"]
        message.neuralNetwork.layers = [layers[0]]
        check(try output(message), composed.expected(planes))
    }

    @Test(arguments: ComposedCase.all.filter { $0.operation != nil }) func `an operation computes its formula`(
        _ composed: ComposedCase
    ) throws {
        let (kind, arguments) = composed.operation!
        var message = try ProgramWriter.run(model, weights: WeightStorage(.float32)).message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        let operations: [Message] = bodies[0].value.operations
        var operation = operations.first { $0.type as String == "relu" }!
        let expected = composed.expected(planes)
        operation.type = kind
        var inputs: [Message] = operation.inputs
        inputs = Set(composed.names).sorted().map { name in
            var entry = inputs[0]
            entry.key = name
            let image: [Message] = entry.value.arguments
            entry.value.arguments = Array(repeating: image[0], count: composed.names.count { $0 == name })
            return entry
        }
        for (key, value) in arguments {
            var entry = inputs[0]
            entry.key = key
            var binding = Message(MessageType.operation.type(of: "inputs").type(of: "value").type(of: "arguments"))
            binding.value = value
            entry.value.arguments = [binding]
            inputs.append(entry)
        }
        operation.inputs = inputs
        var outputs: [Message] = operation.outputs
        outputs[0].type = .tensorType(TensorType([1, expected.count, expected[0].count, expected[0][0].count]))
        operation.outputs = outputs
        bodies[0].value.operations = [operation]
        bodies[0].value.outputs = [outputs[0].name as String]
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        var described: [Message] = message.description.output
        described[0].name = outputs[0].name as String
        message.description.output = described
        check(try output(message), expected)
    }

    @Test func `a mirrored border as wide as the image is refused`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        layers[0].padding.choose("reflection")
        layers[0].padding["paddingAmounts"].setBorders([(0, 4), (0, 0)])
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("does not fit a tensor of shape") == true)
    }

    // MARK: Mean images

    @Test(arguments: [false, true]) func `a mean image is subtracted before the rest of the preprocessing`(
        _ isScaled: Bool
    ) throws {
        let mean = noise(48, seed: 2)
        var message = try NeuralNetworkWriter.message(model)
        var preprocessing = Message(MessageType.model.type(of: "neuralNetwork").type(of: "preprocessing"))
        preprocessing.featureName = "input"
        preprocessing.meanImage.meanImage = Tensor(mean, shape: [48]).view
        var scaler = Message(MessageType.model.type(of: "neuralNetwork").type(of: "preprocessing"))
        scaler.featureName = "input"
        scaler.scaler.channelScale = 2.0
        scaler.scaler.greenBias = 0.5
        message.neuralNetwork.preprocessing = isScaled ? [preprocessing, scaler] : [preprocessing]
        let back = try ModelReader.run(message).model
        #expect(back.image?.scaling.isIdentity == true)
        let expected = planes.enumerated().map { c, plane in
            plane.enumerated().map { row, line in
                line.enumerated().map { column, x in
                    let rest = x - mean[c * 16 + row * 4 + column]
                    return max(0, isScaled ? 2 * rest + (c == 1 ? 0.5 : 0) : rest)
                }
            }
        }
        check(back.graph.output(for: input), expected)
    }

    @Test func `a mean image of another size is refused`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var preprocessing = Message(MessageType.model.type(of: "neuralNetwork").type(of: "preprocessing"))
        preprocessing.meanImage.meanImage = Tensor([1, 2, 3], shape: [3]).view
        message.neuralNetwork.preprocessing = [preprocessing]
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("3 values; expected 48") == true)
    }

    // MARK: Names

    @Test func `two layers with the same name are refused`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        layers.append(layers[0])
        layers[1].input = layers[0].output as [String]
        layers[1].output = ["other"]
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("relu") == true)
    }

    @Test func `an unknown layer is refused with its position`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        layers[0].custom = Message(MessageType.layer.type(of: "custom"))
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("layer 1 'relu'") == true)
        #expect(failure?.problemText.contains("'custom'") == true)
    }
}
