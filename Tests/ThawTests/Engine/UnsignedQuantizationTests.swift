import Testing

@testable import Thaw

/// In float32, int8 values between quantization and dequantization become uint8, for which there are kernels.
@Suite struct UnsignedQuantizationTests {
    /// Quantizes and dequantizes an input of 100 values; the quantized value may be an output, too.
    private static func graph(_ element: ElementType, _ scale: AffineScale, isOutput: Bool) throws -> Graph {
        var builder = GraphBuilder()
        let input = builder.input("x", TensorType([1, 100]))
        let quantized = try builder.add(AffineQuantize(scale: scale, element: element), [input], name: "q")[0]
        let value = try builder.add(AffineDequantize(scale: scale), [quantized], name: "y")[0]
        builder.output("y", value)
        if isOutput { builder.output("q", quantized) }
        return builder.graph
    }

    private static let single = AffineScale([0.05], zeroPoints: [3])
    private static let several = AffineScale((1...100).map { Float($0) / 1000 }, axis: 1)

    @Test(arguments: [
        (single, false, ElementType.uint8), (single, true, .int8), (several, false, .int8),
    ]) func `values that are only dequantized become unsigned`(
        _ scale: AffineScale, _ isOutput: Bool, _ expected: ElementType
    ) throws {
        let graph = try Self.graph(.int8, scale, isOutput: isOutput)
        let result = try graph.withUnsignedQuantization()
        #expect(result[result.nodes[0].outputs[0]].element == expected)
        let input = Tensor((0..<100).map { Float($0) / 5 - 10 }, shape: [1, 100])
        #expect(try result.evaluate([input])[0].floats == graph.evaluate([input])[0].floats)
        let program = try Program(graph)
        let executor = Executor(program)
        executor.load(input, forInputAt: 0)
        try executor.run()
        #expect(executor.output(at: 0).floats == (try graph.evaluate([input])[0].floats))
        #expect(program.steps.allSatisfy { !$0.isReference } == (expected == .uint8))
    }
}
