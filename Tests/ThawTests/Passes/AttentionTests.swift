import Testing

@testable import Thaw

/// A graph in which attention may be spelled out, and the kinds of its operations after the pass, in order.
struct AttentionCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let inputs: [Shape]
    let expected: [String]
    let build: @Sendable (inout GraphBuilder, [Graph.Value]) throws -> Graph.Value

    init(
        _ name: String, _ inputs: [Shape] = [[2, 5, 4], [2, 6, 4], [2, 6, 3]], becomes expected: String...,
        build: @escaping @Sendable (inout GraphBuilder, [Graph.Value]) throws -> Graph.Value
    ) {
        (testDescription, self.inputs, self.expected, self.build) = (name, inputs, expected, build)
    }

    func graph() throws -> Graph {
        var builder = GraphBuilder()
        let values = inputs.enumerated().map { builder.input("input\($0)", TensorType($1)) }
        builder.output("output", try build(&builder, values))
        return builder.graph
    }
}

extension GraphBuilder {
    fileprivate mutating func scores(_ query: Graph.Value, _ key: Graph.Value) throws -> Graph.Value {
        try one(MatrixProduct(transposeSecond: true), query, key)
    }
    fileprivate mutating func mix(_ scores: Graph.Value, _ value: Graph.Value) throws -> Graph.Value {
        try one(MatrixProduct(), one(Softmax(axis: self[scores].shape.rank - 1), scores), value)
    }
}

private let cases: [AttentionCase] = [
    AttentionCase("softmax(q · kᵀ) · v", becomes: "Attention") { try $0.mix($0.scores($1[0], $1[1]), $1[2]) },
    AttentionCase("with scaled scores", becomes: "Attention") {
        try $0.mix($0.times($0.scores($1[0], $1[1]), 0.5), $1[2])
    },
    AttentionCase("with scaled queries and keys", becomes: "Attention") {
        try $0.mix($0.scores($0.times($1[0], 0.5), $0.times($1[1], 3)), $1[2])
    },
    AttentionCase("with a mask that is scaled too", becomes: "Attention") {
        let masked = try $0.one(Binary(.add, constant: tensor([5, 6])), $0.times($0.scores($1[0], $1[1]), 0.5))
        return try $0.mix($0.times(masked, 2), $1[2])
    },
    AttentionCase("with two masks, one over windows", [[4, 5, 4], [4, 5, 4], [4, 5, 4]], becomes: "Attention") {
        let first = try $0.one(Binary(.add, constant: tensor([5, 5])), $0.scores($1[0], $1[1]))
        let windows = try $0.one(Reshape([2, 2, 5, 5]), first)
        let second = try $0.one(Binary(.add, constant: tensor([2, 1, 5, 5], seed: 3)), windows)
        return try $0.mix($0.one(Reshape([4, 5, 5]), second), $1[2])
    },
    AttentionCase("with a mask of one element", [[8, 1, 4], [8, 1, 4], [8, 1, 4]], becomes: "Attention") {
        let windows = try $0.one(Reshape([1, 8, 1, 1]), $0.scores($1[0], $1[1]))
        let masked = try $0.one(Binary(.add, constant: tensor([1, 1, 1, 1])), windows)
        return try $0.mix($0.one(Reshape([8, 1, 1]), masked), $1[2])
    },
    AttentionCase(
        "with a computed mask", [[2, 5, 4], [2, 6, 4], [2, 6, 3], [5, 6]], becomes: "Attention"
    ) { try $0.mix($0.one(Binary(.add), $0.scores($1[0], $1[1]), $1[3]), $1[2]) },
    AttentionCase("with transposed keys", [[2, 5, 4], [2, 4, 6], [2, 6, 3]], becomes: "Transpose", "Attention") {
        try $0.mix($0.one(MatrixProduct(), $1[0], $1[1]), $1[2])
    },
    AttentionCase("with keys that the graph transposes", becomes: "Attention") {
        try $0.mix($0.one(MatrixProduct(), $1[0], $0.one(Transpose([0, 2, 1]), $1[1])), $1[2])
    },
    AttentionCase("a softmax over the rows", becomes: "MatrixProduct", "Softmax", "MatrixProduct") {
        try $0.one(MatrixProduct(), $0.one(Softmax(axis: 1), $0.scores($1[0], $1[1])), $1[2])
    },
    AttentionCase(
        "values shared by the batch", [[2, 5, 4], [2, 6, 4], [6, 3]],
        becomes: "MatrixProduct", "Softmax", "MatrixProduct"
    ) { try $0.mix($0.scores($1[0], $1[1]), $1[2]) },
    AttentionCase(
        "scores with another consumer", [[2, 5, 4], [2, 6, 4], [2, 6, 3]],
        becomes: "MatrixProduct", "Softmax", "MatrixProduct", "ReduceMaximum", "Add"
    ) {
        let scores = try $0.scores($1[0], $1[1])
        let mixed = try $0.mix(scores, $1[2])
        return try $0.one(
            Binary(.add), mixed, $0.one(Reduction(function: .maximum, axes: [2], keepsAxes: true), scores))
    },
]

@Suite struct AttentionTests {
    @Test(arguments: cases) private func `spelled-out attention is recognized, and nothing else`(
        _ c: AttentionCase
    ) throws {
        let graph = try c.graph()
        let result = try graph.withRecognizedAttention()
        try result.validate()
        #expect(result.nodes.map(\.operation.kind) == c.expected)
        let inputs = c.inputs.enumerated().map { tensor($1, seed: UInt64($0 + 5)) }
        #expect(try difference(result.evaluate(inputs)[0], graph.evaluate(inputs)[0]) <= 1e-6)
    }
}
