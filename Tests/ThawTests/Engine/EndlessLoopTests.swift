import Testing

@testable import Thaw

/// Whether a loop ends depends on its input. One that does not end throws, in whatever runs it.
@Suite struct EndlessLoopTests {
    /// Doubles its input while it is less than 100: 0 stays 0.
    private static func model() throws -> Model {
        var condition = GraphBuilder()
        var x = condition.input("x", TensorType([1]))
        let less = Binary(.less, constant: Tensor([100], shape: []))
        condition.output("goes on", try condition.add(less, [x], name: "less")[0])
        var body = GraphBuilder()
        x = body.input("x", TensorType([1]))
        let double = Binary(.multiply, constant: Tensor([2], shape: []))
        body.output("next", try body.add(double, [x], name: "double")[0])
        var builder = GraphBuilder()
        x = builder.input("x", TensorType([1]))
        let loop = Loop(condition: condition.graph, body: body.graph)
        builder.output("y", try builder.add(loop, [x], name: "search")[0])
        return Model(graph: builder.graph)
    }

    private static let ways: [(name: String, run: @Sendable (Model, Float) throws -> [Float])] = [
        ("the reference", { try $0.graph.evaluate([Tensor([$1], shape: [1])])[0].floats }),
        ("the engine", { try Program($0.graph).run([Tensor([$1], shape: [1])], threads: 2)[0].floats }),
        (
            "a runner",
            { try ArrayRunner($0).run([("x", Tensor([$1], shape: [1]))])[0].array.floats }
        ),
    ]

    @Test func `a loop that ends returns its value`() throws {
        let model = try Self.model()
        for way in Self.ways { #expect(try way.run(model, 3) == [192], "\(way.name)") }
    }

    @Test func `a loop that does not end throws, naming its node`() throws {
        let model = try Self.model()
        for way in Self.ways {
            let failure = #expect(throws: Failure.self, "\(way.name)") { try way.run(model, 0) }
            #expect(failure?.code == .limitExceeded, "\(way.name)")
            #expect(failure?.nodes == [Failure.Node(name: "search", op: "Loop")], "\(way.name)")
        }
    }

    @Test func `a constant loop that does not end is refused while the model is read`() throws {
        let loop = try #require(try Self.model().graph.nodes.first?.operation)
        var context = ImportContext(channelOrder: .channelsLast)
        let failure = #expect(throws: Failure.self) {
            try context.add(loop, .constant(Tensor([0], shape: [1])), name: "search")
        }
        #expect(failure?.code == .limitExceeded && failure?.location == "search")
    }
}
