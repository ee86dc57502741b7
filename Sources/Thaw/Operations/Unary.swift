#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A function of each element by itself: arithmetic and activations.
struct Unary: Operation {
    enum Function: Hashable, Sendable {
        case negate, squareRoot, reciprocalSquareRoot, square, exponential
        case relu, relu6, elu, sigmoid, tanh
        /// x where x is positive, slope · x elsewhere.
        case leakyRelu(slope: Float)
        /// x held between two bounds.
        case clip(Float, Float)
    }

    var function: Function

    init(_ function: Function) { self.function = function }

    var kind: String {
        switch function {
        case .negate: "Negate"
        case .squareRoot: "SquareRoot"
        case .reciprocalSquareRoot: "ReciprocalSquareRoot"
        case .square: "Square"
        case .exponential: "Exponential"
        case .relu: "Relu"
        case .relu6: "Relu6"
        case .elu: "Elu"
        case .sigmoid: "Sigmoid"
        case .tanh: "Tanh"
        case .leakyRelu: "LeakyRelu"
        case .clip: "Clip"
        }
    }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { [inputs[0]] }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        inputs[0].withElements { x in
            [Tensor(shape: inputs[0].shape, element: inputs[0].element) { apply(x[$0]) }]
        }
    }

    private func apply(_ x: Double) -> Double {
        switch function {
        case .negate: -x
        case .squareRoot: x.squareRoot()
        case .reciprocalSquareRoot: 1 / x.squareRoot()
        case .square: x * x
        case .exponential: exp(x)
        // Written so that a NaN stays one.
        case .relu: x < 0 ? 0 : x
        case .relu6: x < 0 ? 0 : x > 6 ? 6 : x
        case .elu: x < 0 ? expm1(x) : x
        case .sigmoid: 1 / (1 + exp(-x))
        case .tanh: Unary.tanh(x)
        case .leakyRelu(let slope): x < 0 ? x * Double(slope) : x
        case .clip(let low, let high): x < Double(low) ? Double(low) : x > Double(high) ? Double(high) : x
        }
    }

    // Inside this type `tanh` is the case of that name.
    private static func tanh(_ x: Double) -> Double {
        #if canImport(Glibc)
            Glibc.tanh(x)
        #else
            Darwin.tanh(x)
        #endif
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(self, inputs: orders, outputs: orders)
    }
}

// MARK: TensorFlow

extension Unary {
    static let tensorFlow =
        [
            ("Neg", Function.negate), ("Sqrt", .squareRoot), ("Rsqrt", .reciprocalSquareRoot), ("Square", .square),
            ("Exp", .exponential), ("Relu", .relu), ("Relu6", .relu6), ("Elu", .elu), ("Sigmoid", .sigmoid),
            ("Tanh", .tanh),
        ].map { name, function in
            TensorFlowRule(name) { node, context in [try context.add(Unary(function), node.input(0), name: node.name)] }
        } + [
            TensorFlowRule("LeakyRelu") { node, context in
                let slope = try node.float("alpha", default: 0.2)
                return [try context.add(Unary(.leakyRelu(slope: slope)), node.input(0), name: node.name)]
            }
        ]
}
