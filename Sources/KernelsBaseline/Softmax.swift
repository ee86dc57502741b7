import Kernels

/// eˣ over the sum of all, of each row; the row's largest is taken off first, so that nothing overflows.
func softmax(_ work: borrowing RowWork) {
    for row in 0..<work.count {
        let input = work.left + row * work.leftStride
        let output = work.output + row * work.outputStride
        let shift = largest(input, work.width)
        var sums = Vector.zero
        @inline(__always) func exponentiate(_ index: Int, _ count: Int) {
            let y = exponential(load(input + index, count: count) - shift)
            write(y, output + index, count: count)
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

/// What is left of each number when the logarithm of all exponentials' sum is taken off.
func logSoftmax(_ work: borrowing RowWork) {
    for row in 0..<work.count {
        let input = work.left + row * work.leftStride
        let output = work.output + row * work.outputStride
        let shift = largest(input, work.width)
        var sums = Vector.zero
        @inline(__always) func addExponential(_ index: Int, _ count: Int) {
            let y = exponential(load(input + index, count: count) - shift)
            if count == blockWidth { sums += y } else { for lane in 0..<count { sums[lane] += y[lane] } }
        }
        forEachVector(work.width, addExponential)
        let taken = logarithm(Vector(repeating: total(sums)))
        @inline(__always) func takeOff(_ index: Int, _ count: Int) {
            write((load(input + index, count: count) - shift) - taken, output + index, count: count)
        }
        forEachVector(work.width, takeOff)
    }
}

/// The largest number of a row, in all lanes.
@inline(__always)
private func largest(_ row: UnsafePointer<Float>, _ width: Int) -> Vector {
    var largest = -Float.infinity
    for index in 0..<width { largest = row[index] > largest ? row[index] : largest }
    return Vector(repeating: largest)
}
