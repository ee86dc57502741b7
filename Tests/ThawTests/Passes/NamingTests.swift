import Testing

@testable import Thaw

/// A graph in which a function is spelled out, and the expected kinds of its operations after the pass, in order.
struct NamingCase: CustomTestStringConvertible, Sendable {
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
}

extension GraphBuilder {
    fileprivate mutating func one(_ function: Unary.Function, _ x: Graph.Value) throws -> Graph.Value {
        try one(Unary(function), x)
    }
    fileprivate mutating func add(_ x: Graph.Value, _ number: Float) throws -> Graph.Value {
        try one(Binary(.add, constant: Tensor([number], shape: [])), x)
    }
    fileprivate mutating func times(_ x: Graph.Value, _ number: Float) throws -> Graph.Value {
        try one(Binary(.multiply, constant: Tensor([number], shape: [])), x)
    }
    fileprivate mutating func times(_ x: Graph.Value, _ y: Graph.Value) throws -> Graph.Value {
        try one(Binary(.multiply), x, y)
    }
    fileprivate mutating func mean(_ x: Graph.Value, _ axes: [Int], keepsAxes: Bool = true) throws -> Graph.Value {
        try one(Reduction(function: .mean, axes: axes, keepsAxes: keepsAxes), x)
    }
    /// x − mean, and 1 / √(variance + epsilon).
    fileprivate mutating func moments(_ x: Graph.Value, _ axes: [Int], variance: [Int]? = nil) throws
        -> (centered: Graph.Value, inverse: Graph.Value)
    {
        let centered = try one(Binary(.subtract), x, mean(x, axes))
        let raised = try add(mean(one(.square, centered), variance ?? axes), 1e-3)
        return (centered, try one(.reciprocalSquareRoot, raised))
    }
    fileprivate mutating func hardSwish(
        _ x: Graph.Value, _ bound: Unary.Function = .relu6, shift: Float = 3, factor: Float = 1 / 6
    ) throws -> Graph.Value {
        try times(times(x, one(bound, add(x, shift))), factor)
    }
    fileprivate mutating func gelu(_ x: Graph.Value, root: Float = 1.4142135) throws -> Graph.Value {
        let share = try add(one(.errorFunction, one(Binary(.divide, constant: Tensor([root], shape: [])), x)), 1)
        return try times(times(x, 0.5), share)
    }
}

private let functionCases: [NamingCase] = [
    NamingCase("the hard-swish of a function that is not a part of it", becomes: "ThresholdedRelu", "HardSwish") {
        let kept = try $0.one(.thresholdedRelu(bound: -2), $1)
        return try $0.times(kept, $0.one(.hardSigmoid(alpha: 1 / 6, beta: 0.5), kept))
    },
    NamingCase("x · sigmoid(x)", becomes: "Swish") { try $0.times($1, $0.one(.sigmoid, $1)) },
    NamingCase("sigmoid(1.702 · x) · x", becomes: "Swish") { try $0.times($0.one(.sigmoid, $0.times($1, 1.702)), $1) },
    NamingCase("x · relu6(x + 3) · (1 / 6)", becomes: "HardSwish") { try $0.hardSwish($1) },
    NamingCase("(x · (1 / 6)) · relu6(x + 3)", becomes: "HardSwish") {
        try $0.times($0.times($1, 1 / 6), $0.one(.relu6, $0.add($1, 3)))
    },
    NamingCase("x · (relu6(x + 3) / 6)", becomes: "HardSwish") {
        let share = try $0.one(
            Binary(.divide, constant: Tensor([6], shape: [])), $0.one(.relu6, $0.add($1, 3)))
        return try $0.times($1, share)
    },
    NamingCase("x · relu6(x + 2.5) · (1 / 6), with other bounds", becomes: "HardSwish") {
        try $0.hardSwish($1, shift: 2.5)
    },
    NamingCase("y · hard sigmoid(y) with y = x from −3 on, otherwise 0", becomes: "HardSwish") {
        let kept = try $0.one(.thresholdedRelu(bound: -3), $1)
        return try $0.times(kept, $0.one(.hardSigmoid(alpha: 1 / 6, beta: 0.5), kept))
    },
    NamingCase("relu6(x + 3) / 6", becomes: "HardSigmoid") {
        try $0.one(Binary(.divide, constant: Tensor([6], shape: [])), $0.one(.relu6, $0.add($1, 3)))
    },
    NamingCase("clip(0.2 · x + 0.5, 0, 1)", becomes: "HardSigmoid") {
        try $0.one(.clip(0, 1), $0.add($0.times($1, 0.2), 0.5))
    },
    NamingCase("max(x, 0.1 · x)", becomes: "LeakyRelu") { try $0.one(Binary(.maximum), $1, $0.times($1, 0.1)) },
    NamingCase("relu(x) − 0.3 · relu(−x)", becomes: "LeakyRelu") {
        let negative = try $0.times($0.one(.relu, $0.one(.negate, $1)), 0.3)
        return try $0.one(Binary(.subtract), $0.one(.relu, $1), negative)
    },
    NamingCase("x / 2 · (1 + erf(x / √2))", becomes: "Gelu") { try $0.gelu($1) },
    NamingCase("0.5 · x · erfc(−x · √½)", becomes: "Gelu") {
        try $0.times($0.times($1, 0.5), $0.one(.complementaryErrorFunction, $0.times($1, -0.70710677)))
    },
    NamingCase("0.5 · x · (1 + tanh(√(2 / π) · (x + 0.044715 · x³)))", becomes: "GeluByTanh") {
        let cube = try $0.one(Binary(.power, constant: Tensor([3], shape: [])), $1)
        let inner = try $0.times($0.one(Binary(.add), $1, $0.times(cube, 0.044715)), 0.7978846)
        return try $0.times($0.times($1, 0.5), $0.add($0.one(.tanh, inner), 1))
    },
    NamingCase("x · tanh(softplus(x))", becomes: "Mish") { try $0.times($1, $0.one(.tanh, $0.one(.softplus, $1))) },
    NamingCase("a swish of a sum", becomes: "Add", "Swish") {
        let sum = try $0.one(Binary(.add, constant: tensor([6])), $1)
        return try $0.times(sum, $0.one(.sigmoid, sum))
    },
]

