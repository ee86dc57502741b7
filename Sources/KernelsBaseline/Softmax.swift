import CMachine
import Kernels

extension Float32Kernels {
    /// eˣ divided by the sum of all eˣ in the row. The row's maximum is subtracted first, so that nothing overflows.
    public static func softmax(_ work: borrowing RowWork) {
        for row in 0..<work.count {
            let input = floats(work.left + row * work.leftStride)
            let output = floats(work.output + row * work.outputStride)
            let shift = largest(input, work.width)
            var sums = Vector.zero
            @inline(__always) func exponentiate(_ index: Int, _ count: Int) {
                putExponentials(input + index, shift, output + index, count)
                sums += load(output + index, count: count)
            }
            forEachVector(work.width, exponentiate)
            let factor = Vector(repeating: 1 / total(sums))
            @inline(__always) func divide(_ index: Int, _ count: Int) {
                write(load(output + index, count: count) * factor, output + index, count: count)
            }
            forEachVector(work.width, divide)
        }
    }

    /// Subtracts the logarithm of the sum of all exponentials from each value.
    public static func logSoftmax(_ work: borrowing RowWork) {
        for row in 0..<work.count {
            let input = floats(work.left + row * work.leftStride)
            let output = floats(work.output + row * work.outputStride)
            let shift = largest(input, work.width)
            var sums = Vector.zero
            @inline(__always) func addExponential(_ index: Int, _ count: Int) {
                let y = exponential(load(input + index, count: count) - shift)
                if count == blockWidth { sums += y } else { for lane in 0..<count { sums[lane] += y[lane] } }
            }
            forEachVector(work.width, addExponential)
            let logSum = logarithm(Vector(repeating: total(sums)))
            @inline(__always) func subtract(_ index: Int, _ count: Int) {
                write((load(input + index, count: count) - shift) - logSum, output + index, count: count)
            }
            forEachVector(work.width, subtract)
        }
    }
}

/// eˣ of the differences of up to a vector of values from `shift`.
@inline(__always)
private func putExponentials(
    _ input: UnsafePointer<Float>, _ shift: Vector, _ output: UnsafeMutablePointer<Float>, _ count: Int
) {
    #if arch(arm64)
        let shift = Lanes(repeating: shift[0])
        @inline(__always) func step(_ index: Int, _ count: Int) {
            let x = loadLanes(input + index, count: count) - shift
            writeLanes(exponentialOfNegative(x), output + index, count: count)
        }
        forEachLanes(count, step)
    #else
        write(exponentialOfNegative(load(input, count: count) - shift), output, count: count)
    #endif
}

/// The maximum of a row, in all lanes.
@inline(__always)
private func largest(_ row: UnsafePointer<Float>, _ width: Int) -> Vector {
    var largest = -Float.infinity
    var index = 0
    if width >= blockWidth {
        var vector = load(row)
        index = blockWidth
        while index + blockWidth <= width {
            vector = maximum(load(row + index), vector)
            index += blockWidth
        }
        largest = thaw_largest(vector)
    }
    while index < width {
        largest = row[index] > largest ? row[index] : largest
        index += 1
    }
    return Vector(repeating: largest)
}
