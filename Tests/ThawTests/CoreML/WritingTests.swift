import Testing

@testable import Thaw

@Suite struct WritingTests {
    /// A model of a chain of operations on an image.
    private func model(_ operations: [any Operation], on shape: Shape = [1, 4, 4, 3]) throws -> Model {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType(shape))
        for (index, operation) in operations.enumerated() {
            value = try builder.add(operation, [value], name: "node\(index)")[0]
        }
        builder.output("output", value)
        let image = ImageInput(name: "input", width: shape[2], height: shape[1], color: .rgb)
        return Model(graph: builder.graph, image: image)
    }

    private static let convolution = Convolution(
        filters: Tensor(noise(27), shape: [3, 3, 3, 1]), bias: nil,
        window: Window(height: .init(size: 3), width: .init(size: 3)))

    private struct VersionCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operations: [any Operation]
        let version: Int
    }

    @Test(arguments: [
        VersionCase(
            testDescription: "a convolution and a flatten",
            operations: [convolution, Unary(.relu), Reshape([1, 4])], version: 1),
        VersionCase(
            testDescription: "a mean over the image",
            operations: [Reduction(function: .mean, axes: [1, 2], keepsAxes: false), Softmax(axis: 1)], version: 1),
        VersionCase(testDescription: "a ReLU6", operations: [Unary(.relu6), Reshape([1, 48])], version: 4),
        VersionCase(
            testDescription: "a slice",
            operations: [StridedSlice(ranges: [1, 4, 4, 2].map { .init(start: 0, count: $0) })], version: 4),
    ]) private func `the version is the lowest that has the layers`(_ versionCase: VersionCase) throws {
        let message = try NeuralNetworkWriter.message(model(versionCase.operations))
        #expect(message.specificationVersion as Int == versionCase.version)
    }

    @Test(arguments: zip([nil, .iOS12, .iOS13, .iOS14] as [CoreMLVersion?], [[4], [4], [1, 4], [1, 4]]))
    func `tensors keep their rank if the target allows it`(_ target: CoreMLVersion?, _ shape: [Int]) throws {
        let model = try model([Self.convolution, Unary(.relu), Reshape([1, 4])])
        let message = try NeuralNetworkWriter.message(model, target: target)
        let outputs: [Message] = message.description.output
        #expect(outputs[0].type.multiArrayType.shape as [Int] == shape)
        let input = Tensor(noise(48), shape: [1, 4, 4, 3])
        let back = try ModelReader.run(message).model.graph
        #expect(try difference(back.output(for: input), model.graph.evaluate([input])[0]) <= referenceTolerance)
    }

    @Test func `a ReLU6 is one layer`() throws {
        let message = try NeuralNetworkWriter.message(model([Unary(.relu6), Reshape([1, 48])]))
        let layers: [Message] = message["neuralNetwork"].layers
        #expect(layers.compactMap(\.choice).filter { $0 == "clip" }.count == 1)
    }

    @Test func `a ReLU6 is two older layers for older systems`() throws {
        let model = try model([Self.convolution, Unary(.relu6), Reshape([1, 4])])
        let message = try NeuralNetworkWriter.message(model, target: .iOS12)
        #expect(message.specificationVersion as Int == 1)
        let layers: [Message] = message["neuralNetwork"].layers
        #expect(layers.compactMap(\.choice).prefix(3) == ["convolution", "unary", "unary"])
        let back = try ModelReader.run(message).model.graph
        #expect(back.nodes.map(\.operation.kind).contains("Relu6"), "\(back.nodes.map(\.operation.kind))")
        // One channel: its pixels have the same order in either layout.
        let input = Tensor(noise(48).map { $0 * 10 }, shape: [1, 4, 4, 3])
        #expect(try difference(back.output(for: input), model.graph.evaluate([input])[0]) <= referenceTolerance)
    }

    @Test(arguments: ["mobilenet_v1_folded", "keras_mobilenet_v2", "keras_mobilenet_v3", "keras_efficientnet_b0"])
    func `the oldest systems get a network in layers that they have`(_ name: String) throws {
        let network = try #require(NetworkCase.all.first { $0.name == name })
        let message = try NeuralNetworkWriter.message(network.conversion().model, target: .iOS11)
        #expect(message.specificationVersion as Int == 1)
        let back = try ModelReader.run(message).model
        for (input, output) in try network.references() {
            let fed = back.image?.lifted.map { input.scaled($0) } ?? input
            #expect(difference(back.graph.output(for: back.graph.channelsLast(fed)), output) <= referenceTolerance)
        }
    }

    private struct LayerCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operations: [any Operation]
        let layers: [String]
    }

    @Test(arguments: [
        LayerCase(
            testDescription: "truncation", operations: [Cast(element: .int32)],
            layers: ["unary", "floor", "sign", "multiply"]),
        LayerCase(
            testDescription: "pixels", operations: [Cast(element: .uint8)], layers: ["clip", "floor"]),
        LayerCase(
            testDescription: "integers of a wider type",
            operations: [Cast(element: .int32), Cast(element: .int64)],
            layers: ["unary", "floor", "sign", "multiply"]),
        LayerCase(
            testDescription: "a remainder",
            operations: [Binary(.remainder, constant: Tensor([3, 5, -7], shape: [3]))],
            layers: ["loadConstantND", "unary", "sign", "modBroadcastable", "multiply"]),
        LayerCase(
            testDescription: "a truncated quotient",
            operations: [Binary(.truncateDivide, constant: Tensor([3, 5, -7], shape: [3]))],
            layers: ["loadConstantND", "divideBroadcastable", "unary", "floor", "sign", "multiply"]),
        LayerCase(
            testDescription: "cumulative sums", operations: [CumulativeSum(axis: 3)], layers: ["cumSum"]),
    ]) private func `an operation is written as a short sequence of layers with the same result`(_ layerCase: LayerCase)
        throws
    {
        let model = try model(layerCase.operations)
        let message = try NeuralNetworkWriter.message(model)
        let layers: [Message] = message["neuralNetwork"].layers
        // Finally the channels are moved to the end.
        #expect(layers.compactMap(\.choice) == layerCase.layers + ["transpose"])
        let input = Tensor(noise(48).map { $0 * 20 }, shape: [1, 4, 4, 3])
        // Arithmetic at the start is read as the image's scaling.
        let back = try ModelReader.run(message).model
        let scaled = back.image.map { input.scaled($0.scaling) } ?? input
        let output = back.graph.output(for: scaled)
        #expect(difference(output, model.graph.output(for: input).asFloat32) <= referenceTolerance)
    }

    @Test func `per-channel scales are a layer, and are read back as the image's scaling`() throws {
        var model = try model([Self.convolution, Reshape([1, 4])])
        model.image?.scaling = PixelScaling(scale: [0.5, 0.25, 0.125], bias: [1, 2, 3])
        let back = try ModelReader.run(NeuralNetworkWriter.message(model)).model
        #expect(back.image == model.image)
        #expect(back.graph.nodes.map(\.operation.kind) == model.graph.nodes.map(\.operation.kind))
    }

    @Test func `a batch of several images is refused`() throws {
        let model = try model([Unary(.relu)], on: [2, 4, 4, 3])
        let failure = #expect(throws: Failure.self) { try NeuralNetworkWriter.message(model) }
        #expect(failure?.problemText.contains("2 images") == true)
    }

    @Test func `more than five axes are refused by node`() throws {
        let model = try model([Reshape([1, 2, 2, 2, 2, 3]), CumulativeSum(axis: 3), Reshape([1, 48])])
        let failure = #expect(throws: Failure.self) { try NeuralNetworkWriter.message(model) }
        #expect(failure?.location?.contains("node0") == true)
    }

    /// An operation that no dialect has.
    private struct Unwritable: Operation {
        let kind = "Unwritable"
        let family = Family.arithmetic
        func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .kept(axis) }
        func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { inputs }
        func evaluate(_ inputs: [Tensor]) -> [Tensor] { inputs }
        func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
            Reordered(self, inputs: orders, outputs: orders)
        }
    }

    @Test func `an operation without a layer is refused by node`() throws {
        let model = try model([Unwritable()])
        let failure = #expect(throws: Failure.self) { try NeuralNetworkWriter.message(model) }
        #expect(failure?.problemText.contains("node0") == true)
    }

    @Test func `the same model gives the same bytes`() throws {
        let network = NetworkCase.all[0]
        #expect(
            try NeuralNetworkWriter.message(network.conversion().model).encoded()
                == NeuralNetworkWriter.message(network.conversion().model).encoded())
    }

    @Test(arguments: [0, Int.min, Int.max]) func `an impossible step of a slice is refused by the reader`(_ step: Int)
        throws
    {
        var message = try NeuralNetworkWriter.message(
            model([StridedSlice(ranges: [1, 4, 4, 2].map { .init(start: 0, count: $0) })]))
        var layers: [Message] = message.neuralNetwork.layers
        layers[0].sliceStatic.strides = [1, 1, 1, step]
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("sliceStatic") == true)
    }
}