private let otherFunctionCases: [NamingCase] = [
    NamingCase("clip(200 · x + 0.5, 0, 1), which is constant beyond 0.0025", becomes: "Multiply", "HardSigmoid") {
        try $0.one(.clip(0, 1), $0.add($0.times($1, 200), 0.5))
    },
    NamingCase("relu6(3000 · x + 3) / 6", becomes: "Multiply", "HardSigmoid") {
        let bounded = try $0.one(.relu6, $0.add($0.times($1, 3000), 3))
        return try $0.one(Binary(.divide, constant: Tensor([6], shape: [])), bounded)
    },
    NamingCase("sigmoid(2000 · x)", becomes: "Multiply", "Sigmoid") { try $0.one(.sigmoid, $0.times($1, 2000)) },
    NamingCase("0.5 · (1 + tanh(1000000 · x))", becomes: "Multiply", "Tanh", "Add", "Multiply") {
        try $0.times($0.add($0.one(.tanh, $0.times($1, 1e6)), 1), 0.5)
    },
    NamingCase("the bound is 5.99", becomes: "Add", "Clip", "Multiply", "Multiply") {
        try $0.hardSwish($1, .clip(0, 5.99))
    },
    NamingCase("the factor is a sixth to four digits", becomes: "Add", "Relu6", "Multiply", "Multiply") {
        try $0.hardSwish($1, factor: 0.1667)
    },
    NamingCase("√2 to four digits", becomes: "Divide", "ErrorFunction", "Add", "Multiply", "Multiply") {
        try $0.gelu($1, root: 1.414)
    },
    NamingCase("a swish with a bound that only large values reach", becomes: "Swish", "Minimum") {
        let swish = try $0.times($1, $0.one(.sigmoid, $1))
        return try $0.one(Binary(.minimum, constant: Tensor([60000], shape: [])), swish)
    },
    NamingCase("the sigmoid of something else", becomes: "Tanh", "Sigmoid", "Multiply") {
        try $0.times($1, $0.one(.sigmoid, $0.one(.tanh, $1)))
    },
    NamingCase("max(x, 2 · x)", becomes: "Multiply", "Maximum") { try $0.one(Binary(.maximum), $1, $0.times($1, 2)) },
    NamingCase("a slope per channel", becomes: "Multiply", "Maximum") {
        try $0.one(Binary(.maximum), $1, $0.one(Binary(.multiply, constant: Tensor(noise(6), shape: [6])), $1))
    },
    NamingCase("x · sigmoid(mean x)", becomes: "ReduceMean", "Sigmoid", "Multiply") {
        try $0.times($1, $0.one(.sigmoid, $0.mean($1, [1, 2])))
    },
    NamingCase("a constant that keeps a logarithm finite", becomes: "Relu", "Add", "Logarithm") {
        try $0.one(.logarithm, $0.add($0.one(.relu, $1), 1e-8))
    },
    NamingCase("a constant that keeps a quotient finite", becomes: "Absolute", "Add", "Divide") {
        try $0.one(Binary(.divide), $1, $0.add($0.one(.absolute, $1), 1e-8))
    },
    NamingCase("a hard sigmoid that does not reach 0 and 1", becomes: "Multiply", "Add", "Clip", "Logarithm") {
        try $0.one(.logarithm, $0.one(.clip(1e-7, 1 - 1e-7), $0.add($0.times($1, 0.2), 0.5)))
    },
    NamingCase("a reciprocal whose pole is far away", becomes: "Add", "Reciprocal") {
        try $0.one(.reciprocal, $0.add($1, 3422.25))
    },
    NamingCase("the sigmoid of small numbers", becomes: "Multiply", "Sigmoid") {
        try $0.one(.sigmoid, $0.times($1, 1e-5))
    },
    NamingCase("a hard sigmoid of tiny values with other bounds", becomes: "Relu6", "Subtract", "Multiply", "Multiply")
    {
        let rest = try $0.one(
            Binary(.subtract, constant: Tensor([255], shape: []), constantFirst: true), $0.one(.relu6, $1))
        return try $0.times($0.times(rest, 1e-10), 1e10)
    },
    NamingCase("a sigmoid with another consumer", becomesAll: ["Sigmoid", "Multiply"]) {
        let share = try $0.one(.sigmoid, $1)
        return [try $0.times($1, share), share]
    },
]

