import Testing

@testable import Thaw

@Suite struct FoldingTests {
    @Test(arguments: [Dialect.neuralNetwork, .program])
    func `the reader evaluates everything that depends only on constants`(
        _ dialect: Dialect
    ) throws {
        // The writers do not evaluate functions of constants.
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let input = builder.input("input", TensorType([2, 3, 4]))
        let constant = try builder.add(Constant(Tensor(noise(12), shape: [3, 4])), [], name: "constant")
        let power = try builder.add(Unary(.exponential), constant, name: "power")
        builder.output("output", try builder.add(Binary(.add), [input] + power, name: "sum")[0])
        let model = Model(graph: builder.graph)
        let back = try dialect.roundTrip(model)
        #expect(back.graph.nodes.map(\.operation.kind) == ["Add"])
        let numbers = Tensor(noise(24), shape: [2, 3, 4])
        let expected = try model.graph.evaluate([numbers])[0]
        #expect(try difference(back.graph.evaluate([numbers])[0], expected) <= referenceTolerance)
    }
}
