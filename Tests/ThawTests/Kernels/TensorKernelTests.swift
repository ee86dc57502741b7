import Kernels
import Testing

@testable import Thaw

struct TensorKernelTests {
    @Test(arguments: [(1, 1), (3, 1), (1, 4), (0, 1), (-1, 1)])
    func `elements are copied with any strides`(inputStep: Int, outputStep: Int) {
        let (width, count) = (21, 18)
        let input = noise(2000)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 7, count: 3000))
            table.copy(
                CopyWork(
                    input: UnsafePointer(pointer(input)) + 30, inputRowStep: 65, inputStep: inputStep, output: output,
                    outputRowStep: 90, outputStep: outputStep, width: width, count: count))
            var expected = [Float](repeating: 7, count: 3000)
            for row in 0..<count {
                for x in 0..<width { expected[row * 90 + x * outputStep] = input[30 + row * 65 + x * inputStep] }
            }
            #expect(Array(UnsafeBufferPointer(start: output, count: 3000)) == expected, "\(set)")
        }
    }

    @Test(arguments: ReductionWork.Kind.allCases)
    func `runs of values are reduced`(_ kind: ReductionWork.Kind) {
        for (depth, width, columns) in [(1, 1, 0..<1), (37, 1, 0..<1), (5, 40, 0..<40), (3, 40, 16..<37)] {
            let input = noise(depth * width)
            for (set, table) in kernelTables {
                let output = pointer([Float](repeating: 7, count: width + 1))
                table.reduce(
                    ReductionWork(
                        kind: kind, input: pointer(input), depth: depth, width: width, columns: columns, factor: 0.5,
                        output: output))
                for x in 0...width {
                    guard columns.contains(x) else {
                        #expect(output[x] == 7, "\(set) wrote elsewhere")
                        continue
                    }
                    let values = (0..<depth).map { input[$0 * width + x] }
                    let expected: Float =
                        switch kind {
                        case .sum: values.reduce(0, +)
                        case .maximum: values.max()!
                        case .minimum: values.min()!
                        case .product: values.reduce(1, *)
                        }
                    #expect(abs(output[x] - expected * 0.5) < 1e-5, "\(set)")
                }
            }
        }
    }

    @Test(arguments: [(1, 1, 1), (3, 5, 16), (4, 7, 17), (9, 33, 40)])
    func `matrices of any size are multiplied`(rows: Int, depth: Int, columns: Int) {
        let left = noise(rows * depth)
        let right = noise(depth * columns, seed: 2)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 7, count: rows * columns + 1))
            table.multiplyMatrices(
                MatrixWork(
                    left: pointer(left), right: pointer(right), output: output, rows: rows, depth: depth,
                    columns: columns))
            for row in 0..<rows {
                for column in 0..<columns {
                    var sum: Float = 0
                    for k in 0..<depth { sum += left[row * depth + k] * right[k * columns + column] }
                    #expect(abs(output[row * columns + column] - sum) < 1e-5, "\(set)")
                }
            }
            #expect(output[rows * columns] == 7, "\(set) wrote past the end")
        }
    }
}
