import Testing

@testable import Thaw

private let functionCases: [RecognitionCase] = [
    RecognitionCase("the hard-swish of a function that is not a part of it", becomes: "ThresholdedRelu", "HardSwish") {
        let kept = try $0.one(.thresholdedRelu(bound: -2), $1)
        return try $0.times(kept, $0.one(.hardSigmoid(alpha: 1 / 6, beta: 0.5), kept))
    },
    RecognitionCase("x · sigmoid(x)", becomes: "Swish") { try $0.times($1, $0.one(.sigmoid, $1)) },
    RecognitionCase("sigmoid(1.702 · x) · x", becomes: "Swish") {
        try $0.times($0.one(.sigmoid, $0.times($1, 1.702)), $1)
    },
    RecognitionCase("x · relu6(x + 3) · (1 / 6)", becomes: "HardSwish") { try $0.hardSwish($1) },
    RecognitionCase("(x · (1 / 6)) · relu6(x + 3)", becomes: "HardSwish") {
        try $0.times($0.times($1, 1 / 6), $0.one(.relu6, $0.add($1, 3)))
    },
    RecognitionCase("x · (relu6(x + 3) / 6)", becomes: "HardSwish") {
        let share = try $0.one(
            Binary(.divide, constant: Tensor([6], shape: [])), $0.one(.relu6, $0.add($1, 3)))
        return try $0.times($1, share)
    },
    RecognitionCase("x · relu6(x + 2.5) · (1 / 6), with other bounds", becomes: "HardSwish") {
        try $0.hardSwish($1, shift: 2.5)
    },
    RecognitionCase("y · hard sigmoid(y) with y = x from −3 on, otherwise 0", becomes: "HardSwish") {
        let kept = try $0.one(.thresholdedRelu(bound: -3), $1)
        return try $0.times(kept, $0.one(.hardSigmoid(alpha: 1 / 6, beta: 0.5), kept))
    },
    RecognitionCase("relu6(x + 3) / 6", becomes: "HardSigmoid") {
        try $0.one(Binary(.divide, constant: Tensor([6], shape: [])), $0.one(.relu6, $0.add($1, 3)))
    },
    RecognitionCase("clip(0.2 · x + 0.5, 0, 1)", becomes: "HardSigmoid") {
        try $0.one(.clip(0, 1), $0.add($0.times($1, 0.2), 0.5))
    },
    RecognitionCase("max(x, 0.1 · x)", becomes: "LeakyRelu") { try $0.one(Binary(.maximum), $1, $0.times($1, 0.1)) },
    RecognitionCase("relu(x) − 0.3 · relu(−x)", becomes: "LeakyRelu") {
        let negative = try $0.times($0.one(.relu, $0.one(.negate, $1)), 0.3)
        return try $0.one(Binary(.subtract), $0.one(.relu, $1), negative)
    },
    RecognitionCase("x / 2 · (1 + erf(x / √2))", becomes: "Gelu") { try $0.gelu($1) },
    RecognitionCase("0.5 · x · erfc(−x · √½)", becomes: "Gelu") {
        try $0.times($0.times($1, 0.5), $0.one(.complementaryErrorFunction, $0.times($1, -0.70710677)))
    },
    RecognitionCase("0.5 · x · (1 + tanh(√(2 / π) · (x + 0.044715 · x³)))", becomes: "GeluByTanh") {
        let cube = try $0.one(Binary(.power, constant: Tensor([3], shape: [])), $1)
        let inner = try $0.times($0.one(Binary(.add), $1, $0.times(cube, 0.044715)), 0.7978846)
        return try $0.times($0.times($1, 0.5), $0.add($0.one(.tanh, inner), 1))
    },
    RecognitionCase("x · tanh(softplus(x))", becomes: "Mish") {
        try $0.times($1, $0.one(.tanh, $0.one(.softplus, $1)))
    },
    RecognitionCase("a swish of a sum", becomes: "Add", "Swish") {
        let sum = try $0.one(Binary(.add, constant: tensor([6])), $1)
        return try $0.times(sum, $0.one(.sigmoid, sum))
    },
]

