/// An elementwise function of one input: arithmetic and activations.
struct Unary: Operation, Hashable {
    enum Function: Hashable, Sendable {
        case negate, squareRoot, reciprocalSquareRoot, square, exponential
        case absolute, sign, ceiling, floor, reciprocal, sine, cosine
        /// The inverse trigonometric, the hyperbolic and the inverse hyperbolic functions.
        case arcSine, arcCosine, arcTangent, hyperbolicSine, hyperbolicCosine
        case inverseHyperbolicSine, inverseHyperbolicCosine, inverseHyperbolicTangent
        /// To the nearest integer, ties to even.
        case round
        case logarithm, errorFunction, complementaryErrorFunction
        /// log(1 + x) and eˣ − 1, accurate near 0.
        case logarithm1p, exponentialMinus1
        /// 1 / √(x + epsilon).
        case inverseDeviation(epsilon: Float)
        /// x if x is positive, otherwise alpha · (eˣ − 1).
        case scaledElu(alpha: Float)
        /// −x, but at least a lower bound.
        case boundedNegation(Float)
        case relu, relu6, elu, selu, sigmoid, tanh, softplus, softsign
        /// The nearest float16 value: the effect of a cast when a program continues in float16.
        case float16
        /// Booleans: whether x is 0, and whether x is NaN.
        case not, isNaN
        /// x if x is positive, otherwise slope · x.
        case leakyRelu(slope: Float)
        /// x if x is at least a bound, otherwise 0.
        case thresholdedRelu(bound: Float)
        /// x clamped to a range.
        case clip(Float, Float)
        /// x · sigmoid(beta · x) (Ramachandran et al., Searching for Activation Functions, 2017).
        case swish(beta: Float)
        /// alpha · x + beta clamped to 0...1, and x times that (Howard et al., Searching for MobileNetV3, 2019).
        case hardSigmoid(alpha: Float, beta: Float)
        case hardSwish(alpha: Float, beta: Float)
        /// x times the standard normal distribution function at x, and its usual approximation by tanh (Hendrycks and
        /// Gimpel, Gaussian Error Linear Units, 2016).
        case gelu, geluByTanh
        /// x · tanh(softplus(x)) (Misra, Mish, 2019).
        case mish
    }

    var function: Function

    init(_ function: Function) { self.function = function }

