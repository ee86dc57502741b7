import Testing

@testable import Thaw

/// Arguments of ML Program operations, and their defaults, whose effects coremltools documents.
@Suite struct OptionalArgumentTests {
    private struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kind: String
        let x: Tensor
        let arguments: [String: MILRead.Argument]
        let expected: [Float]
        var shape: Shape?
    }

    private static func integers(_ integers: Int...) -> MILRead.Argument {
        .operand(.constant(Tensor(integers: integers, shape: [integers.count])))
    }

    private static func flag(_ flag: Bool) -> MILRead.Argument {
        .operand(.constant(Tensor(flag ? 1 : 0, element: .bool)))
    }

    private static func number(_ number: Float) -> MILRead.Argument {
        .operand(.constant(Tensor([number], shape: [])))
    }

    private static func ones(_ shape: Shape) -> Tensor {
        Tensor(shape: shape, element: .float32) { _ in 1 }
    }

    private static let roundedUp: [String: MILRead.Argument] = [
        "kernel_sizes": integers(2, 2), "strides": integers(2, 2), "pad_type": .texts(["valid"]),
        "ceil_mode": flag(true),
    ]

    private static let padded: [String: MILRead.Argument] = [
        "kernel_sizes": integers(3, 3), "strides": integers(3, 3), "pad_type": .texts(["custom"]),
        "pad": integers(1, 1, 1, 1), "ceil_mode": flag(true),
    ]

    private static let withNaN = Tensor(
        [
            .nan, 1, 2, 2, .nan, 1, .nan, -.infinity, .nan, .nan, .nan, 1, .nan, .nan, .nan, .nan, .infinity, .infinity,
        ], shape: [6, 3])

    private static let cases = [
        Case(
            testDescription: "an average of pixels beyond the image", kind: "avg_pool",
            x: ones([1, 1, 5, 5]),
            arguments: roundedUp, expected: Array(repeating: 1, count: 9), shape: [1, 1, 3, 3]),
        Case(
            testDescription: "an average of pixels beyond the padding", kind: "avg_pool",
            x: ones([1, 1, 6, 6]),
            arguments: padded,
            // The last windows have a row or a column of the image and one of the padding.
            expected: [4 / 9, 2 / 3, 1 / 3, 2 / 3, 1, 0.5, 1 / 3, 0.5, 0.25], shape: [1, 1, 3, 3]),
        Case(
            testDescription: "an average without the padding", kind: "avg_pool", x: ones([1, 1, 6, 6]),
            arguments: padded.merging(["exclude_padding_from_average": flag(true)]) { $1 },
            expected: Array(repeating: 1, count: 9)),
        Case(
            testDescription: "the logarithm of 0", kind: "log", x: Tensor([0, 1], shape: [2]),
            arguments: ["epsilon": number(.leastNonzeroMagnitude)], expected: [-103.27893, 0]),
        Case(
            testDescription: "the logarithm of 0 without an epsilon", kind: "log",
            x: Tensor([0, 1], shape: [2]),
            arguments: ["epsilon": number(0)], expected: [-.infinity, 0]),
        Case(
            testDescription: "a logarithm with a large epsilon", kind: "log",
            x: Tensor([0, 0.75], shape: [2]),
            arguments: ["epsilon": number(0.25)], expected: [-1.3862944, 0]),
        Case(
            testDescription: "the index of the largest value", kind: "reduce_argmax",
            x: Tensor([1, 3, 2, 6, 5, 4], shape: [2, 3]), arguments: ["axis": integers(1)],
            expected: [1, 0], shape: [2]),
        // TensorFlow's indices.
        Case(
            testDescription: "the index of the largest value besides NaN", kind: "reduce_argmax", x: withNaN,
            arguments: ["axis": integers(1)], expected: [2, 0, 0, 2, 0, 1]),
        Case(
            testDescription: "the index of the smallest value besides NaN", kind: "reduce_argmin", x: withNaN,
            arguments: ["axis": integers(1)], expected: [1, 2, 1, 2, 0, 0]),
        Case(
            testDescription: "an average of a volume's padding alone", kind: "avg_pool", x: ones([1, 1, 2, 1, 1]),
            arguments: [
                "kernel_sizes": integers(1, 1, 1), "pad_type": .texts(["custom"]), "pad": integers(1, 0, 0, 0, 0, 0),
                "exclude_padding_from_average": flag(true),
            ], expected: [0, 1, 1], shape: [1, 1, 3, 1, 1]),
    ]

    @Test(arguments: cases) private func `the result is as documented`(_ c: Case) throws {
        var context = ImportContext(channelOrder: .channelsFirst)
        let value = context.builder.input("x", c.x.type)
        var arguments = c.arguments.mapValues { [$0] }
        arguments["x"] = [.operand(.edge(value, c.x.type))]
        let operation = MILRead(name: "operation", kind: c.kind, arguments: arguments, outputCount: 1)
        let result = try Operations.mil[c.kind]!.build(operation, &context)[0]
        context.builder.output("y", try context.edge(result, name: "y"))
        let graph = context.builder.graph
        let output = try graph.evaluate([c.x])[0]
        #expect(output.shape == c.shape ?? output.shape)
        // Passes put the channels last; there is only one.
        let simplified = try Passes.run(Passes.simplification, on: graph)
        let x = c.x.reshaped(simplified[simplified.inputs[0].value].shape)
        for numbers in [output.floats, try Program(simplified).run([x])[0].floats] {
            #expect(numbers.count == c.expected.count)
            for (number, expected) in zip(numbers, c.expected) {
                #expect(number == expected || abs(number - expected) <= 1e-6 * max(1, abs(expected)), "\(numbers)")
            }
        }
    }

    /// Those of coremltools' logarithms: torch's have the smallest number.
    @Test(
        arguments: [
            (Float.leastNonzeroMagnitude, -103.27893), (0x1p-133, -92.188575), (1e-6, -13.815511), (0.25, -1.3862944),
        ] as [(Float, Float)])
    func `the logarithm of 0 is that of the epsilon in both formats`(_ epsilon: Float, _ expected: Float) throws {
        let x = Tensor([0], shape: [1])
        var context = ImportContext(channelOrder: .channelsFirst)
        let value = context.builder.input("x", x.type)
        let operation = MILRead(
            name: "operation", kind: "log",
            arguments: ["x": [.operand(.edge(value, x.type))], "epsilon": [Self.number(epsilon)]], outputCount: 1)
        let result = try Operations.mil["log"]!.build(operation, &context)[0]
        context.builder.output("y", try context.edge(result, name: "y"))
        let network = try Self.network { $0.unary.epsilon = epsilon }
        for graph in [context.builder.graph, network] {
            let number = try graph.evaluate([x])[0].floats[0]
            #expect(abs(number - expected) <= 1e-6 * abs(expected), "\(number)")
        }
    }

    @Test func `a logarithm without an epsilon stays one in a neural network`() throws {
        let graph = try Self.network { _ in }
        #expect(graph.nodes.map(\.operation.kind) == ["Logarithm"])
        #expect(try graph.evaluate([Tensor([0], shape: [1])])[0].floats == [-.infinity])
    }

    /// A logarithm that was written as a neural network, after a change of its layer.
    private static func network(_ change: (inout Message) -> Void) throws -> Graph {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let x = builder.input("x", TensorType([1]))
        builder.output("y", try builder.one(Unary(.logarithm), x))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        var layers: [Message] = message.neuralNetwork.layers
        change(&layers[0])
        message.neuralNetwork.layers = layers
        return try ModelReader.run(message).model.graph
    }
}