private let normalizationCases: [NamingCase] = [
    NamingCase("(x − mean) · rsqrt(variance + epsilon)", becomes: "Normalization") {
        let (centered, inverse) = try $0.moments($1, [1, 2])
        return try $0.times(centered, inverse)
    },
    NamingCase("the same over other axes", becomes: "Normalization") {
        let (centered, inverse) = try $0.moments($1, [1, 2, 3])
        return try $0.times(inverse, centered)
    },
    NamingCase("(x − mean) / (variance + epsilon)^½", becomes: "Normalization") {
        let average = try $0.mean($1, [1, 2])
        let variance = try $0.mean($0.one(Binary(.squaredDifference), $1, average), [1, 2])
        let root = try $0.one(Binary(.power, constant: Tensor([0.5], shape: [])), $0.add(variance, 1e-3))
        return try $0.one(Binary(.divide), $0.one(Binary(.subtract), $1, average), root)
    },
    NamingCase("x · inverse + (offset − mean · inverse)", becomes: "Normalization") {
        let average = try $0.mean($1, [3])
        let variance = try $0.mean($0.one(Binary(.squaredDifference), $1, average), [3])
        let inverse = try $0.one(
            Binary(.multiply, constant: tensor([6])), $0.one(.reciprocalSquareRoot, $0.add(variance, 1e-3)))
        let shift = try $0.one(
            Binary(.subtract, constant: tensor([6], seed: 2), constantFirst: true), $0.times(average, inverse))
        return try $0.one(Binary(.add), $0.times($1, inverse), shift)
    },
    NamingCase("x · inverse + (−mean · inverse)", becomes: "Normalization") {
        let average = try $0.mean($1, [3])
        let variance = try $0.mean($0.one(Binary(.squaredDifference), $1, average), [3])
        let inverse = try $0.one(.reciprocalSquareRoot, $0.add(variance, 1e-3))
        return try $0.one(
            Binary(.add), $0.times($1, inverse), $0.times($0.one(.negate, average), inverse))
    },
    NamingCase("statistics whose axes are removed and added again", becomes: "Normalization") {
        let average = try $0.one(Reshape([1, 4, 5, 1]), $0.mean($1, [3], keepsAxes: false))
        let centered = try $0.one(Binary(.subtract), $1, average)
        let variance = try $0.mean($0.times(centered, centered), [3], keepsAxes: false)
        let inverse = try $0.one(.reciprocalSquareRoot, $0.add(variance, 1e-3))
        return try $0.times(centered, $0.one(Reshape([1, 4, 5, 1]), inverse))
    },
    NamingCase("x · rsqrt(max(Σ x², epsilon))", becomes: "L2Normalization") {
        let sum = try $0.one(Reduction(function: .sum, axes: [3], keepsAxes: true), $0.one(.square, $1))
        let bound = try $0.one(Binary(.maximum, constant: Tensor([1e-12], shape: [])), sum)
        return try $0.times($1, $0.one(.reciprocalSquareRoot, bound))
    },
    NamingCase("x / max(√Σ x², epsilon)", becomes: "L2Normalization") {
        let sum = try $0.one(Reduction(function: .sum, axes: [1, 2, 3], keepsAxes: true), $0.times($1, $1))
        let bound = try $0.one(Binary(.maximum, constant: Tensor([1e-3], shape: [])), $0.one(.squareRoot, sum))
        return try $0.one(Binary(.divide), $1, bound)
    },
]

