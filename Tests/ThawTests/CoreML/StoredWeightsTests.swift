import Testing

@testable import Thaw

/// Summaries of the weights in a Core ML model, as `thaw inspect` prints them, in both dialects.
@Suite struct StoredWeightsTests {
    /// A convolution of 18,432 weights and 64 biases.
    private var model: Model {
        get throws {
            var builder = GraphBuilder()
            let input = builder.input("input", TensorType([1, 8, 8, 32]))
            let convolution = Convolution(
                filters: Tensor(noise(3 * 3 * 32 * 64), shape: [3, 3, 32, 64]), bias: Tensor(noise(64), shape: [64]),
                window: Window(height: .init(size: 3), width: .init(size: 3)))
            builder.output("output", try builder.add(convolution, [input], name: "convolution")[0])
            return Model(graph: builder.graph)
        }
    }

    @Test(arguments: [
        (WeightType.float32, [StoredWeights(form: "float32", count: 18_496, bytes: 73_984)]),
        (.float16, [StoredWeights(form: "float16", count: 18_496, bytes: 36_992)]),
        // A scale and a bias for each of the 64 output channels.
        (
            .int8,
            [
                StoredWeights(form: "8-bit linear", count: 18_432, bytes: 18_432 + 64 * 8),
                StoredWeights(form: "float32", count: 64, bytes: 256),
            ]
        ),
        (
            .palette6,
            [
                StoredWeights(form: "6-bit palette", count: 18_432, bytes: 13_824 + 64 * 4),
                StoredWeights(form: "float32", count: 64, bytes: 256),
            ]
        ),
    ]) func `weights of a neural network are listed by storage`(_ type: WeightType, _ expected: [StoredWeights]) throws
    {
        let message = try NeuralNetworkWriter.message(model, weights: WeightStorage(type))
        #expect(StoredWeights.all(in: message) == expected)
    }

    @Test(arguments: [
        (WeightType.float32, nil, [StoredWeights(form: "float32", count: 18_496, bytes: 73_984)]),
        (.float16, nil, [StoredWeights(form: "float16", count: 18_496, bytes: 36_992)]),
        // A 16-bit scale and an 8-bit zero point for each of the 64 output channels.
        (
            .int8, nil,
            [
                StoredWeights(form: "8-bit linear", count: 18_432, bytes: 18_432 + 64 * 3),
                StoredWeights(form: "float16", count: 64, bytes: 128),
            ]
        ),
        (
            .palette4, nil,
            [
                StoredWeights(form: "4-bit palette", count: 18_432, bytes: 9_216 + 16 * 2),
                StoredWeights(form: "float16", count: 64, bytes: 128),
            ]
        ),
        // A palette per output channel.
        (
            .palette4, CoreMLVersion.iOS18,
            [
                StoredWeights(form: "4-bit palette", count: 18_432, bytes: 9_216 + 64 * 16 * 2),
                StoredWeights(form: "float16", count: 64, bytes: 128),
            ]
        ),
    ]) func `weights of an ML Program are listed by storage`(
        _ type: WeightType, _ target: CoreMLVersion?, _ expected: [StoredWeights]
    ) throws {
        let program = try ProgramWriter.run(model, weights: WeightStorage(type), target: target)
        #expect(StoredWeights.all(in: program.message) == expected)
    }
}
