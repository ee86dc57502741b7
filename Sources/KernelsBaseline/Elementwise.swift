import Kernels

// One number at a time, and two numbers at a time. The function is chosen outside the loop over the numbers.

func unary(_ function: UnaryFunction, _ work: borrowing RowWork) {
    let alpha = Vector(repeating: function.alpha)
    let beta = Vector(repeating: function.beta)
    let one = Vector(repeating: 1)
    switch function.kind {
    case .clamp: map(work) { minimum(maximum($0, alpha), beta) }
    case .leaky: map(work) { $0.replacing(with: $0 * alpha, where: $0 .< 0) }
    case .elu: map(work) { $0.replacing(with: exponentialLessOne($0) * alpha, where: $0 .< 0) }
    case .sigmoid: map(work) { sigmoid($0) }
    case .tanh: map(work) { hyperbolicTangent($0) }
    case .exp: map(work) { exponential($0) }
    case .log: map(work) { logarithm($0) }
    case .log1p: map(work) { logarithmOfOneMore($0) }
    case .expm1: map(work) { exponentialLessOne($0) }
    case .softplus: map(work) { softplus($0) }
    case .softsign: map(work) { $0 / (1 + absolute($0)) }
    case .erf: map(work) { errorFunction($0) }
    case .erfc: map(work) { complementaryErrorFunction($0) }
    case .swish: map(work) { $0 / sigmoidDivisor($0 * alpha) }
    case .mish: map(work) { mish($0) }
    case .gelu: map(work) { $0 * 0.5 * complementaryErrorFunction($0 * -0.70710678) }
    case .geluByTanh: map(work) { geluByTanh($0) }
    case .selu: map(work) { ($0 * alpha).replacing(with: exponentialLessOne($0) * beta, where: $0 .< 0) }
    case .hardSwish: map(work) { $0 * minimum(maximum($0 * alpha + beta, .zero), one) }
    case .hardSigmoid: map(work) { minimum(maximum($0 * alpha + beta, .zero), one) }
    case .linear: map(work) { $0 * alpha + beta }
    case .square: map(work) { $0 * $0 }
    case .squareRoot: map(work) { $0.squareRoot() }
    case .reciprocal: map(work) { 1 / $0 }
    case .reciprocalSquareRoot: map(work) { 1 / $0.squareRoot() }
    case .absolute: map(work) { absolute($0) }
    case .sign: map(work) { $0.replacing(with: one, where: $0 .> 0).replacing(with: -one, where: $0 .< 0) }
    case .ceiling: map(work) { -roundedDown(-$0) }
    case .floor: map(work) { roundedDown($0) }
    case .round: map(work) { rounded($0) }
    }
}

func binary(_ function: BinaryFunction, _ work: borrowing RowWork) {
    switch function {
    case .add: zip(work) { $0 + $1 }
    case .subtract: work.swapped ? zip(work) { $1 - $0 } : zip(work) { $0 - $1 }
    case .multiply: zip(work) { $0 * $1 }
    case .divide: work.swapped ? zip(work) { $1 / $0 } : zip(work) { $0 / $1 }
    case .maximum: zip(work) { maximum($0, $1) }
    case .minimum: zip(work) { minimum($0, $1) }
    case .squaredDifference: zip(work) { ($0 - $1) * ($0 - $1) }
    case .power: work.swapped ? zip(work) { power($1, $0) } : zip(work) { power($0, $1) }
    }
}

func scale(_ work: borrowing RowWork) {
    let (lower, upper) = (Vector(repeating: work.lower), Vector(repeating: work.upper))
    for row in 0..<work.count {
        let left = work.left + row * work.leftStride
        let right = work.right + row * work.rightStride
        let offset = work.offset + row * work.rightStride
        let output = work.output + row * work.outputStride
        let repeats = work.pattern == .block
        let factor = load(right, count: repeats ? blockWidth : 0)
        let summand = load(offset, count: repeats ? blockWidth : 0)
        forEachVector(work.width) { place, count in
            if repeats {
                let y = multiplyAdd(summand, load(left + place), factor)
                write(minimum(maximum(y, lower), upper), output + place)
            } else if count == blockWidth {
                let y = multiplyAdd(load(offset + place), load(left + place), load(right + place))
                write(minimum(maximum(y, lower), upper), output + place)
            } else {
                let y = multiplyAdd(
                    load(offset + place, count: count), load(left + place, count: count),
                    load(right + place, count: count))
                write(minimum(maximum(y, lower), upper), output + place, count: count)
            }
        }
    }
}

/// Calls `body` with the place and the number of lanes of each vector in a row: whole ones, and the rest.
@inline(__always)
func forEachVector(_ width: Int, _ body: (Int, Int) -> Void) {
    var place = 0
    while place + blockWidth <= width {
        body(place, blockWidth)
        place += blockWidth
    }
    if place < width { body(place, width - place) }
}

@inline(__always)
private func map(_ work: borrowing RowWork, _ function: (Vector) -> Vector) {
    for row in 0..<work.count {
        let left = work.left + row * work.leftStride
        let output = work.output + row * work.outputStride
        forEachVector(work.width) { place, count in
            if count == blockWidth {
                write(function(load(left + place)), output + place)
            } else {
                write(function(load(left + place, count: count)), output + place, count: count)
            }
        }
    }
}

@inline(__always)
private func zip(_ work: borrowing RowWork, _ function: (Vector, Vector) -> Vector) {
    for row in 0..<work.count {
        let left = work.left + row * work.leftStride
        let right = work.right + row * work.rightStride
        let output = work.output + row * work.outputStride
        switch work.pattern {
        case .each:
            forEachVector(work.width) { place, count in
                if count == blockWidth {
                    write(function(load(left + place), load(right + place)), output + place)
                } else {
                    let y = function(load(left + place, count: count), load(right + place, count: count))
                    write(y, output + place, count: count)
                }
            }
        case .block, .one:
            let operand = work.pattern == .block ? load(right) : Vector(repeating: right[0])
            forEachVector(work.width) { place, count in
                if count == blockWidth {
                    write(function(load(left + place), operand), output + place)
                } else {
                    write(function(load(left + place, count: count), operand), output + place, count: count)
                }
            }
        }
    }
}
