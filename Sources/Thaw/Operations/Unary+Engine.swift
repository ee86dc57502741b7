import Kernels

extension Unary: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { kernel.map { .unary($0) } }

    private var kernel: UnaryFunction? {
        switch function {
        case .negate: UnaryFunction(.linear, alpha: -1, beta: -0.0)
        case .squareRoot: UnaryFunction(.squareRoot)
        case .reciprocalSquareRoot: UnaryFunction(.reciprocalSquareRoot)
        case .absolute: UnaryFunction(.absolute)
        case .square: UnaryFunction(.square)
        case .exponential: UnaryFunction(.exp)
        case .relu: UnaryFunction(.clamp, alpha: 0, beta: .infinity)
        case .relu6: UnaryFunction(.clamp, alpha: 0, beta: 6)
        case .elu: UnaryFunction(.elu, alpha: 1)
        case .sigmoid: UnaryFunction(.sigmoid)
        case .tanh: UnaryFunction(.tanh)
        case .leakyRelu(let slope): UnaryFunction(.leaky, alpha: slope)
        case .clip(let low, let high): UnaryFunction(.clamp, alpha: low, beta: high)
        default: nil
        }
    }
}
