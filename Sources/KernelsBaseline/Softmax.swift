import Kernels

/// eˣ over the sum of all, of each row; the row's largest is taken off first, so that nothing overflows.
func softmax(_ work: borrowing RowWork) {
    for row in 0..<work.count {
        let input = work.left + row * work.leftStride
        let output = work.output + row * work.outputStride
        var largest = -Float.infinity
        for place in 0..<work.width { largest = input[place] > largest ? input[place] : largest }
        let shift = Vector(repeating: largest)
        var sums = Vector.zero
        forEachVector(work.width) { place, count in
            if count == blockWidth {
                let y = exponential(load(input + place) - shift)
                sums += y
                write(y, output + place)
            } else {
                let y = exponential(load(input + place, count: count) - shift)
                for lane in 0..<count { sums[lane] += y[lane] }
                write(y, output + place, count: count)
            }
        }
        let factor = 1 / total(sums)
        for place in 0..<work.width { output[place] *= factor }
    }
}

/// What is left of each number when the logarithm of all exponentials' sum is taken off.
func logSoftmax(_ work: borrowing RowWork) {
    for row in 0..<work.count {
        let input = work.left + row * work.leftStride
        let output = work.output + row * work.outputStride
        var largest = -Float.infinity
        for place in 0..<work.width { largest = input[place] > largest ? input[place] : largest }
        let shift = Vector(repeating: largest)
        var sums = Vector.zero
        forEachVector(work.width) { place, count in
            let y = exponential((count == blockWidth ? load(input + place) : load(input + place, count: count)) - shift)
            if count == blockWidth { sums += y } else { for lane in 0..<count { sums[lane] += y[lane] } }
        }
        let taken = logarithm(Vector(repeating: total(sums)))
        forEachVector(work.width) { place, count in
            if count == blockWidth {
                write((load(input + place) - shift) - taken, output + place)
            } else {
                write((load(input + place, count: count) - shift) - taken, output + place, count: count)
            }
        }
    }
}
