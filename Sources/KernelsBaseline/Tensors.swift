import Kernels

// Plain tensors: copies, reductions and matrix products.

extension Float32Kernels {
    public static func copy(_ work: borrowing CopyWork) {
        if work.inputStep == 1, work.outputStep == 1 {
            for row in 0..<work.count {
                let from = work.input + row * work.inputRowStep
                (work.output + row * work.outputRowStep).update(from: from, count: work.width)
            }
            return
        }
        // Copy in squares, so that neither side jumps from cache line to cache line all the time.
        let side = 16
        var top = 0
        while top < work.count {
            let bottom = min(top + side, work.count)
            var left = 0
            while left < work.width {
                let right = min(left + side, work.width)
                for row in top..<bottom {
                    var from = work.input + (row * work.inputRowStep + left * work.inputStep)
                    var to = work.output + (row * work.outputRowStep + left * work.outputStep)
                    for _ in left..<right {
                        to.pointee = from.pointee
                        from += work.inputStep
                        to += work.outputStep
                    }
                }
                left = right
            }
            top = bottom
        }
    }

    public static func reduce(_ work: borrowing ReductionWork) {
        switch work.kind {
        case .sum: combine(work, isSum: true, start: 0, sum)
        case .maximum: combine(work, start: -.infinity, larger)
        case .minimum: combine(work, start: .infinity, smaller)
        case .product: combine(work, start: 1, product)
        }
    }
}

@inline(__always)
private func combine(
    _ work: borrowing ReductionWork, isSum: Bool = false, start: Float, _ function: (Vector, Vector) -> Vector
) {
    if work.width == 1 {
        // Sixteen values in parallel, then the lanes with each other.
        let (input, blocks) = (work.input, work.depth / blockWidth)
        var sums = combineVectors(blocks, isSum: isSum, start: start, function) { load(input + $0 * blockWidth) }
        let index = blocks * blockWidth
        if index < work.depth {
            var rest = Vector(repeating: start)
            for lane in 0..<work.depth - index { rest[lane] = work.input[index + lane] }
            sums = function(sums, rest)
        }
        var one = Vector(repeating: sums[0])
        for lane in 1..<blockWidth { one = function(one, Vector(repeating: sums[lane])) }
        work.output[0] = one[0] * work.factor
        return
    }
    var column = work.columns.lowerBound
    // Whole vectors are separate from the rest, whose loads call a function.
    while column + blockWidth <= work.columns.upperBound {
        combineColumns(work, column, blockWidth, isSum: isSum, start: start, function)
        column += blockWidth
    }
    if column < work.columns.upperBound {
        combineColumns(work, column, work.columns.upperBound - column, isSum: isSum, start: start, function)
    }
}

@inline(__always)
private func combineColumns(
    _ work: borrowing ReductionWork, _ column: Int, _ count: Int, isSum: Bool, start: Float,
    _ function: (Vector, Vector) -> Vector
) {
    let (input, width) = (work.input + column, work.width)
    let result = combineVectors(work.depth, isSum: isSum, start: start, function) {
        load(input + $0 * width, count: count)
    }
    write(result * work.factor, work.output + column, count: count)
}

/// Combines vectors, in runs if they are added.
@inline(__always)
private func combineVectors(
    _ count: Int, isSum: Bool, start: Float, _ function: (Vector, Vector) -> Vector, _ vector: (Int) -> Vector
) -> Vector {
    var sum = CompensatedSum()
    var index = 0
    while true {
        let end = isSum ? min(count, index + CompensatedSum.longestRun) : count
        var run = Vector(repeating: start)
        while index < end {
            run = function(run, vector(index))
            index += 1
        }
        guard isSum else { return run }
        sum.add(run)
        if index == count { return sum.value }
    }
}

extension Float32Kernels {
    public static func multiplyMatrices(_ work: borrowing MatrixWork) {
        var row = 0
        while row + 4 <= work.rows {
            multiplyRows(work, row, 1, 2, 3)
            row += 4
        }
        // Compute the last rows again rather than separately: values that are written twice are the same.
        if row < work.rows {
            let last = work.rows - 1 - row
            multiplyRows(work, row, min(1, last), min(2, last), min(3, last))
        }
    }
}

/// Four rows of the product. The offsets are those of the last three from the first.
@inline(__always)
private func multiplyRows(_ work: borrowing MatrixWork, _ row: Int, _ second: Int, _ third: Int, _ fourth: Int) {
    let columns = work.columns
    var column = 0
    // Whole vectors are separate from the rest, whose loads call a function: accumulators would be saved around it.
    while column + blockWidth <= columns {
        multiplyColumns(work, row, second, third, fourth, column, blockWidth)
        column += blockWidth
    }
    if column < columns { multiplyColumns(work, row, second, third, fourth, column, columns - column) }
}

/// Some columns of four rows.
@inline(__always)
private func multiplyColumns(
    _ work: borrowing MatrixWork, _ row: Int, _ second: Int, _ third: Int, _ fourth: Int, _ column: Int, _ count: Int
) {
    let depth = work.depth
    let columns = work.columns
    let left = work.left + row * depth
    let output = work.output + row * columns
    var sums = (Vector.zero, Vector.zero, Vector.zero, Vector.zero)
    var right = work.right + column
    for k in 0..<depth {
        let b = load(right, count: count)
        sums.0 = multiplyAdd(sums.0, Vector(repeating: left[k]), b)
        sums.1 = multiplyAdd(sums.1, Vector(repeating: left[second * depth + k]), b)
        sums.2 = multiplyAdd(sums.2, Vector(repeating: left[third * depth + k]), b)
        sums.3 = multiplyAdd(sums.3, Vector(repeating: left[fourth * depth + k]), b)
        right += columns
    }
    write(sums.0, output + column, count: count)
    write(sums.1, output + (second * columns + column), count: count)
    write(sums.2, output + (third * columns + column), count: count)
    write(sums.3, output + (fourth * columns + column), count: count)
}