private let otherFunctionCases: [RecognitionCase] = [
    RecognitionCase("clip(200 · x + 0.5, 0, 1), which is constant beyond 0.0025", becomes: "Multiply", "HardSigmoid") {
        try $0.one(.clip(0, 1), $0.add($0.times($1, 200), 0.5))
    },
    RecognitionCase("relu6(3000 · x + 3) / 6", becomes: "Multiply", "HardSigmoid") {
        let bounded = try $0.one(.relu6, $0.add($0.times($1, 3000), 3))
        return try $0.one(Binary(.divide, constant: Tensor([6], shape: [])), bounded)
    },
    RecognitionCase("sigmoid(2000 · x)", becomes: "Multiply", "Sigmoid") { try $0.one(.sigmoid, $0.times($1, 2000)) },
    RecognitionCase("0.5 · (1 + tanh(1000000 · x))", becomes: "Multiply", "Tanh", "Add", "Multiply") {
        try $0.times($0.add($0.one(.tanh, $0.times($1, 1e6)), 1), 0.5)
    },
    RecognitionCase("the bound is 5.99", becomes: "Add", "Clip", "Multiply", "Multiply") {
        try $0.hardSwish($1, .clip(0, 5.99))
    },
    RecognitionCase("the factor is a sixth to four digits", becomes: "Add", "Relu6", "Multiply", "Multiply") {
        try $0.hardSwish($1, factor: 0.1667)
    },
    RecognitionCase("√2 to four digits", becomes: "Divide", "ErrorFunction", "Add", "Multiply", "Multiply") {
        try $0.gelu($1, root: 1.414)
    },
    RecognitionCase("a swish with a bound that only large values reach", becomes: "Swish", "Minimum") {
        let swish = try $0.times($1, $0.one(.sigmoid, $1))
        return try $0.one(Binary(.minimum, constant: Tensor([60000], shape: [])), swish)
    },
    RecognitionCase("the sigmoid of something else", becomes: "Tanh", "Sigmoid", "Multiply") {
        try $0.times($1, $0.one(.sigmoid, $0.one(.tanh, $1)))
    },
    RecognitionCase("max(x, 2 · x)", becomes: "Multiply", "Maximum") {
        try $0.one(Binary(.maximum), $1, $0.times($1, 2))
    },
    RecognitionCase("a slope per channel", becomes: "Multiply", "Maximum") {
        try $0.one(Binary(.maximum), $1, $0.one(Binary(.multiply, constant: Tensor(noise(6), shape: [6])), $1))
    },
    RecognitionCase("x · sigmoid(mean x)", becomes: "ReduceMean", "Sigmoid", "Multiply") {
        try $0.times($1, $0.one(.sigmoid, $0.mean($1, [1, 2])))
    },
    RecognitionCase("a constant that keeps a logarithm finite", becomes: "Relu", "Add", "Logarithm") {
        try $0.one(.logarithm, $0.add($0.one(.relu, $1), 1e-8))
    },
    RecognitionCase("a constant that keeps a quotient finite", becomes: "Absolute", "Add", "Divide") {
        try $0.one(Binary(.divide), $1, $0.add($0.one(.absolute, $1), 1e-8))
    },
    RecognitionCase("a hard sigmoid that does not reach 0 and 1", becomes: "Multiply", "Add", "Clip", "Logarithm") {
        try $0.one(.logarithm, $0.one(.clip(1e-7, 1 - 1e-7), $0.add($0.times($1, 0.2), 0.5)))
    },
    RecognitionCase("a reciprocal whose pole is far away", becomes: "Add", "Reciprocal") {
        try $0.one(.reciprocal, $0.add($1, 3422.25))
    },
    RecognitionCase("the sigmoid of small numbers", becomes: "Multiply", "Sigmoid") {
        try $0.one(.sigmoid, $0.times($1, 1e-5))
    },
    RecognitionCase(
        "a hard sigmoid of tiny values with other bounds", becomes: "Relu6", "Subtract", "Multiply", "Multiply"
    ) {
        let rest = try $0.one(
            Binary(.subtract, constant: Tensor([255], shape: []), constantFirst: true), $0.one(.relu6, $1))
        return try $0.times($0.times(rest, 1e-10), 1e10)
    },
    RecognitionCase("a sigmoid with another consumer", becomesAll: ["Sigmoid", "Multiply"]) {
        let share = try $0.one(.sigmoid, $1)
        return [try $0.times($1, share), share]
    },
]

@Suite struct RecognizedFunctionsTests {
    @Test(arguments: functionCases) private func `a spelled-out function is recognized`(_ c: RecognitionCase) throws {
        try c.check { $0.withRecognizedFunctions() }
    }

    @Test(arguments: otherFunctionCases) private func `a similar function is not recognized as a whole`(
        _ c: RecognitionCase
    ) throws {
        try c.check { $0.withRecognizedFunctions() }
    }
}
