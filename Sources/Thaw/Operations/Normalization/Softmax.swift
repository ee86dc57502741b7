#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Exponentials along an axis, divided by their sum: converts scores to probabilities or their logarithms.
struct Softmax: Operation, AxisOperation {
    /// Counted from the front.
    var axis: Int
    /// Whether the result is the logarithm of the probabilities.
    var isLogarithmic = false

    var kind: String { isLogarithmic ? "LogSoftmax" : "Softmax" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: inputs[0].shape) }
        return [TensorType(inputs[0].shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let count = shape[axis]
        let step = shape.strides[axis]
        return inputs[0].withFloats { x in
            [
                Tensor(shape: shape) { y in
                    for start in 0..<x.count where start / step % count == 0 {
                        let indices = (0..<count).map { start + $0 * step }
                        // The maximum is subtracted first, which does not change the result but avoids overflow.
                        let largest = indices.map { Double(x[$0]) }.max()!
                        let powers = indices.map { exp(Double(x[$0]) - largest) }
                        let sum = powers.reduce(0, +)
                        for (index, power) in zip(indices, powers) {
                            y[index] = Float(isLogarithmic ? Double(x[index]) - largest - log(sum) : power / sum)
                        }
                    }
                }
            ]
        }
    }
}

// MARK: Facts

extension Softmax {
    var family: Family { .activation }

    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? {
        isLogarithmic ? nil : 0...1
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let groups = AxisGroups(output, apart: axis)
        var merged = self
        merged.axis = groups.firstIndex { $0.leader == axis }!
        return (merged, groups)
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption(isLogarithmic ? "Log softmax" : "Softmax")
    }
}

// MARK: TensorFlow

extension Softmax {
    static let tensorFlow = [
        TensorFlowRule("Softmax", "LogSoftmax", axes: .kept, roles: .equivalentPrediction) { node, context in
            let input = try node.input(0)
            let operation = Softmax(axis: try input.shape.axis(-1), isLogarithmic: node.op == "LogSoftmax")
            return [try context.add(operation, input, name: node.name)]
        }
    ]
}

// MARK: Core ML

extension Softmax: CoreMLOperation {
    /// The logarithm of the sum of exponentials is subtracted. The maximum is subtracted first to avoid overflow.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        guard isLogarithmic else { return nil }
        func reduction(_ function: Reduction.Function) -> Reduction {
            Reduction(function: function, axes: [axis], keepsAxes: true)
        }
        let largest = try parts.add(reduction(.maximum), inputs[0], as: "largest")
        let scores = try parts.add(Binary(.subtract), inputs[0], largest, as: "scores")
        let powers = try parts.add(Unary(.exponential), scores, as: "powers")
        let sum = try parts.add(reduction(.sum), powers, as: "sum")
        let logarithm = try parts.add(Unary(.logarithm), sum, as: "logarithm")
        return try parts.add(Binary(.subtract), scores, logarithm)
    }
}

// MARK: ML Program

extension Softmax: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("softmax", node, ["x": .value(node.input), "axis": .integer(axis)])
    }
}

extension Softmax {
    static let mil = [
        MILRule("softmax") { op, reading in
            let x = try op.operand()
            return [try reading.add(Softmax(axis: try op.axis(x, default: -1)), x, op)]
        }
    ]
}

// MARK: Engine

extension Softmax: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .softmax(axis: axis, isLogarithmic: isLogarithmic)
    }
}
