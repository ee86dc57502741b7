import Testing

@testable import Thaw

/// Convolutions of Core ML models with computed filters.
@Suite struct ComputedFiltersTests {
    private struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let image: Shape
        let filters: Shape
        var groups = 1
        var strides: [Int]?
        var dilations: [Int]?
        var pad: [Int]?
    }

    private static let cases = [
        Case(testDescription: "a pixel", image: [1, 5, 3, 4], filters: [7, 5, 1, 1]),
        Case(testDescription: "a pixel of two images", image: [2, 5, 3, 4], filters: [7, 5, 1, 1]),
        Case(testDescription: "a pixel, groups", image: [2, 6, 3, 4], filters: [4, 3, 1, 1], groups: 2),
        Case(testDescription: "a pixel, stride 2", image: [1, 5, 3, 5], filters: [7, 5, 1, 1], strides: [2, 2]),
        Case(testDescription: "a pixel, padded", image: [1, 5, 3, 4], filters: [2, 5, 1, 1], pad: [1, 0, 0, 2]),
        Case(testDescription: "3×3", image: [2, 5, 6, 7], filters: [4, 5, 3, 3], pad: [1, 1, 1, 1]),
        Case(
            testDescription: "3×2, uneven strides and padding", image: [2, 3, 8, 7], filters: [4, 3, 3, 2],
            strides: [2, 3], pad: [2, 0, 0, 1]),
        Case(testDescription: "dilated", image: [1, 3, 8, 9], filters: [2, 3, 3, 3], dilations: [2, 3]),
        Case(
            testDescription: "groups", image: [2, 6, 5, 6], filters: [9, 2, 3, 3], groups: 3, strides: [2, 1],
            pad: [1, 0, 1, 1]),
        Case(
            testDescription: "each channel", image: [2, 20, 5, 6], filters: [20, 1, 3, 3], groups: 20,
            pad: [1, 1, 1, 1]),
        Case(
            testDescription: "each channel to two", image: [1, 4, 5, 6], filters: [8, 1, 3, 3], groups: 4,
            dilations: [1, 2]),
        Case(testDescription: "a sequence", image: [2, 6, 9], filters: [4, 3, 3], groups: 2, pad: [2, 0]),
        Case(testDescription: "many channels", image: [1, 256, 6, 7], filters: [2, 256, 6, 6]),
    ]

    /// The convolution of an input with filters that are constant, or another input.
    private func graph(_ c: Case, filters: Tensor?) throws -> Graph {
        var context = ImportContext(channelOrder: .channelsFirst)
        func input(_ name: String, _ shape: Shape) -> Operand {
            .edge(context.builder.input(name, TensorType(shape)), TensorType(shape))
        }
        var arguments: [String: [MILRead.Argument]] = [
            "x": [.operand(input("x", c.image))],
            "weight": [.operand(filters.map { .constant($0) } ?? input("filters", c.filters))],
            "bias": [.operand(.constant(tensor([c.filters[0]], seed: 3)))],
        ]
        for (name, values) in [("strides", c.strides), ("dilations", c.dilations), ("pad", c.pad)] {
            guard let values else { continue }
            arguments[name] = [.operand(.constant(Tensor(integers: values, shape: [values.count])))]
        }
        if c.pad != nil { arguments["pad_type"] = [.texts(["custom"])] }
        arguments["groups"] = [.operand(.constant(Tensor(integers: [c.groups], shape: [])))]
        let operation = MILRead(name: "conv", kind: "conv", arguments: arguments, outputCount: 1)
        let result = try Operations.mil["conv"]!.build(operation, &context)[0]
        context.builder.output("y", try context.edge(result, name: "y"))
        return context.builder.graph
    }

    @Test(arguments: cases) private func `the result is that of constant filters`(_ c: Case) throws {
        let (image, filters) = (tensor(c.image, seed: 4), tensor(c.filters, seed: 5))
        let expected = try graph(c, filters: filters).evaluate([image])[0]
        let computed = try graph(c, filters: nil)
        let result = try computed.evaluate([image, filters])[0]
        #expect(result.type == expected.type)
        #expect(error(result.floats, expected.floats) < 1e-5)
        for dialect in [Dialect.neuralNetwork, .program] {
            let back = try dialect.roundTrip(Model(graph: computed)).graph
            for result in try [back.evaluate([image, filters])[0], Program(back).run([image, filters])[0]] {
                #expect(result.shape == expected.shape)
                #expect(error(result.floats, expected.floats) < 1e-5, "\(dialect)")
            }
        }
    }

    @Test func `filters of a pixel need no patches`() throws {
        let kinds = try graph(Self.cases[0], filters: nil).nodes.map(\.operation.kind)
        #expect(!kinds.contains("StridedSlice") && kinds.contains("MatrixProduct"))
    }

    @Test func `filters that would take many nodes are refused`() throws {
        let large = Case(testDescription: "", image: [1, 1, 300, 1], filters: [1, 1, 257, 1])
        let failure = #expect(throws: Failure.self) { try graph(large, filters: nil) }
        #expect(
            failure?.problemText.contains("computed filters of [257, 1] pixels are too large; the limit is 256") == true
        )
        #expect(failure?.code == .limitExceeded)
    }
}
