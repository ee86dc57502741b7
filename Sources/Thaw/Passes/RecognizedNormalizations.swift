// Recognizes normalizations that a graph spells out: mean, difference, mean of squared differences, and the values
// computed from them.
//
// Each value that may belong to a normalization gets a role in it, in graph order: "the mean of x along these axes",
// "1 / √(variance + epsilon), times this". The role of a value follows from the roles of its inputs, so all the
// different spellings reach the same result. A value whose role completes a normalization is replaced by that.

extension Graph {
    /// Replaces spelled-out instance, layer, group and L2 normalizations by one operation each. Subgraphs with
    /// intermediate values that have other consumers are left unchanged.
    func withRecognizedNormalizations() -> Graph {
        var graph = self
        let consumers = graph.consumerIndices
        var parts: [Value: NormalizationPart] = [:]
        for index in graph.nodes.indices {
            let node = graph.nodes[index]
            guard node.outputs.count == 1, graph[node.outputs[0]].element == .float32,
                var part = graph.part(of: node, parts)
            else { continue }
            for input in node.inputs {
                if let other = parts[input], other.source == part.source { part.nodes.formUnion(other.nodes) }
            }
            let inside = part.nodes
            part.nodes.insert(index)
            if let operation = part.operation {
                let isClosed = inside.allSatisfy { inner in
                    graph.nodes[inner].outputs.allSatisfy { consumers[$0.index].allSatisfy(part.nodes.contains) }
                }
                guard isClosed, graph[node.outputs[0]] == graph[part.source],
                    (try? operation.outputTypes([graph[part.source]])) == [graph[node.outputs[0]]]
                else { continue }
                graph.nodes[index].operation = operation
                graph.nodes[index].inputs = [part.source]
            } else {
                parts[node.outputs[0]] = part
            }
        }
        return graph.pruned()
    }
}

/// The role of a value in a normalization of `source` along `axes`.
private struct NormalizationPart {
    enum Role {
        case mean
        case negativeMean
        /// x − mean, times a factor.
        case centered(Tensor?)
        /// (x − mean)².
        case squares
        case variance
        /// Variance + epsilon, its square root, and a factor divided by that.
        case raisedVariance(Float)
        case deviation(Float)
        case inverse(Float, Tensor?)
        /// x times the inverse.
        case scaled(Float, Tensor?)
        /// The mean times the inverse, and an offset minus that.
        case scaledMean(Float, Tensor?)
        case shift(Float, Tensor?, offset: Tensor?)
        case normal(Float, Tensor?, offset: Tensor?)
        /// x², its sum, the sum clamped from below, its square root, and the reciprocal of that.
        case ownSquares
        case sumOfSquares(Float)
        case length(Float)
        case inverseLength(Float)
        case unit(Float)
    }

    var role: Role
    var source: Graph.Value
    var axes: [Int]
    /// The indices of the nodes that compute it.
    var nodes: Set<Int> = []

    init(_ role: Role, _ source: Graph.Value, _ axes: [Int] = []) {
        self.role = role
        self.source = source
        self.axes = axes
    }

    /// The same source with another role.
    func becoming(_ role: Role) -> NormalizationPart { NormalizationPart(role, source, axes) }

    /// The operation that this value is equivalent to, if it completes a normalization.
    var operation: (any Operation)? {
        switch role {
        case .normal(let epsilon, let scale, let offset):
            Normalization(axes: axes, epsilon: epsilon, scale: scale, offset: offset)
        case .unit(let epsilon): L2Normalization(axes: axes, epsilon: epsilon)
        default: nil
        }
    }
}

