import Testing

@testable import Thaw

/// Sums of so many equal values that the rounding of each addition, always in the same direction, would show.
@Suite struct LongSumTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var shape: Shape
        var operation: any Thaw.Operation
        /// The largest error, relative to the result.
        var tolerance: Float = 1e-6
    }

    static let cases = [
        Case(
            testDescription: "the mean of an image", shape: [1, 512, 512, 16],
            operation: Reduction(function: .mean, axes: [1, 2], keepsAxes: false)),
        Case(
            testDescription: "the mean of a narrow image", shape: [1, 65536, 3, 16],
            operation: Reduction(function: .mean, axes: [1, 2], keepsAxes: false)),
        Case(
            testDescription: "the mean over an axis before the last", shape: [1, 65536, 40],
            operation: Reduction(function: .mean, axes: [1], keepsAxes: false)),
        Case(
            testDescription: "the sum of a row", shape: [2, 1_000_003],
            operation: Reduction(function: .sum, axes: [1], keepsAxes: false)),
        Case(
            testDescription: "the length of a row", shape: [2, 1_000_003],
            operation: L2Normalization(axes: [1], epsilon: 1e-12)),
    ]

    @Test(arguments: cases) func `the engine agrees with the reference implementation`(_ c: Case) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType(c.shape))
        builder.output("output", try builder.one(c.operation, input))
        let flat = Tensor([Float](repeating: 0.1, count: c.shape.elementCount), shape: c.shape)
        let expected = try builder.graph.evaluate([flat])[0].floats
        for set in InstructionSet.availableForFloats {
            let result = try Program(builder.graph, instructionSet: set).run([flat])[0].floats
            let worst = zip(result, expected).map { abs($0 / $1 - 1) }.max()!
            #expect(worst < c.tolerance, "\(set): \(worst)")
        }
    }

    /// The variance of two values that differ by a thousandth: their mean must be exact to more digits than that.
    @Test func `a nearly flat image is normalized`() throws {
        let shape: Shape = [1, 512, 512, 16]
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType(shape))
        builder.output("output", try builder.one(Normalization(axes: [1, 2], epsilon: 1e-12), input))
        let values = (0..<shape.elementCount).map { $0 / 16 % 2 == 0 ? Float(0.1) : Float(0.1001) }
        let expected = try builder.graph.evaluate([Tensor(values, shape: shape)])[0].floats
        for set in InstructionSet.availableForFloats {
            let result = try Program(builder.graph, instructionSet: set).run([Tensor(values, shape: shape)])[0].floats
            // A value has seven digits, and its distance from the mean four fewer.
            #expect(error(result, expected) < 2e-3, "\(set): \(error(result, expected))")
        }
    }

    @Test func `infinite values stay infinite`() throws {
        let shape: Shape = [1, 100, 100, 16]
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType(shape))
        let mean = Reduction(function: .mean, axes: [1, 2], keepsAxes: false)
        builder.output("output", try builder.one(mean, input))
        var values = [Float](repeating: 1, count: shape.elementCount)
        (values[0], values[1], values[2]) = (.infinity, -.infinity, .nan)
        for set in InstructionSet.availableForFloats {
            let result = try Program(builder.graph, instructionSet: set).run([Tensor(values, shape: shape)])[0].floats
            #expect(result[0] == .infinity && result[1] == -.infinity && result[2].isNaN, "\(set)")
            #expect(abs(result[3] - 1) < 1e-6, "\(set)")
        }
    }
}
