import Testing

@testable import Thaw

/// A graph with a constant beyond the range of float16, and inputs for which its results are within it.
struct LargeValueCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let build: @Sendable (inout GraphBuilder, _ scores: Graph.Value, _ mask: Graph.Value) throws -> Graph.Value

    static let all = [
        LargeValueCase(testDescription: "a mask that is scaled, then shifted") { graph, scores, mask in
            let arithmetic = ChannelArithmetic(scale: [1e9, 1e9, 1e9, 1e9], offset: [-1e9, -1e9, -1e9, -1e9])
            let large = try graph.one(BatchNormalization(arithmetic), mask)
            return try graph.one(Softmax(axis: 1), graph.one(Binary(.add), scores, large))
        },
        LargeValueCase(testDescription: "a mask that is shifted, then scaled") { graph, scores, mask in
            let shifted = try graph.one(Binary(.subtract, constant: Tensor([1], shape: [])), mask)
            let large = try graph.one(Binary(.multiply, constant: Tensor([1e5], shape: [])), shifted)
            return try graph.one(Softmax(axis: 1), graph.one(Binary(.add), scores, large))
        },
        LargeValueCase(testDescription: "a mask that selects a large constant") { graph, scores, mask in
            let isKept = try graph.one(Binary(.greater, constant: Tensor([0.5], shape: [])), mask)
            let large = try graph.one(Constant(Tensor([-1e9, -1e9, -1e9, -1e9], shape: [1, 4])))
            return try graph.one(Softmax(axis: 1), graph.one(Select(), isKept, scores, large))
        },
        LargeValueCase(testDescription: "a large output") { graph, scores, mask in
            try graph.one(Binary(.multiply, constant: Tensor([1e6], shape: [])), graph.one(Binary(.add), scores, mask))
        },
        LargeValueCase(testDescription: "an output that is also read in float32") { graph, scores, mask in
            let sum = try graph.one(Binary(.add), scores, mask)
            let large = try graph.one(Binary(.multiply, constant: Tensor([1e6], shape: [])), sum)
            let small = try graph.one(Binary(.multiply, constant: Tensor([1e-6], shape: [])), large)
            return try graph.one(Binary(.add), graph.one(Unary(.relu6), small), large)
        },
    ]
}

@Suite struct LargeValueTests {
    /// The last mask leaves nothing, so that the softmax is of large values alone.
    private static let masks: [[Float]] = [[1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]]

    @Test(arguments: LargeValueCase.all, masks)
    func `values beyond the range of float16 are computed in float32`(_ test: LargeValueCase, _ mask: [Float]) throws {
        var builder = GraphBuilder()
        let (scores, maskValue) = (
            builder.input("scores", TensorType([1, 4])), builder.input("mask", TensorType([1, 4]))
        )
        builder.output("output", try test.build(&builder, scores, maskValue))
        let model = Model(graph: builder.graph)
        let arrays: [(name: String?, array: Tensor)] = [
            ("scores", Tensor([0.5, -1, 2, -40], shape: [1, 4])),
            ("mask", Tensor(mask, shape: [1, 4])),
        ]
        let expected = try ArrayRunner(model, byReference: true).run(arrays)[0].array.floats
        #expect(!expected.contains { !$0.isFinite })
        for dialect in Dialect.allCases {
            let floats = try ArrayRunner(dialect.roundTrip(model), byReference: true).run(arrays)[0].array.floats
            let largest = expected.map(abs).max()!
            // The scores are rounded to the 11 digits of float16.
            #expect(zip(floats, expected).allSatisfy { abs($0 - $1) <= 0x1p-10 * largest }, "\(dialect): \(floats)")
        }
    }
}
