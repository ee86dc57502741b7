import Kernels

// Functions of one value and of two values. The function is chosen outside the loop over the values.
//
// Anything longer than a few instructions is a function that is always inlined into the loop. A closure may not be
// inlined, and its call, which passes a vector in four registers, takes longer than the work.

extension Float32Kernels {
    public static func unary(_ function: UnaryFunction, _ work: borrowing RowWork) {
        let alpha = Lanes(repeating: function.alpha)
        let beta = Lanes(repeating: function.beta)
        @inline(__always) func clamp(_ x: Lanes) -> Lanes { minimum(maximum(x, alpha), beta) }
        @inline(__always) func leaky(_ x: Lanes) -> Lanes { x.replacing(with: x * alpha, where: x .< 0) }
        @inline(__always) func threshold(_ x: Lanes) -> Lanes { x.replacing(with: Lanes.zero, where: x .< alpha) }
        @inline(__always) func elu(_ x: Lanes) -> Lanes {
            x.replacing(with: exponentialMinusOne(x) * alpha, where: x .< 0)
        }
        @inline(__always) func selu(_ x: Lanes) -> Lanes {
            (x * alpha).replacing(with: exponentialMinusOne(x) * beta, where: x .< 0)
        }
        @inline(__always) func swishByAlpha(_ x: Lanes) -> Lanes { swish(x, alpha) }
        @inline(__always) func linear(_ x: Lanes) -> Lanes { x * alpha + beta }
        @inline(__always) func hardSigmoid(_ x: Lanes) -> Lanes {
            minimum(maximum(linear(x), .zero), Lanes(repeating: 1))
        }
        @inline(__always) func hardSwish(_ x: Lanes) -> Lanes { x * hardSigmoid(x) }
        let step = Lanes(repeating: function.step)
        let inverse = Lanes(repeating: 1) / step
        let half = Lanes(repeating: 0.5)
        let zero = roundedDown(half - alpha * inverse)
        @inline(__always) func nearestLevel(_ x: Lanes) -> Lanes {
            roundedDown((clamp(x) - alpha) * inverse - zero + half) * step
        }
        switch function.kind {
        case .clamp: map(work, clamp)
        case .leaky: map(work, leaky)
        case .threshold: map(work, threshold)
        case .elu: map(work, elu)
        case .sigmoid: map(work, sigmoid)
        case .tanh: map(work, hyperbolicTangent)
        case .exp: map(work, exponential)
        case .log: map(work, logarithm)
        case .log1p: map(work, logarithmOfOnePlus)
        case .expm1: map(work, exponentialMinusOne)
        case .softplus: map(work, softplus)
        case .softsign: map(work, softsign)
        case .erf: map(work, errorFunction)
        case .erfc: map(work, complementaryErrorFunction)
        case .swish: map(work, swishByAlpha)
        case .mish: map(work, mish)
        case .gelu: map(work, gelu)
        case .geluByTanh: map(work, geluByTanh)
        case .selu: map(work, selu)
        case .hardSwish: map(work, hardSwish)
        case .hardSigmoid: map(work, hardSigmoid)
        case .linear: map(work, linear)
        case .square: map(work, squared)
        case .squareRoot: map(work, squareRoot)
        case .reciprocal: map(work, reciprocal)
        case .reciprocalSquareRoot: map(work, reciprocalSquareRoot)
        case .absolute: map(work, absolute)
        case .sign: map(work, sign)
        case .ceiling: map(work, roundedUp)
        case .floor: map(work, roundedDown)
        case .round: map(work, rounded)
        case .half: map(work, nearestHalf)
        case .level: map(work, nearestLevel)
        }
    }

    public static func binary(_ function: BinaryFunction, _ work: borrowing RowWork) {
        switch function {
        case .add: zip(work, sum)
        case .subtract: zip(work, difference)
        case .multiply: zip(work, product)
        case .divide: zip(work, quotient)
        case .maximum: zip(work, larger)
        case .minimum: zip(work, smaller)
        case .squaredDifference: zip(work, squaredDifference)
        case .power: zip(work, power)
        }
    }

    public static func scale(_ work: borrowing RowWork) {
        let (lower, upper) = (Vector(repeating: work.lower), Vector(repeating: work.upper))
        for row in 0..<work.count {
            let left = floats(work.left + row * work.leftStride)
            let right = floats(work.right + row * work.rightStride)
            let offset = floats(work.offset + row * work.rightStride)
            let output = floats(work.output + row * work.outputStride)
            let repeats = work.pattern == .block
            let factor = repeats ? load(right) : .zero
            let summand = repeats ? load(offset) : .zero
            @inline(__always) func step(_ index: Int, _ count: Int) {
                let y = multiplyAdd(
                    repeats ? summand : load(offset + index, count: count), load(left + index, count: count),
                    repeats ? factor : load(right + index, count: count))
                write(minimum(maximum(y, lower), upper), output + index, count: count)
            }
            forEachVector(work.width, step)
        }
    }
}

/// Calls `body` with the index and the number of lanes of each vector in a row: the full vectors, then the rest.
@inline(__always)
func forEachVector(_ width: Int, _ body: (Int, Int) -> Void) {
    var index = 0
    while index < width {
        body(index, min(blockWidth, width - index))
        index += blockWidth
    }
}

@inline(__always)
private func map(_ work: borrowing RowWork, _ function: (Lanes) -> Lanes) {
    for row in 0..<work.count {
        let left = floats(work.left + row * work.leftStride)
        let output = floats(work.output + row * work.outputStride)
        @inline(__always) func step(_ index: Int, _ count: Int) {
            let y = function(loadLanes(left + index, count: count))
            writeLanes(y, output + index, count: count)
        }
        forEachLanes(work.width, step)
    }
}

@inline(__always)
private func zip(_ work: borrowing RowWork, _ function: (Lanes, Lanes) -> Lanes) {
    let repeats = work.pattern != .each
    let isBlock = work.pattern == .block
    let swapped = work.swapped
    for row in 0..<work.count {
        let left = floats(work.left + row * work.leftStride)
        let right = floats(work.right + row * work.rightStride)
        let output = floats(work.output + row * work.outputStride)
        let operand =
            switch work.pattern {
            case .each: Lanes.zero
            case .block: loadLanes(right)
            case .one: Lanes(repeating: right[0])
            }
        @inline(__always) func step(_ index: Int, _ count: Int) {
            let first = loadLanes(left + index, count: count)
            let second =
                !repeats
                ? loadLanes(right + index, count: count)
                : laneCount < blockWidth && isBlock ? loadLanes(right + index % blockWidth) : operand
            let y = function(swapped ? second : first, swapped ? first : second)
            writeLanes(y, output + index, count: count)
        }
        forEachLanes(work.width, step)
    }
}
