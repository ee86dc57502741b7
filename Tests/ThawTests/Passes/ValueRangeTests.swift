import Testing

@testable import Thaw

@Suite struct ValueRangeTests {
    /// The known range of the output of these operations, after a sigmoid of four values.
    private func range(
        _ build: (inout GraphBuilder, Graph.Value) throws -> Graph.Value
    ) throws -> ClosedRange<Double>? {
        var builder = GraphBuilder()
        let bounded = try builder.one(Unary(.sigmoid), builder.input("x", TensorType([4])))
        builder.output("y", try build(&builder, bounded))
        return builder.graph.range(of: builder.graph.outputs[0].value)
    }

    @Test func `ranges survive scaling and copies, and are lost in other operations`() throws {
        #expect(try range { _, bounded in bounded } == 0...1)
        let joined = try range { builder, bounded in
            let scaled = try builder.one(Binary(.multiply, constant: Tensor(-2)), bounded)
            return try builder.one(Concatenation(axis: 0), bounded, scaled)
        }
        #expect(joined == -2...1)
        #expect(try range { builder, bounded in try builder.one(Unary(.exponential), bounded) } == nil)
        #expect(try range { builder, bounded in try builder.one(Binary(.add), bounded, bounded) } == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `each node is visited once, however deep the graph is`() throws {
        let range = try range { builder, bounded in
            var value = bounded
            for _ in 0..<20 {
                let copies = try builder.add(
                    Concatenation(axis: 0), [Graph.Value](repeating: value, count: 16), name: "copies")[0]
                value = try builder.one(StridedSlice(ranges: [.init(start: 2, count: 4)]), copies)
            }
            return value
        }
        #expect(range == 0...1)
    }
}
