import Testing

@testable import Thaw

/// A typical fault of fast code, injected between a graph and the engine, to show that random graphs find such faults.
struct InjectedFault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The kind of the operation at fault.
    let kind: String
    /// The number of elements that are enough to show it.
    let inputSize: Int
    /// The faulty operation; nil if the operation is not affected.
    let change: @Sendable (any Operation) -> (any Operation)?

    /// The faulty graph that the engine runs.
    func broken(_ graph: Graph) throws -> Graph {
        try graph.rebuilt { node, inputs, builder in
            try change(node.operation).map { try builder.add($0, inputs, name: node.name) }
        }
    }

    static let all = [
        InjectedFault(
            testDescription: "the last channel of an incomplete block is lost", kind: "Convolution", inputSize: 64
        ) {
            operation in
            guard var convolution = operation as? Convolution, convolution.outputChannels % 16 != 0 else { return nil }
            let count = convolution.outputChannels
            convolution.filters = convolution.filters.scaled(
                lastAxes: (0..<count).map { $0 == count - 1 ? 0 : 1 })
            return convolution
        },
        InjectedFault(testDescription: "a mean includes padding", kind: "AveragePooling", inputSize: 64) { operation in
            guard var pooling = operation as? Pooling, pooling.function == .average, pooling.window.hasPadding else {
                return nil
            }
            pooling.countsPadding.toggle()
            return pooling
        },
        InjectedFault(testDescription: "a bound is missing", kind: "Clip", inputSize: 64) { operation in
            guard let unary = operation as? Unary, case .clip(let low, _) = unary.function else { return nil }
            return Unary(.clip(low, .infinity))
        },
        InjectedFault(testDescription: "a logarithm is added", kind: "Softmax", inputSize: 64) {
            operation in
            guard var softmax = operation as? Softmax, !softmax.isLogarithmic else { return nil }
            softmax.isLogarithmic = true
            return softmax
        },
    ]
}