extension Graph {
    /// The role of a node's output, or nil if it has none.
    fileprivate func part(of node: Node, _ parts: [Value: NormalizationPart]) -> NormalizationPart? {
        let input = node.inputs.first.flatMap { parts[$0] }
        switch node.operation {
        case let reduction as Reduction: return part(of: reduction, node.inputs[0], input)
        case let reshape as Reshape:
            // Statistics with their axes removed or restored.
            guard let input, reshape.shape == statisticsShape(input), reshape.shape.elementCount > 0 else { return nil }
            return input
        case let unary as Unary: return part(of: unary.function, node.inputs[0], input)
        case let binary as Binary:
            guard let constant = binary.constant else {
                return node.inputs[0] == node.inputs[1]
                    ? (binary.function == .multiply ? part(of: .square, node.inputs[0], input) : nil)
                    : part(of: binary.function, node.inputs, parts)
            }
            // A constant of several elements would be aligned with other axes if axes were removed.
            guard let input, constant.elementCount == 1 || isComplete(node.inputs[0], input) else { return nil }
            return part(of: binary, constant, input)
        default: return nil
        }
    }

    private func statisticsShape(_ part: NormalizationPart) -> Shape {
        var shape = self[part.source].shape
        for axis in part.axes { shape[axis] = 1 }
        return shape
    }

    private func part(of reduction: Reduction, _ value: Value, _ input: NormalizationPart?) -> NormalizationPart? {
        guard self[value].element == .float32 else { return nil }
        switch (reduction.function, input?.role) {
        case (.mean, .squares) where reduction.axes == input!.axes: return input!.becoming(.variance)
        case (.sum, .ownSquares): return NormalizationPart(.sumOfSquares(0), input!.source, reduction.axes)
        case (.mean, _): return NormalizationPart(.mean, value, reduction.axes)
        default: return nil
        }
    }

    private func part(of function: Unary.Function, _ value: Value, _ input: NormalizationPart?) -> NormalizationPart? {
        switch (function, input?.role) {
        case (.negate, .mean): return input!.becoming(.negativeMean)
        case (.negate, .scaledMean(let epsilon, let scale)): return input!.becoming(.shift(epsilon, scale, offset: nil))
        case (.square, .centered(nil)): return input!.becoming(.squares)
        case (.squareRoot, .raisedVariance(let epsilon)): return input!.becoming(.deviation(epsilon))
        case (.reciprocalSquareRoot, .raisedVariance(let epsilon)): return input!.becoming(.inverse(epsilon, nil))
        case (.reciprocal, .deviation(let epsilon)): return input!.becoming(.inverse(epsilon, nil))
        case (.squareRoot, .sumOfSquares(let epsilon)): return input!.becoming(.length(epsilon))
        case (.reciprocalSquareRoot, .sumOfSquares(let epsilon)): return input!.becoming(.inverseLength(epsilon))
        case (.reciprocal, .length(let epsilon)): return input!.becoming(.inverseLength(epsilon))
        case (.square, _): return NormalizationPart(.ownSquares, value)
        default: return nil
        }
    }

    /// With a constant operand.
    private func part(of binary: Binary, _ constant: Tensor, _ input: NormalizationPart) -> NormalizationPart? {
        let number = constant.elementCount == 1 ? constant.floats[0] : nil
        func times(_ scale: Tensor?) -> Tensor {
            scale.map { Binary(.multiply).evaluate([$0, constant])[0] } ?? constant
        }
        switch (binary.function, binary.constantFirst, input.role, number) {
        case (.add, _, .variance, let epsilon?) where epsilon >= 0: return input.becoming(.raisedVariance(epsilon))
        case (.power, false, .raisedVariance(let epsilon), 0.5): return input.becoming(.deviation(epsilon))
        case (.power, false, .raisedVariance(let epsilon), -0.5): return input.becoming(.inverse(epsilon, nil))
        case (.power, false, .centered(nil), 2): return input.becoming(.squares)
        case (.multiply, _, .mean, -1): return input.becoming(.negativeMean)
        case (.multiply, _, .centered(let scale), _): return input.becoming(.centered(times(scale)))
        case (.multiply, _, .inverse(let epsilon, let scale), _): return input.becoming(.inverse(epsilon, times(scale)))
        case (.divide, true, .deviation(let epsilon), _): return input.becoming(.inverse(epsilon, constant))
        case (.subtract, true, .scaledMean(let epsilon, let scale), _):
            return input.becoming(.shift(epsilon, scale, offset: constant))
        case (.add, _, .shift(let epsilon, let scale, nil), _):
            return input.becoming(.shift(epsilon, scale, offset: constant))
        case (.maximum, _, .sumOfSquares(0), let epsilon?) where epsilon > 0:
            return input.becoming(.sumOfSquares(epsilon))
        // The square of a tiny bound is 0, which is no bound.
        case (.maximum, _, .length(0), let bound?) where bound > 0 && (bound * bound).isNormal:
            return input.becoming(.length(bound * bound))
        case (.power, false, .sumOfSquares(let epsilon), 0.5): return input.becoming(.length(epsilon))
        case (.power, false, .sumOfSquares(let epsilon), -0.5): return input.becoming(.inverseLength(epsilon))
        default: return nil
        }
    }

