import Kernels
import Testing

@testable import Thaw

struct NormalizationKernelTests {
    @Test(arguments: [1, 7, 16, 33, 100])
    func `rows get mean 0 and variance 1, also far from 0`(width: Int) {
        for shift in [Float(0), 300] {
            let input = noise(2 * width).map { $0 + shift }
            let factor = noise(width, seed: 2)
            let offset = noise(width, seed: 3)
            for (set, table) in kernelTables {
                let output = pointer([Float](repeating: 0, count: 2 * width))
                var work = RowWork(
                    left: pointer(input), leftStride: bytes(width), output: output, outputStride: bytes(width),
                    width: width, count: 2
                )
                work.right = UnsafeRawPointer(pointer(factor))
                work.offset = UnsafeRawPointer(pointer(offset))
                table.normalize(1e-3, work)
                for row in 0..<2 {
                    let x = input[row * width..<(row + 1) * width].map { Double($0) }
                    let mean = x.reduce(0, +) / Double(width)
                    let variance = x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(width)
                    for i in 0..<width {
                        let normal = (x[i] - mean) / (variance + 1e-3).squareRoot()
                        let expected = normal * Double(factor[i]) + Double(offset[i])
                        // Far from 0, the mean itself has only seven digits.
                        let tolerance = shift == 0 ? 1e-5 : 1e-3
                        #expect(abs(Double(output[row * width + i]) - expected) < tolerance, "\(set)")
                    }
                }
            }
        }
    }

    @Test(arguments: [3, 16, 40])
    func `rows get norm 1; short ones use the bound`(width: Int) {
        let input = noise(width) + noise(width).map { $0 * 1e-4 }
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: 2 * width))
            table.normalizeLength(
                1e-3,
                RowWork(
                    left: pointer(input), leftStride: bytes(width), output: output, outputStride: bytes(width),
                    width: width, count: 2
                )
            )
            for row in 0..<2 {
                let square = input[row * width..<(row + 1) * width].reduce(0) { $0 + $1 * $1 }
                for i in row * width..<(row + 1) * width {
                    #expect(abs(output[i] - input[i] / max(square, 1e-3).squareRoot()) < 1e-6, "\(set)")
                }
            }
        }
    }

    @Test(arguments: [1, 4, 7])
    func `a plane's moments are computed per lane`(width: Int) {
        let blockWidth = 16
        let height = 3
        let input = noise(height * width * blockWidth)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: 2 * blockWidth))
            table.planeMoments(
                RowWork(
                    left: pointer(input), leftStride: bytes(width * blockWidth), output: output, outputStride: 0,
                    width: width * blockWidth, count: height))
            for lane in 0..<blockWidth {
                let x = stride(from: lane, to: input.count, by: blockWidth).map { input[$0] }
                let mean = x.reduce(0, +) / Float(x.count)
                let squares = x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
                #expect(abs(output[lane] - mean) < 1e-6, "\(set)")
                #expect(abs(output[blockWidth + lane] - squares) < 1e-5, "\(set)")
            }
        }
    }
}
