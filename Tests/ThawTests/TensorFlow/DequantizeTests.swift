import Testing

@testable import Thaw

/// 32-bit quantized values and their real values, which are the same in TensorFlow 2.21 and 1.15.
@Suite struct DequantizeTests {
    private static let quantized = [
        -2_147_483_648, -2_147_483_647, -1_073_741_825, -16_777_217, -1, 0, 3, 123_456_789, 2_147_483_583,
        2_147_483_647,
    ]

    private static let cases: [(mode: String, minimum: Float, maximum: Float, isNarrow: Bool, numbers: [Float])] = [
        (
            "MIN_COMBINED", -1.5, 2.0, false,
            [-1.5, -1.5, -0.625, 0.236328125, 0.25, 0.25, 0.25, 0.350605845451355, 2.0, 2.0]
        ),
        (
            "MIN_COMBINED", 0.25, 3.0, false,
            [0.25, 0.25, 0.9375, 1.6142578125, 1.625, 1.625, 1.625, 1.704047441482544, 3.0, 3.0]
        ),
        (
            "MIN_COMBINED", -3.0, 1.0, false,
            [-3.0, -3.0, -2.0, -1.015625, -1.0, -1.0, -1.0, -0.8850219249725342, 1.0, 1.0]
        ),
        (
            "MIN_FIRST", -1.5, 2.0, false,
            [-1.5, -1.5, -0.625, 0.236328125, 0.25, 0.25, 0.25, 0.350605845451355, 1.9999998807907104, 2.0]
        ),
        (
            "MIN_FIRST", 0.25, 3.0, false,
            [0.25, 0.25, 0.9375, 1.6142578125, 1.625, 1.625, 1.625, 1.704047441482544, 3.0, 3.0]
        ),
        (
            "MIN_FIRST", -3.0, 1.0, false,
            [-3.0, -3.0, -2.0, -1.015625, -1.0, -1.0, -1.0, -0.8850219249725342, 0.9999998807907104, 1.0]
        ),
        (
            "SCALED", -1.5, 2.0, false,
            [
                -2.0, -2.0, -1.0, -0.015625, -9.313225746154785e-10, 0.0, 2.7939677238464355e-09, 0.11497809737920761,
                1.9999998807907104, -2.0,
            ]
        ),
        (
            "SCALED", 0.25, 3.0, false,
            [
                -3.0, -3.0, -1.5, -0.0234375, -1.3969838619232178e-09, 0.0, 4.190951585769653e-09, 0.17246714234352112,
                2.999999761581421, -3.0,
            ]
        ),
        (
            "SCALED", -3.0, 1.0, false,
            [
                -3.0, -3.0, -1.5, -0.0234375, -1.3969838619232178e-09, 0.0, 4.190951585769653e-09, 0.17246714234352112,
                2.999999761581421, -3.0,
            ]
        ),
        (
            "SCALED", -3.0, 1.0, true,
            [
                -3.0, -3.0, -1.5, -0.0234375, -1.3969838619232178e-09, 0.0, 4.190951585769653e-09, 0.17246714234352112,
                2.999999761581421, -3.0,
            ]
        ),
    ]

    @Test(arguments: cases)
    func `32-bit quantized values are dequantized as in TensorFlow`(
        _ mode: String, _ minimum: Float, _ maximum: Float, _ isNarrow: Bool, _ numbers: [Float]
    ) throws {
        func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
            NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
        }
        let count = DequantizeTests.quantized.count
        let graph = GraphDefinition(nodes: [
            NodeDefinition(
                name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 1, count, 1])]),
            constant("codes", Tensor(integers: DequantizeTests.quantized, shape: [count, 1])),
            constant("minimum", Tensor(Double(minimum))), constant("maximum", Tensor(Double(maximum))),
            NodeDefinition(
                name: "numbers", op: "Dequantize", inputs: ["codes", "minimum", "maximum"],
                attributes: ["mode": .string(mode), "narrow_range": .bool(isNarrow), "T": .type(.qint32)]),
            NodeDefinition(name: "y", op: "Add", inputs: ["x", "numbers"]),
        ])
        let imported = try Importer.run(graph, ImportOptions()).graph
        let zeros = Tensor([Float](repeating: 0, count: count), shape: [1, 1, count, 1])
        #expect(try imported.evaluate([zeros])[0].floats == numbers)
    }
}
