import Foundation
import Kernels
import Testing

@testable import Thaw

/// The expected result of a unary kernel, in double precision.
func scalar(_ function: UnaryFunction?, _ x: Float) -> Float {
    guard let function else { return x }
    let alpha = Double(function.alpha)
    let beta = Double(function.beta)
    let x = Double(x)
    let y: Double =
        switch function.kind {
        case .clamp: min(max(x, alpha), beta)
        case .leaky: x < 0 ? alpha * x : x
        case .threshold: x < alpha ? 0 : x
        case .elu: x < 0 ? alpha * expm1(x) : x
        case .sigmoid: 1 / (1 + exp(-x))
        case .tanh: tanh(x)
        case .exp: exp(x)
        case .log: log(x)
        case .log1p: log1p(x)
        case .expm1: expm1(x)
        case .softplus: max(x, 0) + log1p(exp(-abs(x)))
        case .softsign: x / (1 + abs(x))
        case .erf: erf(x)
        case .erfc: erfc(x)
        case .swish: x / (1 + exp(-alpha * x))
        case .mish: x * tanh(max(x, 0) + log1p(exp(-abs(x))))
        case .gelu: x / 2 * erfc(-x * 0.5.squareRoot())
        case .geluByTanh: x / 2 * (1 + tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)))
        case .selu: x < 0 ? beta * expm1(x) : alpha * x
        case .hardSwish: x * min(max(alpha * x + beta, 0), 1)
        case .hardSigmoid: min(max(alpha * x + beta, 0), 1)
        case .linear: alpha * x + beta
        case .square: x * x
        case .squareRoot: sqrt(x)
        case .reciprocal: 1 / x
        case .reciprocalSquareRoot: 1 / sqrt(x)
        case .absolute: abs(x)
        case .sign: x > 0 ? 1 : x < 0 ? -1 : x
        case .ceiling: x.rounded(.up)
        case .floor: x.rounded(.down)
        case .round: x.rounded(.toNearestOrEven)
        case .half: Double(float(fromHalf: half(from: Float(x))))
        case .level: Double(nearestLevel(function, Float(x)))
        }
    return Float(y)
}

func scalar(_ function: BinaryFunction, _ a: Float, _ b: Float) -> Float {
    switch function {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .maximum: max(a, b)
    case .minimum: min(a, b)
    case .squaredDifference: (a - b) * (a - b)
    case .power: Float(pow(Double(a), Double(b)))
    }
}

/// Every step is rounded to float32.
private func nearestLevel(_ function: UnaryFunction, _ x: Float) -> Float {
    let inverse = 1 / function.step
    let zero = (0.5 - function.alpha * inverse).rounded(.down)
    let clamped = min(max(x, function.alpha), function.beta)
    return ((clamped - function.alpha) * inverse - zero + 0.5).rounded(.down) * function.step
}

extension UnaryFunction.Kind {
    /// Values with a real result.
    fileprivate func takes(_ x: Float) -> Bool {
        switch self {
        case .log, .squareRoot, .reciprocalSquareRoot: x >= 1e-20
        case .log1p: x > -0.999
        case .reciprocal: x != 0
        default: true
        }
    }

    /// The magnitude that an error is relative to, if the result is a difference of close values.
    fileprivate var leastScale: Float {
        switch self {
        case .linear, .hardSwish, .hardSigmoid, .erfc, .gelu, .geluByTanh: 1
        // e^(−x) is flushed to 0 from −86.6 on; the logarithm of a value near 1 is a difference.
        case .swish, .softplus, .mish, .log: 0.1
        default: 1e-30
        }
    }
}

