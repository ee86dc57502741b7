import Testing

@testable import Thaw

/// The operations that the engine computes transposed convolutions with.
struct TransposedOperationsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var operation: TransposedConvolution
        var input: Shape
        /// The kinds of the operations; nil if the reference implementation computes it.
        var kinds: [String]?

        init(_ name: String, _ input: Shape, _ operation: TransposedConvolution, _ kinds: [String]?) {
            (testDescription, self.input, self.operation, self.kinds) = (name, input, operation, kinds)
        }
    }

    private static let half = axis(4, stride: 2, 1, 1)
    private static let dilated = axis(3, dilation: 2, 2, 2)
    private static let same = axis(3, 1, 1)

    static let cases = [
        Case("stride 2", [2, 3, 4, 8], transposed(half, half, 8, 6), ["Convolution", "Interleaving"]),
        Case(
            "stride 2, two groups", [2, 3, 4, 8], transposed(half, half, 8, 6, groups: 2),
            ["Convolution", "Interleaving"]),
        Case(
            "stride 2, each channel", [2, 3, 4, 21], transposed(half, half, 21, 21, groups: 21),
            ["DepthwisePhases", "Interleaving"]),
        Case(
            "stride 2, each channel to two", [2, 3, 4, 5], transposed(half, half, 5, 10, groups: 5),
            ["Convolution", "Interleaving"]),
        Case("stride 1", [2, 3, 4, 8], transposed(same, same, 8, 20), ["Convolution"]),
        Case("stride 1, few outputs", [2, 3, 16, 8], transposed(same, same, 8, 1), ["Convolution", "Reshape"]),
        Case("stride 1, dilated", [2, 5, 4, 8], transposed(dilated, dilated, 8, 20), ["Convolution"]),
        Case("stride 1, groups", [2, 3, 4, 8], transposed(dilated, same, 8, 6, groups: 2), ["Convolution"]),
        Case(
            "stride 1, each channel to two", [2, 3, 4, 5], transposed(same, dilated, 5, 10, groups: 5),
            ["DepthwiseConvolution"]),
        Case(
            "stride 1, more cropped than the window adds", [2, 5, 4, 8], transposed(axis(2, 2, 0), axis(1), 8, 6),
            ["Convolution", "Interleaving"]),
        Case(
            "stride 2 and dilated", [2, 3, 4, 8],
            transposed(axis(3, stride: 2, dilation: 2, 2, 2), dilated, 8, 6), ["Convolution", "Interleaving"]),
        Case(
            "stride 2, too many zeros between the taps", [1, 3, 3, 1],
            transposed(axis(2, stride: 2, dilation: 200), axis(1), 1, 1), nil),
        Case(
            "stride 2, too many zeros between the groups", [1, 1, 1, 260],
            transposed(axis(2, stride: 2), axis(1), 260, 260, groups: 130), nil),
        Case(
            "stride 2, too many weights", [1, 1, 1, 1 << 10],
            transposed(axis(4, stride: 4), axis(5, stride: 5), 1 << 10, 1 << 10, groups: 64), nil),
    ]

    @Test(arguments: cases)
    func `the operations compute the transposed convolution`(_ c: Case) throws {
        let parts = c.operation.engineOperations([TensorType(c.input)], blockWidth: 16)
        #expect(parts?.map(\.kind) == c.kinds)
        guard let parts else { return }
        let values = tensor(c.input, seed: 3)
        let result = try parts.reduce([values]) { try $1.evaluate($0) }[0]
        let expected = c.operation.evaluate([values])[0]
        #expect(result.type == expected.type)
        #expect(error(result.floats, expected.floats) < 1e-6)
    }
}
