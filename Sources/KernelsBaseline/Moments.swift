import Kernels

extension Table {
    /// For each lane of a plane: the mean, and the sum of the squared distances from it.
    public static func planeMoments(_ work: borrowing RowWork) {
        let size = Float(work.width / blockWidth * work.count)
        let mean = planeSum(work, identity) * (1 / size)
        let output = floats(work.output)
        write(mean, output)
        @inline(__always) func squaredDistance(_ x: Vector) -> Vector { squaredDifference(x, mean) }
        write(planeSum(work, squaredDistance), output + blockWidth)
    }
}

/// Sums each lane over all rows, with four accumulators, because a single one would wait for each addition.
@inline(__always)
private func planeSum(_ work: borrowing RowWork, _ function: (Vector) -> Vector) -> Vector {
    var sums = (Vector.zero, Vector.zero, Vector.zero, Vector.zero)
    for row in 0..<work.count {
        let input = values(work.left + row * work.leftStride)
        var index = 0
        while index + 4 * blockWidth <= work.width {
            sums.0 += function(load(input + index))
            sums.1 += function(load(input + (index + blockWidth)))
            sums.2 += function(load(input + (index + 2 * blockWidth)))
            sums.3 += function(load(input + (index + 3 * blockWidth)))
            index += 4 * blockWidth
        }
        while index < work.width {
            sums.0 += function(load(input + index))
            index += blockWidth
        }
    }
    return (sums.0 + sums.1) + (sums.2 + sums.3)
}