struct ElementwiseKernelTests {
    @Test(arguments: UnaryFunction.Kind.allCases)
    func `a function is accurate to 1e-6 over its whole range`(_ kind: UnaryFunction.Kind) {
        var function = UnaryFunction(kind, alpha: 0.2, beta: 0.5)
        if kind == .clamp { function = UnaryFunction(kind, alpha: -0.5, beta: 6) }
        if kind == .level { function = UnaryFunction(kind, alpha: -20 * 0.025, beta: 235 * 0.025, step: 0.025) }
        let dense = (-2000...2000).map { Float($0) / 400 }
        let wide = (-860...880).map { Float($0) / 10 }
        let tiny = (1...60).flatMap {
            [
                Float(sign: .plus, exponent: -$0 / 2, significand: 1.1),
                -Float(sign: .plus, exponent: -$0 / 2, significand: 1.1),
            ]
        }
        var input = dense + wide + tiny + [0, 87.5, 88.7]
        input = input.filter(kind.takes)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: input.count))
            table.unary(
                function,
                RowWork(
                    left: pointer(input), leftStride: 0, output: output, outputStride: 0, width: input.count, count: 1))
            for (index, x) in input.enumerated() {
                let expected = scalar(function, x)
                let scale = max(abs(expected), kind.leastScale)
                guard abs(output[index] - expected) > 1e-6 * scale else { continue }
                Issue.record("\(set): \(kind)(\(x)) is \(expected), got \(output[index])")
                break
            }
        }
    }

    @Test(
        arguments: [
            UnaryFunction.Kind.clamp, .exp, .expm1, .sigmoid, .tanh, .elu, .selu, .leaky, .erf, .erfc, .softplus, .log,
            .round, .floor, .ceiling, .sign, .hardSigmoid, .threshold, .swish, .mish, .geluByTanh,
        ])
    func `NaN stays NaN, and infinities are handled`(_ kind: UnaryFunction.Kind) {
        let function = UnaryFunction(kind, alpha: kind == .clamp ? 0 : 0.5, beta: 6)
        let input = [Float.nan, .infinity, -.infinity, 200, -200]
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: 5))
            table.unary(
                function,
                RowWork(left: pointer(input), leftStride: 0, output: output, outputStride: 0, width: 5, count: 1))
            #expect(output[0].isNaN, "\(set)")
            for index in 1..<5 {
                let expected = scalar(function, input[index])
                let scale = max(abs(expected), kind.leastScale)
                let isSame = expected.isNaN ? output[index].isNaN : abs(output[index] - expected) <= 1e-6 * scale
                #expect(isSame || output[index] == expected, "\(set) \(input[index]): \(output[index])")
            }
        }
    }

    @Test(arguments: [(BinaryFunction.maximum, ReductionWork.Kind.maximum), (.minimum, .minimum)])
    func `the extreme of values is NaN if one of them is`(_ function: BinaryFunction, _ kind: ReductionWork.Kind) {
        let count = 40
        var left = noise(count)
        var right = noise(count, seed: 2)
        (left[0], left[2], right[1], right[2], right[39]) = (.nan, .nan, .nan, .nan, .nan)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: count))
            var work = RowWork(
                left: pointer(left), leftStride: 0, output: output, outputStride: 0, width: count, count: 1)
            work.right = UnsafeRawPointer(pointer(right))
            table.binary(function, work)
            for index in 0..<count { #expect(output[index].isNaN == [0, 1, 2, 39].contains(index), "\(set) \(index)") }
            for position in [0, 15, 16, 39] {
                var values = noise(count)
                values[position] = .nan
                table.reduce(
                    ReductionWork(
                        kind: kind, input: pointer(values), depth: count, width: 1, columns: 0..<1, factor: 1,
                        output: output))
                #expect(output[0].isNaN, "\(set) \(position)")
            }
        }
    }

    @Test(arguments: BinaryFunction.allCases)
    func `two rows are combined elementwise, blockwise and with a scalar`(_ function: BinaryFunction) {
        // Powers of negative values are undefined.
        let left = noise(3 * 50).map { function == .power ? abs($0) + 0.1 : $0 }
        let right = noise(3 * 50, seed: 2).map { $0 + 2 }
        for (set, table) in kernelTables {
            for pattern in [RowWork.Pattern.each, .block, .one] {
                for swapped in [false, true] {
                    let output = pointer([Float](repeating: 7, count: 3 * 60))
                    var work = RowWork(
                        left: pointer(left), leftStride: bytes(50), output: output, outputStride: bytes(60), width: 49,
                        count: 3)
                    work.right = UnsafeRawPointer(pointer(right))
                    work.rightStride = bytes(50)
                    work.pattern = pattern
                    work.swapped = swapped
                    table.binary(function, work)
                    for row in 0..<3 {
                        for x in 0..<49 {
                            let a = left[row * 50 + x]
                            let b = right[row * 50 + (pattern == .each ? x : pattern == .block ? x % 16 : 0)]
                            let expected = swapped ? scalar(function, b, a) : scalar(function, a, b)
                            #expect(abs(output[row * 60 + x] - expected) < 1e-6, "\(set) \(pattern)")
                        }
                        #expect(output[row * 60 + 49] == 7, "\(set) wrote past the row")
                    }
                }
            }
        }
    }

    @Test(arguments: [RowWork.Pattern.each, .block])
    func `scale and offset are per channel, in either layout`(_ pattern: RowWork.Pattern) {
        let width = pattern == .block ? 48 : 37
        let left = noise(2 * width)
        let factor = noise(width, seed: 2)
        let offset = noise(width, seed: 3)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: 2 * width))
            var work = RowWork(
                left: pointer(left), leftStride: bytes(width), output: output, outputStride: bytes(width), width: width,
                count: 2)
            work.right = UnsafeRawPointer(pointer(factor))
            work.offset = UnsafeRawPointer(pointer(offset))
            work.pattern = pattern
            table.scale(work)
            for i in 0..<2 * width {
                let c = pattern == .block ? i % width % 16 : i % width
                #expect(abs(output[i] - (left[i] * factor[c] + offset[c])) < 1e-6, "\(set)")
            }
        }
    }

    @Test(arguments: [1, 15, 16, 49, 1000])
    func `a softmax sums to one, also for large values`(width: Int) {
        for shift in [Float(0), 1000] {
            let input = noise(2 * width).map { $0 * 10 + shift }
            for (set, table) in kernelTables {
                let output = pointer([Float](repeating: 0, count: 2 * width))
                table.softmax(
                    RowWork(
                        left: pointer(input), leftStride: bytes(width), output: output, outputStride: bytes(width),
                        width: width,
                        count: 2))
                for row in 0..<2 {
                    let exponents = (0..<width).map { exp(Double(input[row * width + $0] - shift)) }
                    let sum = exponents.reduce(0, +)
                    for i in 0..<width {
                        #expect(abs(Double(output[row * width + i]) - exponents[i] / sum) < 1e-6, "\(set)")
                    }
                }
            }
        }
    }

    @Test func `powers of negative values have the right sign, and all powers of 1 are 1`() {
        let bases: [Float] = [-2, -1.5, 0, 3, -3, 0.5, -4, 7, 1, 1, 1, 1]
        let exponents: [Float] = [3, 2, 2, -2, -1, 0.5, 0.5, 0, .infinity, -.infinity, .nan, 3]
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: bases.count))
            var work = RowWork(
                left: pointer(bases), leftStride: 0, output: output, outputStride: 0, width: bases.count, count: 1)
            work.right = UnsafeRawPointer(pointer(exponents))
            table.binary(.power, work)
            for index in bases.indices {
                let expected = pow(bases[index], exponents[index])
                #expect(
                    expected.isNaN ? output[index].isNaN : abs(output[index] - expected) <= 2e-6 * abs(expected),
                    "\(set) \(bases[index])")
            }
        }
    }
}