private let otherNormalizationCases: [NamingCase] = [
    NamingCase(
        "a variance over other axes", becomes: "ReduceMean", "Subtract", "Square", "ReduceMean", "Add",
        "ReciprocalSquareRoot", "Multiply"
    ) {
        let (centered, inverse) = try $0.moments($1, [1, 2, 3], variance: [1, 2])
        return try $0.times(centered, inverse)
    },
    NamingCase(
        "another tensor is normalized", becomes: "ReduceMean", "Subtract", "Square", "ReduceMean", "Add",
        "ReciprocalSquareRoot", "Multiply"
    ) {
        let (_, inverse) = try $0.moments($1, [1, 2])
        return try $0.times($1, inverse)
    },
    NamingCase(
        "the mean has another consumer",
        becomesAll: [
            "ReduceMean", "Subtract", "Square", "ReduceMean", "Add", "ReciprocalSquareRoot", "Multiply",
        ]
    ) {
        let average = try $0.mean($1, [1, 2])
        let centered = try $0.one(Binary(.subtract), $1, average)
        let raised = try $0.add($0.mean($0.one(.square, centered), [1, 2]), 1e-3)
        return [try $0.times(centered, $0.one(.reciprocalSquareRoot, raised)), average]
    },
    NamingCase(
        "the epsilon is added to the deviation", becomes: "ReduceMean", "Subtract", "Square", "ReduceMean",
        "SquareRoot",
        "Add", "Divide"
    ) {
        let centered = try $0.one(Binary(.subtract), $1, $0.mean($1, [1, 2]))
        let deviation = try $0.one(.squareRoot, $0.mean($0.one(.square, centered), [1, 2]))
        return try $0.one(Binary(.divide), centered, $0.add(deviation, 1e-3))
    },
    NamingCase(
        "the mean without kept axes broadcasts along other axes", [4, 4], becomes: "ReduceMean", "Subtract", "Square",
        "ReduceMean", "Add", "ReciprocalSquareRoot", "Multiply"
    ) {
        let centered = try $0.one(Binary(.subtract), $1, $0.mean($1, [1], keepsAxes: false))
        let raised = try $0.add($0.mean($0.one(.square, centered), [1]), 1e-3)
        return try $0.times(centered, $0.one(.reciprocalSquareRoot, raised))
    },
    NamingCase(
        "the shift without kept axes broadcasts along other axes", [1, 3, 4, 3], becomes: "ReduceMean", "ReduceMean",
        "Subtract", "Square", "ReduceMean", "Add", "ReciprocalSquareRoot", "Multiply", "Multiply", "Subtract"
    ) {
        let average = try $0.mean($1, [2, 3], keepsAxes: false)
        let centered = try $0.one(Binary(.subtract), $1, $0.mean($1, [2, 3]))
        let raised = try $0.add($0.mean($0.one(.square, centered), [2, 3]), 1e-3)
        let inverse = try $0.one(.reciprocalSquareRoot, raised)
        return try $0.one(Binary(.subtract), $0.times($1, inverse), $0.times(average, inverse))
    },
    NamingCase(
        "the epsilon is added to the sum of squares", becomes: "Square", "ReduceSum", "Add", "ReciprocalSquareRoot",
        "Multiply"
    ) {
        let sum = try $0.one(Reduction(function: .sum, axes: [3], keepsAxes: true), $0.one(.square, $1))
        return try $0.times($1, $0.one(.reciprocalSquareRoot, $0.add(sum, 1e-3)))
    },
    NamingCase(
        "the square of the bound is 0", becomes: "Square", "ReduceSum", "SquareRoot", "Maximum", "Divide"
    ) {
        let sum = try $0.one(Reduction(function: .sum, axes: [3], keepsAxes: true), $0.one(.square, $1))
        let bound = try $0.one(Binary(.maximum, constant: Tensor([1e-30], shape: [])), $0.one(.squareRoot, sum))
        return try $0.one(Binary(.divide), $1, bound)
    },
]

