import Testing

@testable import Thaw

/// Quantized operations that TensorFlow's packages declare but have no plain kernel for: they are held to others.
@Suite struct QuantizedTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        node(name, "Const", [], ["value": .tensor(tensor)])
    }

    /// The output for an image from -4 to 4, quantized before `nodes`, whose last node's first three outputs are
    /// dequantized.
    private static func output(_ nodes: [NodeDefinition]) throws -> Tensor {
        let minFirst: [String: Attribute] = ["mode": .string("MIN_FIRST")]
        let image = node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])])
        let last = nodes.last!.name
        let all =
            [
                image, constant("low", Tensor(-4)), constant("high", Tensor(4)),
                node("q", "QuantizeV2", ["x", "low", "high"], minFirst),
            ] + nodes + [node("y", "Dequantize", [last, last + ":1", last + ":2"], minFirst)]
        let graph = try Importer.run(GraphDefinition(nodes: all), ImportOptions(outputs: ["y"])).graph
        return try graph.evaluate([Tensor((0..<48).map { Float($0 * 7 % 48) / 6 - 4 }, shape: [1, 4, 4, 3])])[0]
    }

    @Test func `a bound of six is equivalent to Relu6`() throws {
        let six = try Self.output([Self.node("z", "QuantizedRelu6", ["q", "q:1", "q:2"])])
        let bounded = try Self.output([
            Self.constant("bound", Tensor(6)), Self.node("z", "QuantizedReluX", ["q", "bound", "q:1", "q:2"]),
        ])
        #expect(bounded.floats == six.floats)
        let tighter = try Self.output([
            Self.constant("bound", Tensor(1.5)), Self.node("z", "QuantizedReluX", ["q", "bound", "q:1", "q:2"]),
        ])
        #expect(tighter.floats == six.floats.map { min($0, 1.5) } && tighter.floats != six.floats)
    }

    private static let scaled: [String: Attribute] = ["mode": .string("SCALED")]
    private static let narrow: [String: Attribute] = ["mode": .string("SCALED"), "narrow_range": .bool(true)]

    @Test(
        arguments: [
            ("the same mode", [:], ["q", "q:1", "q:2"], [:], nil),
            ("the same mode, SCALED", scaled, ["q", "q:1", "q:2"], scaled, nil),
            ("a narrow range read as a wide one", narrow, ["q", "q:1", "q:2"], scaled, nil),
            ("after other nodes", [:], ["same", "q:1", "same_high"], [:], nil),
            ("another mode", [:], ["q", "q:1", "q:2"], scaled, "in another mode"),
            ("another mode, SCALED", scaled, ["q", "q:1", "q:2"], [:], "in another mode"),
            ("a wide range read as a narrow one", scaled, ["q", "q:1", "q:2"], narrow, "in another mode"),
            ("another range", [:], ["q", "low", "high"], [:], "without the range that it returns"),
            ("another maximum", [:], ["same", "q:1", "high"], [:], "without the range that it returns"),
            ("the range the wrong way around", [:], ["q", "q:2", "q:1"], [:], "without the range that it returns"),
        ] as [(String, [String: Attribute], [String], [String: Attribute], String?)])
    func `quantized values are read in the mode and with the range that they were written with`(
        _ name: String, _ written: [String: Attribute], _ inputs: [String], _ read: [String: Attribute],
        _ problem: String?
    ) throws {
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])]),
            Self.constant("low", Tensor(-4)), Self.constant("high", Tensor(4)),
            Self.node("q", "QuantizeV2", ["x", "low", "high"], written.merging(["T": .type(.qint8)]) { $1 }),
            Self.node("same", "Identity", ["q"]), Self.node("same_high", "Identity", ["q:2"]),
            Self.node("y", "Dequantize", inputs, read.merging(["T": .type(.qint8)]) { $1 }),
        ]
        let convert = { try Importer.run(GraphDefinition(nodes: nodes), ImportOptions(outputs: ["y"])) }
        guard let problem else {
            _ = try convert()
            return
        }
        let failure = #expect(throws: Failure.self) { try convert() }
        #expect(failure?.description.contains("y (Dequantize): reads the quantized values of 'q' \(problem)") == true)
        #expect(failure?.code == .unsupportedOperations)
    }

    @Test(
        arguments: [
            (.qint8, scaled, -127...127, [1, 2, 3, -1, -2, -3, 3, 5]),
            (
                .qint8, scaled.merging(["round_mode": .string("HALF_TO_EVEN")]) { $1 }, -127...127,
                [0, 2, 2, 0, -2, -2, 3, 4]
            ),
            (.quint8, scaled, 0...255, [1, 2, 3, 0, 0, 0, 3, 5]),
            (.quint8, ["mode": .string("MIN_COMBINED")], 0...255, [1, 2, 3, 0, 0, 0, 3, 5]),
            (.qint8, ["mode": .string("MIN_COMBINED")], -128...127, [1, 2, 3, -1, -2, -3, 3, 5]),
        ] as [(DataType, [String: Attribute], ClosedRange<Double>, [Float])])
    func `ties are rounded as in TensorFlow`(
        _ type: DataType, _ attributes: [String: Attribute], _ range: ClosedRange<Double>, _ expected: [Float]
    ) throws {
        let attributes = attributes.merging(["T": .type(type)]) { $1 }
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 8])]),
            Self.constant("low", Tensor(range.lowerBound)), Self.constant("high", Tensor(range.upperBound)),
            Self.node("q", "QuantizeV2", ["x", "low", "high"], attributes),
            Self.node("y", "Dequantize", ["q", "q:1", "q:2"], attributes),
        ]
        let graph = try Importer.run(GraphDefinition(nodes: nodes), ImportOptions(outputs: ["y"])).graph
        let output = try graph.evaluate([Tensor([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.2, 4.5], shape: [1, 8])])[0]
        #expect(output.floats == expected)
    }

    @Test func `an unknown rounding mode is refused`() throws {
        let attributes: [String: Attribute] = ["mode": .string("SCALED"), "round_mode": .string("UP")]
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 8])]),
            Self.constant("low", Tensor(-4)), Self.constant("high", Tensor(4)),
            Self.node("q", "QuantizeV2", ["x", "low", "high"], attributes),
            Self.node("y", "Dequantize", ["q", "q:1", "q:2"], Self.scaled),
        ]
        let failure = #expect(throws: Failure.self) {
            try Importer.run(GraphDefinition(nodes: nodes), ImportOptions(outputs: ["y"]))
        }
        #expect(failure?.description.contains("round_mode") == true)
    }

    @Test func `a depthwise convolution is equivalent to one with a diagonal filter`() throws {
        let quantized = [10, 200, 90]
        // A range in which a quantized value is exactly 0.
        let range = [Self.constant("least", Tensor(-1)), Self.constant("most", Tensor(127.0 / 128))]
        let options: [String: Attribute] = [
            "strides": .list([.int(1), .int(1), .int(1), .int(1)]), "padding": .string("SAME"),
        ]
        let inputs = ["q", "w", "q:1", "q:2", "least", "most"]
        let depthwise = try Self.output(
            range + [
                Self.constant("w", Tensor(integers: quantized, shape: [1, 1, 3, 1], element: .uint8)),
                Self.node("z", "QuantizedDepthwiseConv2D", inputs, options),
            ])
        // Next to the diagonal is the quantized 0.
        let zero = 128
        let filter = (0..<9).map { $0 % 4 == 0 ? quantized[$0 / 4] : zero }
        let full = try Self.output(
            range + [
                Self.constant("w", Tensor(integers: filter, shape: [1, 1, 3, 3], element: .uint8)),
                Self.node("z", "QuantizedConv2D", inputs, options),
            ])
        #expect(difference(depthwise, full) <= 1e-5)
        #expect(Set(depthwise.floats).count > 10)
    }
}
