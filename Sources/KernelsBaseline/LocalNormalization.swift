import Kernels

extension Float32Kernels {
    public static func normalizeLocally(_ work: borrowing LocalNormalizationWork) {
        switch work.power {
        case .half: normalizeEach(work, squareRoot)
        case .threeQuarters: normalizeEach(work, threeQuarterPower)
        case .one: normalizeEach(work, identity)
        }
        @inline(__always) func threeQuarterPower(_ x: Vector) -> Vector {
            let root = squareRoot(x)
            return root * squareRoot(root)
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
