import Testing

@testable import Thaw

/// A graph in which a function is spelled out, and the expected kinds of its operations after the pass, in order.
struct RecognitionCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let input: Shape
    let expected: [String]
    let build: @Sendable (inout GraphBuilder, Graph.Value) throws -> [Graph.Value]

    init(
        _ name: String, _ input: Shape = [1, 4, 5, 6], becomes expected: String...,
        build: @escaping @Sendable (inout GraphBuilder, Graph.Value) throws -> Graph.Value
    ) {
        self.init(name, input, becomesAll: expected) { [try build(&$0, $1)] }
    }

    init(
        _ name: String, _ input: Shape = [1, 4, 5, 6], becomesAll expected: [String],
        buildAll: @escaping @Sendable (inout GraphBuilder, Graph.Value) throws -> [Graph.Value]
    ) {
        testDescription = name
        self.input = input
        self.expected = expected
        build = buildAll
    }

    func graph() throws -> Graph {
        var builder = GraphBuilder()
        let value = builder.input("input", TensorType(input))
        for (index, output) in try build(&builder, value).enumerated() { builder.output("output\(index)", output) }
        return builder.graph
    }

    /// Checks which operations a pass leaves, and that they compute the same tensors.
    func check(_ pass: (Graph) -> Graph) throws {
        let graph = try graph()
        let result = pass(graph)
        try result.validate()
        #expect(result.nodes.map(\.operation.kind) == expected)
        let input = Tensor(noise(input.elementCount).map { $0 * 6 }, shape: input)
        for (actual, expected) in try zip(result.evaluate([input]), graph.evaluate([input])) {
            #expect(difference(actual, expected) <= 1e-6)
        }
    }
}

extension GraphBuilder {
    mutating func one(_ function: Unary.Function, _ x: Graph.Value) throws -> Graph.Value {
        try one(Unary(function), x)
    }
    mutating func add(_ x: Graph.Value, _ number: Float) throws -> Graph.Value {
        try one(Binary(.add, constant: Tensor([number], shape: [])), x)
    }
    mutating func times(_ x: Graph.Value, _ number: Float) throws -> Graph.Value {
        try one(Binary(.multiply, constant: Tensor([number], shape: [])), x)
    }
    mutating func times(_ x: Graph.Value, _ y: Graph.Value) throws -> Graph.Value {
        try one(Binary(.multiply), x, y)
    }
    mutating func mean(_ x: Graph.Value, _ axes: [Int], keepsAxes: Bool = true) throws -> Graph.Value {
        try one(Reduction(function: .mean, axes: axes, keepsAxes: keepsAxes), x)
    }
    /// x − mean, and 1 / √(variance + epsilon).
    mutating func moments(_ x: Graph.Value, _ axes: [Int], variance: [Int]? = nil) throws
        -> (centered: Graph.Value, inverse: Graph.Value)
    {
        let centered = try one(Binary(.subtract), x, mean(x, axes))
        let raised = try add(mean(one(.square, centered), variance ?? axes), 1e-3)
        return (centered, try one(.reciprocalSquareRoot, raised))
    }
    mutating func hardSwish(
        _ x: Graph.Value, _ bound: Unary.Function = .relu6, shift: Float = 3, factor: Float = 1 / 6
    ) throws -> Graph.Value {
        try times(times(x, one(bound, add(x, shift))), factor)
    }
    mutating func gelu(_ x: Graph.Value, root: Float = 1.4142135) throws -> Graph.Value {
        let share = try add(one(.errorFunction, one(Binary(.divide, constant: Tensor([root], shape: [])), x)), 1)
        return try times(times(x, 0.5), share)
    }
}