private let regroupingCases: [NamingCase] = [
    NamingCase("rows of pixels", becomes: "Normalization") {
        let rows = try $0.one(Reshape([1, 20, 6, 1]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [0, 2, 3], epsilon: 1e-3), rows))
    },
    NamingCase("a whole image as one channel", becomes: "Normalization") {
        let tall = try $0.one(Reshape([1, 1, 24, 5]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [2, 3], epsilon: 1e-3), tall))
    },
    NamingCase("groups of channels stay", becomes: "Reshape", "Normalization", "Reshape") {
        let groups = try $0.one(Reshape([1, 4, 5, 2, 3]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [1, 2, 4], epsilon: 1e-3), groups))
    },
    NamingCase("rows that are not rows of the tensor stay", becomes: "Reshape", "Normalization", "Reshape") {
        let rows = try $0.one(Reshape([1, 12, 10, 1]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [2], epsilon: 1e-3), rows))
    },
    NamingCase("another shape after it stays", becomes: "Reshape", "Normalization", "Reshape") {
        let rows = try $0.one(Reshape([1, 20, 6, 1]), $1)
        return try $0.one(Reshape([20, 6]), $0.one(Normalization(axes: [0, 2, 3], epsilon: 1e-3), rows))
    },
    NamingCase("a dense layer on pixels", becomes: "Convolution") {
        let dense = Dense(matrix: tensor([6, 3]), bias: tensor([1, 3], seed: 2))
        return try $0.one(Reshape([1, 4, 5, 3]), $0.one(dense, $0.one(Reshape([20, 6]), $1)))
    },
    NamingCase("a dense layer on rows of pixels stays", becomes: "Reshape", "Dense", "Reshape") {
        let dense = Dense(matrix: tensor([30, 30]))
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(dense, $0.one(Reshape([4, 30]), $1)))
    },
    NamingCase("a dense layer on pixels in another order stays", becomes: "Reshape", "Dense", "Reshape") {
        let dense = Dense(matrix: tensor([6, 3]))
        return try $0.one(Reshape([1, 5, 4, 3]), $0.one(dense, $0.one(Reshape([20, 6]), $1)))
    },
    NamingCase("a dense layer on a single pixel stays", [1, 1, 1, 6], becomes: "Reshape", "Dense", "Reshape") {
        let dense = Dense(matrix: tensor([6, 3]))
        return try $0.one(Reshape([1, 1, 1, 3]), $0.one(dense, $0.one(Reshape([1, 6]), $1)))
    },
]

@Suite struct NamingTests {
    private func check(_ namingCase: NamingCase, _ pass: (Graph) -> Graph) throws {
        let graph = try namingCase.graph()
        let result = pass(graph)
        try result.validate()
        #expect(result.nodes.map(\.operation.kind) == namingCase.expected)
        let input = Tensor(noise(namingCase.input.elementCount).map { $0 * 6 }, shape: namingCase.input)
        for (actual, expected) in try zip(result.evaluate([input]), graph.evaluate([input])) {
            #expect(difference(actual, expected) <= 1e-6)
        }
    }

    @Test(arguments: functionCases) private func `a spelled-out function is recognized`(_ c: NamingCase) throws {
        try check(c) { $0.withNamedFunctions() }
    }

    @Test(arguments: otherFunctionCases) private func `a similar function is not changed`(_ c: NamingCase) throws {
        try check(c) { $0.withNamedFunctions() }
    }

    @Test(arguments: normalizationCases) private func `a spelled-out normalization is recognized`(
        _ c: NamingCase
    ) throws {
        try check(c) { $0.withNamedNormalizations() }
    }

    @Test(arguments: otherNormalizationCases) private func `a similar normalization is not changed`(_ c: NamingCase)
        throws
    {
        try check(c) { $0.withNamedNormalizations() }
    }

    @Test(arguments: regroupingCases) private func `an operation on rows needs no reshapes`(_ c: NamingCase) throws {
        try check(c) { $0.withoutRegrouping() }
    }

    @Test func `per-channel scales and offsets are folded into a normalization`() throws {
        let graph = try NamingCase("", becomes: "") {
            let normal = try $0.one(Normalization(axes: [1, 2], epsilon: 1e-3, offset: tensor([6], seed: 3)), $1)
            let scaled = try $0.one(Binary(.multiply, constant: tensor([6])), normal)
            return try $0.one(Binary(.add, constant: tensor([6], seed: 2)), scaled)
        }.graph()
        let result = try graph.withFoldedArithmetic()
        #expect(result.nodes.map(\.operation.kind) == ["Normalization"])
        let input = tensor([1, 4, 5, 6], seed: 4)
        #expect(try difference(result.evaluate([input])[0], graph.evaluate([input])[0]) <= 1e-6)
    }
}
