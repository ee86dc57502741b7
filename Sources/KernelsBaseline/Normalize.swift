import Kernels

// Rows normalized by mean, variance or length. Sums are accumulated in float32 in 16 parallel lanes, in runs that are
// added with compensation, so that rounding errors stay small even in a long row. Distances are computed from the mean,
// never as differences of large squares.

extension Float32Kernels {
    /// (x − mean) / √(variance + epsilon) · scale + offset, for each row.
    public static func normalize(_ epsilon: Float, _ work: borrowing RowWork) {
        let (factors, offsets) = (floats(work.right), floats(work.offset))
        for row in 0..<work.count {
            let input = floats(work.left + row * work.leftStride)
            let output = floats(work.output + row * work.outputStride)
            let size = Float(work.width)
            let mean = Vector(repeating: sum(input, work.width, identity) / size)
            @inline(__always) func squaredDistance(_ x: Vector) -> Vector { squaredDifference(x, mean) }
            let variance = sum(input, work.width, filling: mean, squaredDistance) / size
            let inverse = Vector(repeating: 1 / (variance + epsilon).squareRoot())
            @inline(__always) func step(_ index: Int, _ count: Int) {
                let x = load(input + index, count: count)
                let y = multiplyAdd(
                    load(offsets + index, count: count), (x - mean) * inverse, load(factors + index, count: count))
                write(y, output + index, count: count)
            }
            forEachVector(work.width, step)
        }
    }

    /// x / √max(Σ x², epsilon), for each row.
    public static func normalizeLength(_ epsilon: Float, _ work: borrowing RowWork) {
        for row in 0..<work.count {
            let input = floats(work.left + row * work.leftStride)
            let output = floats(work.output + row * work.outputStride)
            let square = sum(input, work.width, squared)
            let inverse = Vector(repeating: 1 / (square < epsilon ? epsilon : square).squareRoot())
            @inline(__always) func step(_ index: Int, _ count: Int) {
                write(load(input + index, count: count) * inverse, output + index, count: count)
            }
            forEachVector(work.width, step)
        }
    }
}

/// The sum of a function of each value.
///
/// - Parameter filling: The content of the lanes past the end. The function must be 0 for it.
@inline(__always)
private func sum(
    _ input: UnsafePointer<Float>, _ width: Int, filling: Vector = .zero, _ function: (Vector) -> Vector
) -> Float {
    var sum = CompensatedSum()
    var index = 0
    while index + 2 * blockWidth <= width {
        let end = min(width, index + 2 * blockWidth * CompensatedSum.longestRun)
        var run = (Vector.zero, Vector.zero)
        while index + 2 * blockWidth <= end {
            run.0 += function(load(input + index))
            run.1 += function(load(input + (index + blockWidth)))
            index += 2 * blockWidth
        }
        sum.add(run.0 + run.1)
    }
    while index < width {
        let count = min(blockWidth, width - index)
        var x = filling
        for lane in 0..<count { x[lane] = input[index + lane] }
        sum.add(function(x))
        index += count
    }
    return total(sum.value)
}
