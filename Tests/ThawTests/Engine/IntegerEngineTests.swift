import Testing

@testable import Thaw

struct IntegerEngineTests {
    @Test(arguments: IntegerCase.layers + IntegerCase.networks)
    func `integers give the same bits on every instruction set, with any number of threads`(_ c: IntegerCase) throws {
        let graph = try c.graph()
        let quantized = try graph.withIntegers()
        try quantized.validate()
        let inputs = c.inputs()
        let expected = try quantized.evaluate(inputs)
        // The kernels for floats may differ from the plain implementations in the last bit.
        let isExact = !c.kinds.contains { ["Softmax", "Sigmoid", "Convolution"].contains($0) }
        for set in InstructionSet.available {
            for threads in [1, 3] {
                let program = try Program(graph, instructionSet: set, threads: threads, precision: .int8)
                for _ in 0..<2 {
                    let results = try program.run(inputs, threads: threads)
                    if isExact {
                        #expect(results == expected, "\(set), \(threads) threads")
                    } else {
                        #expect(error(results[0].floats, expected[0].floats) < 0.05, "\(set)")
                    }
                }
            }
        }
    }

    @Test(arguments: IntegerCase.layers)
    func `a quantized layer is computed by a kernel, not by the reference`(_ c: IntegerCase) throws {
        let program = try Program(c.graph(), precision: .int8)
        #expect(program.steps.filter(\.isReference).map(\.kind) == [])
    }

    /// Each thread then reads what it has written.
    @Test func `a depthwise convolution splits the rows of a large image like the step before`() throws {
        for threads in [1, 3] {
            let program = try Program(IntegerCase.sharedRows.graph(), precision: .int8, threads: threads)
            let step = try #require(program.steps.first { $0.kind == "IntegerDepthwiseConvolution" })
            #expect(step.isByRows == (threads > 1))
        }
    }

    @Test func `weights that are multiples of a scale are not rounded`() throws {
        let weights = Tensor(shape: [6, 5, 7]) { values in
            for index in 0..<values.count {
                let (row, channel) = (index / 7, index % 7)
                let quantized =
                    switch (row, channel) {
                    case (..<10, 0): 0
                    case (20, 1): -128
                    default: index * 37 % 201 - 100
                    }
                values[index] = Float(quantized) * 0.01 * Float(channel + 1)
            }
        }
        let use = QuantizedUse(
            inputs: [QuantizationParameters(scale: 1, zeroPoint: 3)], types: [], output: nil,
            bounds: -.infinity...(.infinity))
        let layer = try #require(IntegerLayer(weights, bias: nil, terms: 30, use))
        for (index, quantized) in layer.weights.floats.enumerated() {
            #expect(abs(quantized * layer.factors[index % 7] - weights.floats[index]) < 1e-5)
        }
    }

    @Test func `non-finite weights, and accumulators that might overflow, stay in float32`() throws {
        let use = QuantizedUse(
            inputs: [QuantizationParameters(scale: 0.1, zeroPoint: 3)], types: [], output: nil,
            bounds: -.infinity...(.infinity))
        for value in [Float.nan, .infinity] {
            #expect(IntegerLayer(Tensor([1, value], shape: [1, 2]), bias: nil, terms: 1, use) == nil)
            #expect(IntegerLayer(tensor([1, 2]), bias: Tensor([1, value], shape: [2]), terms: 1, use) == nil)
        }
        #expect(IntegerLayer(tensor([1, 2]), bias: nil, terms: 1 << 16, use) == nil)
        // A weight that is small relative to its bias does not make the bias too large.
        let layer = try #require(
            IntegerLayer(Tensor([1e-20], shape: [1, 1]), bias: Tensor([100], shape: [1]), terms: 1, use))
        #expect(abs(layer.value(Int(layer.bias[0]), channel: 0) - 100) < 1e-4)
    }

    @Test func `quantized values of type uint8 are computed as written in float32`() throws {
        var builder = QuantizedBuilder()
        let x = builder.graph.input("x", TensorType([1, 5, 7, 19]))
        builder.graph.output("y", try builder.quantized(x, 0.007, zeroPoint: 31))
        let inputs = [Tensor([.nan, .infinity, -.infinity] + noise(5 * 7 * 19 - 3), shape: [1, 5, 7, 19])]
        for set in InstructionSet.available {
            let program = try Program(builder.graph.graph, instructionSet: set)
            #expect(program.steps.allSatisfy { !$0.isReference })
            #expect(try program.run(inputs) == builder.graph.graph.evaluate(inputs), "\(set)")
        }
    }

    @Test func `where a function is NaN, its quantized value is the lowest`() throws {
        var builder = QuantizedBuilder()
        let x = builder.graph.input("x", TensorType([1, 4, 4, 16]))
        let logarithm = try builder.one(Unary(.logarithm), builder.quantized(x, 0.01, zeroPoint: 128))
        builder.graph.output("y", try builder.quantized(logarithm, 0.05, zeroPoint: 200))
        let graph = builder.graph.graph
        let quantized = try graph.withIntegers()
        #expect(quantized.nodes.contains { $0.operation is IntegerLookup })
        let inputs = [Tensor((0..<256).map { Float($0 - 128) * 0.01 }, shape: [1, 4, 4, 16])]
        let results = try quantized.evaluate(inputs)
        #expect(try results == graph.evaluate(inputs))
        #expect(results[0].floats.prefix(128).allSatisfy { $0 == -200 * 0.05 })
        for set in InstructionSet.available {
            #expect(try Program(graph, instructionSet: set, precision: .int8).run(inputs) == results, "\(set)")
        }
    }

    @Test(arguments: IntegerCase.layers + IntegerCase.networks)
    func `a network in int8 agrees with the quantized network in float32`(_ c: IntegerCase) throws {
        let graph = try c.graph()
        let quantized = try graph.withIntegers()
        #expect(quantized.nodes.map(\.kind) == c.kinds)
        let inputs = c.inputs()
        let (result, expected) = try (quantized.evaluate(inputs)[0].floats, graph.evaluate(inputs)[0].floats)
        let range = (expected.max() ?? 0) - (expected.min() ?? 0)
        #expect(error(result.map { $0 / range }, expected.map { $0 / range }) <= c.tolerance / 100)
    }
}