    var isElementwise: Bool { true }
    var kind: String {
        let name = "\(function)".prefix { $0 != "(" }
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Whether the result is Boolean.
    private var isLogical: Bool { function == .not || function == .isNaN }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        [TensorType(inputs[0].shape, isLogical ? .bool : inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        inputs[0].withElements { x in
            [Tensor(shape: inputs[0].shape, element: isLogical ? .bool : inputs[0].element) { apply(x[$0]) }]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(self, inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension Unary {
    var family: Family { .activation }
    // Rounding to float16 is finer than rounding to quantized values.
    var quantizedRole: QuantizedRole { bound != nil || function == .float16 ? .bound : .arithmetic }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .kept(axis) }
    func scalarFunction() -> (([Double]) -> Double)? { return { apply($0[0]) } }

    func channelArithmetic(on type: TensorType) -> ChannelArithmetic? {
        guard function == .negate, let channels = type.shape.last else { return nil }
        return ChannelArithmetic(
            scale: Array(repeating: -1, count: channels), offset: Array(repeating: 0, count: channels))
    }

    var bound: Bound? {
        switch function {
        case .relu: Bound(low: 0)
        case .relu6: Bound(low: 0, high: 6)
        case .clip(let low, let high): Bound(low: low, high: high)
        default: nil
        }
    }

    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? {
        switch function {
        case .sigmoid, .hardSigmoid: 0...1
        case .tanh, .softsign, .sine, .cosine, .errorFunction: -1...1
        case .relu6: 0...6
        case .clip(let low, let high) where low.isFinite && high.isFinite && low < high: Double(low)...Double(high)
        default: nil
        }
    }

    /// Whether it is drawn together with the operation before it.
    var isActivation: Bool {
        switch function {
        case .relu, .relu6, .elu, .selu, .sigmoid, .tanh, .softplus, .softsign, .leakyRelu, .thresholdedRelu, .clip,
            .swish, .hardSigmoid, .hardSwish, .gelu, .geluByTanh, .mish:
            true
        default: false
        }
    }

    /// The name of the function as papers spell it.
    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        switch function {
        case .relu: Caption("ReLU")
        case .relu6: Caption("ReLU6")
        case .elu: Caption("ELU")
        case .selu: Caption("SELU")
        case .gelu: Caption("GELU")
        case .geluByTanh: Caption("GELU (tanh)")
        case .leakyRelu(let slope): Caption("Leaky ReLU, slope \(Words.number(slope))")
        case .thresholdedRelu(let bound): Caption("ReLU from \(Words.number(bound))")
        case .clip(let low, let high): Caption("Clip to \(Words.number(low)) … \(Words.number(high))")
        case .swish(let beta): Caption(beta == 1 ? "Swish" : "Swish, β = \(Words.number(beta))")
        case .float16: Caption("Round to float16")
        default: Caption(Words.spaced(kind))
        }
    }
}

extension Operation {
    /// Whether it applies this function to each element.
    func applies(_ function: Unary.Function) -> Bool { (self as? Unary)?.function == function }
}

// MARK: TensorFlow

extension Unary {
    static let tensorFlow =
        [
            ("Neg", Function.negate, TensorFlowRoles([.comparison, .totalArithmetic, .averaging, .mayOverflow])),
            ("Sqrt", .squareRoot, .totalArithmetic),
            ("Rsqrt", .reciprocalSquareRoot, []),
            ("Square", .square, [.comparison, .mayOverflow]),
            ("Exp", .exponential, .comparison),
            ("Relu", .relu, []),
            ("Relu6", .relu6, []),
            ("Elu", .elu, []),
            ("Sigmoid", .sigmoid, .equivalentPrediction),
            ("Tanh", .tanh, []),
            ("Abs", .absolute, [.comparison, .mayOverflow]),
            ("Ceil", .ceiling, []),
            ("Floor", .floor, []),
            ("Round", .round, .comparison),
            ("Rint", .round, .comparison),
            ("Sign", .sign, []),
            ("Log", .logarithm, [.comparison, .totalArithmetic, .logarithm]),
            ("Log1p", .logarithm1p, [.comparison, .logarithm, .softplus]),
            ("Expm1", .exponentialMinus1, []),
            ("Erf", .errorFunction, []),
            ("Erfc", .complementaryErrorFunction, []),
            ("Reciprocal", .reciprocal, []),
            ("Inv", .reciprocal, []),
            ("Sin", .sine, []),
            ("Cos", .cosine, []),
            ("Asin", .arcSine, []),
            ("Acos", .arcCosine, []),
            ("Atan", .arcTangent, []),
            ("Sinh", .hyperbolicSine, []),
            ("Cosh", .hyperbolicCosine, []),
            ("Asinh", .inverseHyperbolicSine, []),
            ("Acosh", .inverseHyperbolicCosine, []),
            ("Atanh", .inverseHyperbolicTangent, []),
            ("Softplus", .softplus, .softplus),
            ("Softsign", .softsign, []),
            ("Selu", .selu, []),
            ("LogicalNot", .not, []),
            ("IsNan", .isNaN, []),
        ].map { name, function, roles in
            TensorFlowRule(name, axes: .kept, roles: roles) { node, context in
                [try context.add(Unary(function), node.input(0), name: node.name)]
            }
        } + [
            TensorFlowRule("Tan", axes: .kept, roles: []) { node, context in
                [try context.tangent(node.input(0), node)]
            },
            // x − x is NaN if x is infinite.
            TensorFlowRule("IsFinite", axes: .kept, roles: []) { node, context in
                let difference = try context.combine(.subtract, node.input(0), node.input(0), name: node.name + "/zero")
                let isNaN = try context.add(Unary(.isNaN), difference, name: node.name + "/not_finite")
                return [try context.add(Unary(.not), isNaN, name: node.name)]
            },
            TensorFlowRule("ClipByValue", axes: .kept, roles: .comparison) { node, context in
                let (low, high) = (try node.input(1), try node.input(2))
                let bounds = [low, high].compactMap { operand in
                    operand.constant.flatMap { $0.elementCount == 1 ? $0.floats[0] : nil }
                }
                if case .edge(_, let type) = try node.input(0), type.element == .float32, bounds.count == 2,
                    bounds[0] <= bounds[1]
                {
                    return [try context.add(Unary(.clip(bounds[0], bounds[1])), node.input(0), name: node.name)]
                }
                // In this order: the lower bound wins if it is above the upper bound.
                let lowered = try context.combine(.minimum, node.input(0), high, name: node.name + "/high")
                return [try context.combine(.maximum, lowered, low, name: node.name)]
            },
            TensorFlowRule("LeakyRelu", axes: .kept, roles: []) { node, context in
                let slope = try node.float("alpha", default: 0.2)
                return [try context.add(Unary(.leakyRelu(slope: slope)), node.input(0), name: node.name)]
            },
        ]
}

// MARK: Core ML

extension Unary.Function {
    /// The variants of GELU by the names of Core ML's modes.
    static let gelus: [String: Self] = [
        "EXACT": .gelu, "TANH_APPROXIMATION": .geluByTanh, "SIGMOID_APPROXIMATION": .swish(beta: 1.702),
    ]

    /// Core ML's clip, which is how ReLU6 is written.
    static func clamp(_ low: Float, _ high: Float) -> Self { low == 0 && high == 6 ? .relu6 : .clip(low, high) }
}

extension ImportContext {
    /// log(x + epsilon), as Core ML defines the logarithm.
    mutating func logarithm(of x: Operand, epsilon: Float, _ node: some SourceNode) throws -> Operand {
        guard !epsilon.isNormal else { return try add(Unary(.logarithm), shifted(x, by: epsilon, node), node) }
        // The tiny epsilons that coremltools sets have an effect only on 0.
        let result = try add(Unary(.logarithm), x, node)
        guard epsilon != 0 else { return result }
        return try apply(.maximum, result, Float(Unary(.logarithm).apply(Double(epsilon))), node)
    }
}
