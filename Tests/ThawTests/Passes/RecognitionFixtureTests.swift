import Testing

@testable import Thaw

@Suite struct RecognitionFixtureTests {
    /// The operations left of the fixtures, which are spelled out as TensorFlow's libraries do.
    @Test(arguments: [
        ("normalization/instance", ["Normalization"]), ("normalization/instance_plain", ["Normalization"]),
        ("normalization/instance_scale_only", ["Normalization"]),
        ("normalization/instance_offset_only", ["Normalization"]),
        ("normalization/instance_quotient", ["Normalization"]), ("normalization/layer_image", ["Normalization"]),
        ("normalization/layer_image_scale_by_place", ["Normalization"]),
        ("normalization/layer_channels", ["Normalization"]), ("normalization/layer_fused", ["Normalization"]),
        ("normalization/layer_by_hand", ["Normalization"]),
        ("normalization/group", ["Reshape", "Normalization", "Reshape"]),
        ("normalization/between_convolutions", ["Convolution", "Normalization", "Relu", "Convolution"]),
        ("normalization/length", ["L2Normalization"]), ("normalization/length_image", ["L2Normalization"]),
        ("normalization/nchw_instance", ["Normalization"]), ("normalization/layer_rows", ["Normalization"]),
        ("normalization/layer_tokens", ["Normalization"]),
        ("normalization/length_rows", ["L2Normalization"]),
        (
            "normalization/two_readers",
            [
                "ReduceMean", "SquaredDifference", "ReduceMean", "Subtract", "Add", "ReciprocalSquareRoot", "Multiply",
                "Add",
            ]
        ),
        (
            "normalization/other_axes",
            ["ReduceMean", "Subtract", "Square", "ReduceMean", "Add", "ReciprocalSquareRoot", "Multiply"]
        ),
        (
            "normalization/length_added_epsilon",
            ["Square", "ReduceSum", "Add", "ReciprocalSquareRoot", "Multiply"]
        ),
        ("activation/silu", ["Swish"]), ("activation/silu_beta", ["Swish"]), ("activation/hard_swish", ["HardSwish"]),
        ("activation/hard_swish_divided", ["HardSwish"]), ("activation/hard_sigmoid", ["HardSigmoid"]),
        ("activation/hard_sigmoid_keras", ["HardSigmoid"]), ("activation/gelu", ["Gelu"]),
        ("activation/gelu_tanh", ["GeluByTanh"]), ("activation/gelu_by_hand", ["Gelu"]), ("activation/mish", ["Mish"]),
        ("activation/leaky_relu_of_two", ["LeakyRelu"]), ("fusion/leaky_relu_as_maximum", ["LeakyRelu"]),
        ("fusion/hard_swish", ["HardSwish"]), ("fusion/swish", ["Swish"]),
        ("activation/silu_behind_convolution", ["Convolution", "Swish", "Convolution"]),
        ("activation/gelu_rounded", ["Multiply", "Divide", "ErrorFunction", "Add", "Multiply"]),
        ("activation/squeezed", ["ReduceMean", "Sigmoid", "Multiply"]),
        ("activation/shared", ["Sigmoid", "Multiply", "Add"]),
    ]) func `functions that the libraries spell out are recognized`(_ name: String, _ kinds: [String]) throws {
        let imported = try #require(GraphCase.all.first { $0.name == name }).imported()
        let graph = try Passes.run(Passes.simplification, on: imported)
        #expect(graph.nodes.map(\.operation.kind).sorted() == kinds.sorted())
    }

    /// The layers in Core ML, without those that read the graph's input.
    @Test(arguments: [
        ("normalization/instance", ["batchnorm"]), ("normalization/layer_channels", ["layerNormalization"]),
        ("normalization/layer_fused", ["layerNormalization"]), ("normalization/layer_tokens", ["layerNormalization"]),
        ("normalization/length", ["reduceL2", "unary", "divideBroadcastable"]),
        ("activation/silu", ["activation", "multiply"]), ("activation/hard_swish", ["activation", "multiply"]),
        ("activation/hard_sigmoid", ["activation"]), ("activation/gelu", ["gelu"]), ("activation/gelu_tanh", ["gelu"]),
        ("activation/leaky_relu_of_two", ["activation"]),
    ]) func `as few layers as possible are written`(_ name: String, _ layers: [String]) throws {
        let imported = try #require(GraphCase.all.first { $0.name == name }).imported()
        let graph = try Passes.run(Passes.simplification, on: imported)
        let message = try NeuralNetworkWriter.message(Model(graph: graph))
        let written: [Message] = message.neuralNetwork.layers
        #expect(written.compactMap(\.choice).filter { $0 != "transpose" } == layers)
    }
}