    /// With another computed operand.
    private func part(of function: Binary.Function, _ inputs: [Value], _ parts: [Value: NormalizationPart])
        -> NormalizationPart?
    {
        // Commutative operations accept either order.
        let orders =
            function == .multiply || function == .add || function == .squaredDifference ? [(0, 1), (1, 0)] : [(0, 1)]
        for (first, second) in orders {
            guard let other = parts[inputs[second]], isComplete(inputs[second], other) else { continue }
            if other.source == inputs[first], let part = part(of: function, ofSourceAnd: other) { return part }
            if let one = parts[inputs[first]], isComplete(inputs[first], one), one.source == other.source,
                one.axes == other.axes, let part = part(of: function, one, other)
            {
                return part
            }
        }
        return nil
    }

    /// Whether a value has all axes of its source. Otherwise it would not be aligned with it when broadcast.
    private func isComplete(_ value: Value, _ part: NormalizationPart) -> Bool {
        self[value].shape.rank == self[part.source].shape.rank
    }

    /// From the source itself and another role.
    private func part(of function: Binary.Function, ofSourceAnd other: NormalizationPart) -> NormalizationPart? {
        switch (function, other.role) {
        case (.subtract, .mean): other.becoming(.centered(nil))
        case (.add, .negativeMean): other.becoming(.centered(nil))
        case (.squaredDifference, .mean): other.becoming(.squares)
        case (.multiply, .inverse(let epsilon, let scale)): other.becoming(.scaled(epsilon, scale))
        case (.multiply, .inverseLength(let epsilon)), (.divide, .length(let epsilon)): other.becoming(.unit(epsilon))
        default: nil
        }
    }

    /// From two roles in the same normalization.
    private func part(of function: Binary.Function, _ one: NormalizationPart, _ other: NormalizationPart)
        -> NormalizationPart?
    {
        func times(_ a: Tensor?, _ b: Tensor?) -> Tensor? {
            guard let a, let b else { return a ?? b }
            return Binary(.multiply).evaluate([a, b])[0]
        }
        switch (function, one.role, other.role) {
        case (.multiply, .centered(let factor), .inverse(let epsilon, let scale)):
            return one.becoming(.normal(epsilon, times(factor, scale), offset: nil))
        case (.divide, .centered(let factor), .deviation(let epsilon)):
            return one.becoming(.normal(epsilon, factor, offset: nil))
        case (.multiply, .mean, .inverse(let epsilon, let scale)): return one.becoming(.scaledMean(epsilon, scale))
        case (.multiply, .negativeMean, .inverse(let epsilon, let scale)):
            return one.becoming(.shift(epsilon, scale, offset: nil))
        case (.add, .scaled(let epsilon, let scale), .shift(let same, let factor, let offset))
        where same == epsilon && factor == scale:
            return one.becoming(.normal(epsilon, scale, offset: offset))
        case (.subtract, .scaled(let epsilon, let scale), .scaledMean(let same, let factor))
        where same == epsilon && factor == scale:
            return one.becoming(.normal(epsilon, scale, offset: nil))
        default: return nil
        }
    }
}
