import Testing

@testable import Thaw

@Suite struct TensorElementsTests {
    private static let cases: [(element: ElementType, values: [Double], expected: [Double])] = [
        (.uint64, [-1, 0.5, 3.75, 0x1p63, 0x1p64, .nan], [0, 0, 3, 0x1p63, 0x1p64, 0]),
        (.int64, [-0x1p64, -1.5, 0x1p62, 0x1p64, .nan], [-0x1p63, -1, 0x1p62, 0x1p63, 0]),
        (.uint8, [-1, 1.5, 256, .infinity, .nan], [0, 1, 255, 255, 0]),
        (.int8, [-129, -1.5, 128, -.infinity, .nan], [-128, -1, 127, -128, 0]),
    ]

    @Test(arguments: cases) func `values are truncated and clamped to an integer type`(
        _ element: ElementType, _ values: [Double], _ expected: [Double]
    ) {
        let tensor = Tensor(shape: [values.count], element: element) { values[$0] }
        // As `Double`, the largest integers of 64 bits are powers of two.
        #expect(tensor.doubles == expected)
    }

    @Test func `64-bit integers are stored exactly`() {
        let limit = 1 << 53
        let integers: [Int] = [limit + 1, -limit - 1, .max, .min, 0]
        #expect(Tensor(integers: integers, shape: [5], element: .int64).integers == integers)
        #expect(Tensor(integers: [], shape: [0], element: .int64).integers == [])
    }
}
