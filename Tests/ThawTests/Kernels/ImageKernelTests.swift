import Kernels
import Testing

@testable import Thaw

struct ImageKernelTests {
    @Test(arguments: [(1, 1), (2, 2), (4, 4), (3, 2), (2, 5)])
    func `resizing computes weighted sums of rows and columns`(rowTaps: Int, columnTaps: Int) {
        let (height, width, outputHeight, outputWidth) = (6, 7, 5, 4)
        let input = noise(height * width * 16)
        let rows = (starts: [0, 1, 2, 1, 0].map(Int32.init), weights: noise(outputHeight * rowTaps, seed: 2))
        let columns = (starts: [2, 0, 1, 2].map(Int32.init), weights: noise(outputWidth * columnTaps, seed: 3))
        var expected = [Float]()
        for y in 0..<outputHeight {
            for x in 0..<outputWidth {
                for lane in 0..<16 {
                    var sum: Float = 0
                    for i in 0..<rowTaps {
                        for j in 0..<columnTaps {
                            let pixel = (Int(rows.starts[y]) + i) * width + Int(columns.starts[x]) + j
                            sum +=
                                rows.weights[y * rowTaps + i] * columns.weights[x * columnTaps + j]
                                * input[pixel * 16 + lane]
                        }
                    }
                    expected.append(sum)
                }
            }
        }
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: expected.count))
            table.resize(
                ResizeWork(
                    input: pointer(input), inputRowStride: bytes(width * 16), output: output,
                    outputRowStride: bytes(outputWidth * 16),
                    outputWidth: outputWidth,
                    rows: .init(starts: pointer(rows.starts), weights: pointer(rows.weights), count: rowTaps),
                    columns: .init(
                        starts: pointer(columns.starts), weights: pointer(columns.weights), count: columnTaps),
                    rowCount: outputHeight))
            #expect(error(Array(UnsafeBufferPointer(start: output, count: expected.count)), expected) < 1e-6, "\(set)")
        }
    }
}
