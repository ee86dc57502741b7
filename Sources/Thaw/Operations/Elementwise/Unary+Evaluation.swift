#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Unary {
    /// The function of one scalar.
    func apply(_ x: Double) -> Double {
        switch function {
        case .negate: -x
        case .squareRoot: x.squareRoot()
        case .reciprocalSquareRoot: 1 / x.squareRoot()
        case .inverseDeviation(let epsilon): 1 / (x + Double(epsilon)).squareRoot()
        case .square: x * x
        case .exponential: exp(x)
        case .absolute: abs(x)
        case .sign: x > 0 ? 1 : x < 0 ? -1 : x
        case .ceiling: x.rounded(.up)
        case .floor: x.rounded(.down)
        case .round: x.rounded(.toNearestOrEven)
        case .reciprocal: 1 / x
        case .sine: sin(x)
        case .cosine: cos(x)
        case .arcSine: asin(x)
        case .arcCosine: acos(x)
        case .arcTangent: atan(x)
        case .hyperbolicSine: sinh(x)
        case .hyperbolicCosine: cosh(x)
        case .inverseHyperbolicSine: asinh(x)
        case .inverseHyperbolicCosine: acosh(x)
        case .inverseHyperbolicTangent: atanh(x)
        case .logarithm: log(x)
        case .logarithm1p: log1p(x)
        case .exponentialMinus1: expm1(x)
        case .errorFunction: erf(x)
        case .complementaryErrorFunction: erfc(x)
        case .softplus: Unary.softplus(x)
        case .softsign: x / (1 + abs(x))
        case .selu: Selu.scale * (x < 0 ? Selu.alpha * expm1(x) : x)
        case .not: x == 0 ? 1 : 0
        case .float16: Double(float(fromHalf: half(from: Float(x))))
        case .isNaN: x.isNaN ? 1 : 0
        // Written so that NaN is preserved.
        case .relu: x < 0 ? 0 : x
        case .relu6: x < 0 ? 0 : x > 6 ? 6 : x
        case .elu: x < 0 ? expm1(x) : x
        case .scaledElu(let alpha): x < 0 ? Double(alpha) * expm1(x) : x
        case .boundedNegation(let bound): -x < Double(bound) ? Double(bound) : -x
        case .sigmoid: 1 / (1 + exp(-x))
        case .tanh: Unary.tanh(x)
        case .leakyRelu(let slope): x < 0 ? x * Double(slope) : x
        case .thresholdedRelu(let bound): x < Double(bound) ? 0 : x
        // The upper bound wins if it is below the lower bound, as in the engine.
        case .clip(let low, let high):
            x > Double(high) ? Double(high) : x < Double(low) ? Swift.min(Double(low), Double(high)) : x
        case .swish(let beta): x / (1 + exp(-Double(beta) * x))
        case .hardSigmoid(let alpha, let beta): Unary.hardSigmoid(x, alpha, beta)
        case .hardSwish(let alpha, let beta): x * Unary.hardSigmoid(x, alpha, beta)
        case .gelu: x / 2 * erfc(-x * 0.5.squareRoot())
        case .geluByTanh: x / 2 * (1 + Unary.tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)))
        case .mish: x * Unary.tanh(Unary.softplus(x))
        }
    }

    /// Written so that no exponential overflows.
    private static func softplus(_ x: Double) -> Double { max(x, 0) + log1p(exp(-abs(x))) }

    private static func hardSigmoid(_ x: Double, _ alpha: Float, _ beta: Float) -> Double {
        let y = Double(alpha) * x + Double(beta)
        return y < 0 ? 0 : y > 1 ? 1 : y
    }

    // Inside this type `tanh` is the case of that name.
    private static func tanh(_ x: Double) -> Double {
        #if canImport(Glibc)
            Glibc.tanh(x)
        #else
            Darwin.tanh(x)
        #endif
    }
}

/// The constants of the scaled exponential linear unit (Klambauer et al., Self-Normalizing Neural Networks, 2017).
enum Selu {
    static let scale = 1.0507009873554805
    static let alpha = 1.6732632423543772
}
