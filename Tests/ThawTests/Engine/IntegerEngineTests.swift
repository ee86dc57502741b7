import Testing

@testable import Thaw

struct IntegerEngineTests {
    @Test(arguments: IntegerCase.layers + IntegerCase.networks)
    func `integers give the same bits on every instruction set, with any number of threads`(_ c: IntegerCase) throws {
        let graph = try c.graph()
        let codes = try graph.onCodes()
        try codes.validate()
        let inputs = c.inputs()
        let expected = codes.evaluate(inputs)
        // A softmax has a result of its own in floats.
        let isExact = codes.nodes.last?.operation is Softmax == false && !c.kinds.contains("Sigmoid")
        for set in InstructionSet.available {
            for threads in [1, 3] {
                let program = try Program(graph, instructionSet: set, threads: threads, precision: .int8)
                for _ in 0..<2 {
                    let results = program.run(inputs, threads: threads)
                    if isExact {
                        #expect(results == expected, "\(set), \(threads) threads")
                    } else {
                        #expect(error(results[0].floats, expected[0].floats) < 0.05, "\(set)")
                    }
                }
            }
        }
    }

    @Test(arguments: IntegerCase.layers + IntegerCase.networks)
    func `a network on codes agrees with the quantized network in floats`(_ c: IntegerCase) throws {
        let graph = try c.graph()
        let codes = try graph.onCodes()
        #expect(codes.nodes.map(\.kind) == c.kinds)
        let inputs = c.inputs()
        let (result, expected) = (codes.evaluate(inputs)[0].floats, graph.evaluate(inputs)[0].floats)
        let range = (expected.max() ?? 0) - (expected.min() ?? 0)
        #expect(error(result.map { $0 / range }, expected.map { $0 / range }) <= c.tolerance / 100)
    }
}
