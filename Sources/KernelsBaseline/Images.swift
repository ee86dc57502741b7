import Kernels

extension Float32Kernels {
    public static func resize(_ work: borrowing ResizeWork) {
        // With a constant number of taps, the loops over them are unrolled.
        switch (work.rows.count, work.columns.count) {
        case (1, 1): resizeRows(work, rowTaps: 1, columnTaps: 1)
        case (2, 2): resizeRows(work, rowTaps: 2, columnTaps: 2)
        case (4, 4): resizeRows(work, rowTaps: 4, columnTaps: 4)
        default: resizeRows(work, rowTaps: work.rows.count, columnTaps: work.columns.count)
        }
    }
}

@inline(__always)
private func resizeRows(_ work: borrowing ResizeWork, rowTaps: Int, columnTaps: Int) {
    let lineStride = floats(work.inputRowStride)
    for row in work.firstRow..<work.firstRow + work.rowCount {
        let lines = floats(work.input) + Int(work.rows.starts[row]) * lineStride
        let weights = work.rows.weights + row * rowTaps
        let output = floats(work.output + row * work.outputRowStride)
        for column in 0..<work.outputWidth {
            let shares = work.columns.weights + column * columnTaps
            var line = lines + Int(work.columns.starts[column]) * blockWidth
            var sum = Vector.zero
            for y in 0..<rowTaps {
                var part = load(line) * shares[0]
                for x in 1..<columnTaps {
                    part = multiplyAdd(part, load(line + x * blockWidth), Vector(repeating: shares[x]))
                }
                sum = multiplyAdd(sum, part, Vector(repeating: weights[y]))
                line += lineStride
            }
            write(sum, output + column * blockWidth)
        }
    }
}

extension Float32Kernels {
    public static func normalizeLocally(_ work: borrowing LocalNormalizationWork) {
        switch work.power {
        case .half: normalizeEach(work, squareRoot)
        case .threeQuarters: normalizeEach(work, threeQuarterPower)
        case .one: normalizeEach(work, identity)
        }
        @inline(__always) func threeQuarterPower(_ x: Vector) -> Vector {
            let root = x.squareRoot()
            return root * root.squareRoot()
        }
    }
}

/// - Parameter power: The function of the sum by which the values are divided.
@inline(__always)
private func normalizeEach(_ work: borrowing LocalNormalizationWork, _ power: (Vector) -> Vector) {
    let squares = work.scratch
    for index in 0..<LocalNormalizationWork.scratchCount(channels: work.channels, radius: work.radius) {
        squares[index] = 0
    }
    let bias = Vector(repeating: work.bias)
    let alpha = Vector(repeating: work.alpha)
    let others = 1..<2 * work.radius + 1
    for pixel in 0..<work.pixels {
        let input = work.input + pixel * work.channels
        let output = work.output + pixel * work.channels
        for index in 0..<work.channels { squares[work.radius + index] = input[index] * input[index] }
        @inline(__always) func step(_ index: Int, _ count: Int) {
            var sum = load(squares + index)
            for other in others { sum += load(squares + (index + other)) }
            let base = multiplyAdd(bias, sum, alpha)
            write(load(input + index, count: count) / power(base), output + index, count: count)
        }
        forEachVector(work.channels, step)
    }
}
