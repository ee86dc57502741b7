import Testing

@testable import Thaw

private let normalizationCases: [RecognitionCase] = [
    RecognitionCase("(x − mean) · rsqrt(variance + epsilon)", becomes: "Normalization") {
        let (centered, inverse) = try $0.moments($1, [1, 2])
        return try $0.times(centered, inverse)
    },
    RecognitionCase("the same over other axes", becomes: "Normalization") {
        let (centered, inverse) = try $0.moments($1, [1, 2, 3])
        return try $0.times(inverse, centered)
    },
    RecognitionCase("(x − mean) / (variance + epsilon)^½", becomes: "Normalization") {
        let average = try $0.mean($1, [1, 2])
        let variance = try $0.mean($0.one(Binary(.squaredDifference), $1, average), [1, 2])
        let root = try $0.one(Binary(.power, constant: Tensor([0.5], shape: [])), $0.add(variance, 1e-3))
        return try $0.one(Binary(.divide), $0.one(Binary(.subtract), $1, average), root)
    },
    RecognitionCase("x · inverse + (offset − mean · inverse)", becomes: "Normalization") {
        let average = try $0.mean($1, [3])
        let variance = try $0.mean($0.one(Binary(.squaredDifference), $1, average), [3])
        let inverse = try $0.one(
            Binary(.multiply, constant: tensor([6])), $0.one(.reciprocalSquareRoot, $0.add(variance, 1e-3)))
        let shift = try $0.one(
            Binary(.subtract, constant: tensor([6], seed: 2), constantFirst: true), $0.times(average, inverse))
        return try $0.one(Binary(.add), $0.times($1, inverse), shift)
    },
    RecognitionCase("x · inverse + (−mean · inverse)", becomes: "Normalization") {
        let average = try $0.mean($1, [3])
        let variance = try $0.mean($0.one(Binary(.squaredDifference), $1, average), [3])
        let inverse = try $0.one(.reciprocalSquareRoot, $0.add(variance, 1e-3))
        return try $0.one(
            Binary(.add), $0.times($1, inverse), $0.times($0.one(.negate, average), inverse))
    },
    RecognitionCase("statistics whose axes are removed and added again", becomes: "Normalization") {
        let average = try $0.one(Reshape([1, 4, 5, 1]), $0.mean($1, [3], keepsAxes: false))
        let centered = try $0.one(Binary(.subtract), $1, average)
        let variance = try $0.mean($0.times(centered, centered), [3], keepsAxes: false)
        let inverse = try $0.one(.reciprocalSquareRoot, $0.add(variance, 1e-3))
        return try $0.times(centered, $0.one(Reshape([1, 4, 5, 1]), inverse))
    },
    RecognitionCase("x · rsqrt(max(Σ x², epsilon))", becomes: "L2Normalization") {
        let sum = try $0.one(Reduction(function: .sum, axes: [3], keepsAxes: true), $0.one(.square, $1))
        let bound = try $0.one(Binary(.maximum, constant: Tensor([1e-12], shape: [])), sum)
        return try $0.times($1, $0.one(.reciprocalSquareRoot, bound))
    },
    RecognitionCase("x / max(√Σ x², epsilon)", becomes: "L2Normalization") {
        let sum = try $0.one(Reduction(function: .sum, axes: [1, 2, 3], keepsAxes: true), $0.times($1, $1))
        let bound = try $0.one(Binary(.maximum, constant: Tensor([1e-3], shape: [])), $0.one(.squareRoot, sum))
        return try $0.one(Binary(.divide), $1, bound)
    },
]

private let otherNormalizationCases: [RecognitionCase] = [
    RecognitionCase(
        "a variance over other axes", becomes: "ReduceMean", "Subtract", "Square", "ReduceMean", "Add",
        "ReciprocalSquareRoot", "Multiply"
    ) {
        let (centered, inverse) = try $0.moments($1, [1, 2, 3], variance: [1, 2])
        return try $0.times(centered, inverse)
    },
    RecognitionCase(
        "another tensor is normalized", becomes: "ReduceMean", "Subtract", "Square", "ReduceMean", "Add",
        "ReciprocalSquareRoot", "Multiply"
    ) {
        let (_, inverse) = try $0.moments($1, [1, 2])
        return try $0.times($1, inverse)
    },
    RecognitionCase(
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
    RecognitionCase(
        "the epsilon is added to the deviation", becomes: "ReduceMean", "Subtract", "Square", "ReduceMean",
        "SquareRoot",
        "Add", "Divide"
    ) {
        let centered = try $0.one(Binary(.subtract), $1, $0.mean($1, [1, 2]))
        let deviation = try $0.one(.squareRoot, $0.mean($0.one(.square, centered), [1, 2]))
        return try $0.one(Binary(.divide), centered, $0.add(deviation, 1e-3))
    },
    RecognitionCase(
        "the mean without kept axes broadcasts along other axes", [4, 4], becomes: "ReduceMean", "Subtract", "Square",
        "ReduceMean", "Add", "ReciprocalSquareRoot", "Multiply"
    ) {
        let centered = try $0.one(Binary(.subtract), $1, $0.mean($1, [1], keepsAxes: false))
        let raised = try $0.add($0.mean($0.one(.square, centered), [1]), 1e-3)
        return try $0.times(centered, $0.one(.reciprocalSquareRoot, raised))
    },
    RecognitionCase(
        "the shift without kept axes broadcasts along other axes", [1, 3, 4, 3], becomes: "ReduceMean", "ReduceMean",
        "Subtract", "Square", "ReduceMean", "Add", "ReciprocalSquareRoot", "Multiply", "Multiply", "Subtract"
    ) {
        let average = try $0.mean($1, [2, 3], keepsAxes: false)
        let centered = try $0.one(Binary(.subtract), $1, $0.mean($1, [2, 3]))
        let raised = try $0.add($0.mean($0.one(.square, centered), [2, 3]), 1e-3)
        let inverse = try $0.one(.reciprocalSquareRoot, raised)
        return try $0.one(Binary(.subtract), $0.times($1, inverse), $0.times(average, inverse))
    },
    RecognitionCase(
        "the epsilon is added to the sum of squares", becomes: "Square", "ReduceSum", "Add", "ReciprocalSquareRoot",
        "Multiply"
    ) {
        let sum = try $0.one(Reduction(function: .sum, axes: [3], keepsAxes: true), $0.one(.square, $1))
        return try $0.times($1, $0.one(.reciprocalSquareRoot, $0.add(sum, 1e-3)))
    },
    RecognitionCase(
        "the square of the bound is 0", becomes: "Square", "ReduceSum", "SquareRoot", "Maximum", "Divide"
    ) {
        let sum = try $0.one(Reduction(function: .sum, axes: [3], keepsAxes: true), $0.one(.square, $1))
        let bound = try $0.one(Binary(.maximum, constant: Tensor([1e-30], shape: [])), $0.one(.squareRoot, sum))
        return try $0.one(Binary(.divide), $1, bound)
    },
]

@Suite struct RecognizedNormalizationsTests {
    @Test(arguments: normalizationCases) private func `a spelled-out normalization is recognized`(
        _ c: RecognitionCase
    ) throws {
        try c.check { $0.withRecognizedNormalizations() }
    }

    @Test(arguments: otherNormalizationCases) private func `a similar normalization is not changed`(
        _ c: RecognitionCase
    )
        throws
    {
        try c.check { $0.withRecognizedNormalizations() }
    }

    @Test func `per-channel scales and offsets are folded into a normalization`() throws {
        let graph = try RecognitionCase("", becomes: "") {
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
