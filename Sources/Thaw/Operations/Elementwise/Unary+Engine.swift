import Kernels

extension Unary: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { kernel.map { .unary($0) } }

    private var kernel: UnaryFunction? {
        switch function {
        case .negate: UnaryFunction(.linear, alpha: -1, beta: -0.0)
        case .squareRoot: UnaryFunction(.squareRoot)
        case .reciprocalSquareRoot: UnaryFunction(.reciprocalSquareRoot)
        case .reciprocal: UnaryFunction(.reciprocal)
        case .absolute: UnaryFunction(.absolute)
        case .square: UnaryFunction(.square)
        case .sign: UnaryFunction(.sign)
        case .ceiling: UnaryFunction(.ceiling)
        case .floor: UnaryFunction(.floor)
        case .round: UnaryFunction(.round)
        case .exponential: UnaryFunction(.exp)
        case .exponentialMinus1: UnaryFunction(.expm1)
        case .logarithm: UnaryFunction(.log)
        case .logarithm1p: UnaryFunction(.log1p)
        case .errorFunction: UnaryFunction(.erf)
        case .complementaryErrorFunction: UnaryFunction(.erfc)
        case .float16: UnaryFunction(.half)
        case .relu: UnaryFunction(.clamp, alpha: 0, beta: .infinity)
        case .relu6: UnaryFunction(.clamp, alpha: 0, beta: 6)
        case .elu: UnaryFunction(.elu, alpha: 1)
        case .selu: UnaryFunction(.selu, alpha: Float(Selu.scale), beta: Float(Selu.scale * Selu.alpha))
        case .sigmoid: UnaryFunction(.sigmoid)
        case .tanh: UnaryFunction(.tanh)
        case .softplus: UnaryFunction(.softplus)
        case .softsign: UnaryFunction(.softsign)
        case .leakyRelu(let slope): UnaryFunction(.leaky, alpha: slope)
        case .thresholdedRelu(let bound): UnaryFunction(.threshold, alpha: bound)
        case .clip(let low, let high): UnaryFunction(.clamp, alpha: low, beta: high)
        case .swish(let beta): UnaryFunction(.swish, alpha: beta)
        case .hardSigmoid(let alpha, let beta): UnaryFunction(.hardSigmoid, alpha: alpha, beta: beta)
        case .hardSwish(let alpha, let beta): UnaryFunction(.hardSwish, alpha: alpha, beta: beta)
        case .gelu: UnaryFunction(.gelu)
        case .geluByTanh: UnaryFunction(.geluByTanh)
        case .mish: UnaryFunction(.mish)
        // Their arguments would have to be reduced in double precision, and no image network uses them.
        case .sine, .cosine: nil
        case .arcSine, .arcCosine, .arcTangent, .hyperbolicSine, .hyperbolicCosine: nil
        case .inverseHyperbolicSine, .inverseHyperbolicCosine, .inverseHyperbolicTangent: nil
        // Parts of operations that are decomposed for Core ML.
        case .inverseDeviation, .scaledElu, .boundedNegation: nil
        // Booleans are not floats.
        case .not, .isNaN: nil
        }
    }
}
