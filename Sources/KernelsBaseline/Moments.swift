import Kernels

extension Table {
    /// For each lane of a plane: the mean, and the sum of the squared distances from it.
    public static func planeMoments(_ work: borrowing RowWork) {
        let size = Float(work.width / blockWidth * work.count)
        let (input, rows, stride, width) = (work.left, work.count, work.leftStride, work.width / blockWidth)
        let mean = planeSum(input, rows: rows, stride: stride, width: width, identity) * (1 / size)
        let output = floats(work.output)
        write(mean, output)
        @inline(__always) func squaredDistance(_ x: Vector) -> Vector { squaredDifference(x, mean) }
        write(planeSum(input, rows: rows, stride: stride, width: width, squaredDistance), output + blockWidth)
    }
}

/// Sums each lane over all pixels of rows of `width` pixels.
@inline(__always)
func planeSum(
    _ input: UnsafeRawPointer, rows: Int, stride: Int, width: Int, _ function: (Vector) -> Vector
) -> Vector {
    var sum = CompensatedSum()
    // Four accumulators, because a single one would wait for each addition.
    var run = (Vector.zero, Vector.zero, Vector.zero, Vector.zero)
    var length = 0
    for row in 0..<rows {
        let pixels = values(input + row * stride)
        var column = 0
        while column < width {
            let end = min(width, column + 4 * (CompensatedSum.longestRun - length))
            while column + 4 <= end {
                let pixel = pixels + column * blockWidth
                run.0 += function(load(pixel))
                run.1 += function(load(pixel + blockWidth))
                run.2 += function(load(pixel + 2 * blockWidth))
                run.3 += function(load(pixel + 3 * blockWidth))
                column += 4
                length += 1
            }
            while column < end {
                run.0 += function(load(pixels + column * blockWidth))
                column += 1
                length += 1
            }
            if length >= CompensatedSum.longestRun {
                sum.add((run.0 + run.1) + (run.2 + run.3))
                run = (.zero, .zero, .zero, .zero)
                length = 0
            }
        }
    }
    sum.add((run.0 + run.1) + (run.2 + run.3))
    return sum.value
}
