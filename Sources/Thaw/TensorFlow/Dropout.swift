/// Removes dropout from a frozen graph. At inference nothing is dropped: a value that is multiplied by a random mask,
/// or selected by one, is passed on unscaled.
///
/// TensorFlow has written dropout as x / keep · floor(keep + random), as x · 1/(1 − rate) · cast(random ≥ rate), and as
/// select(random ≥ rate, x · 1/(1 − rate), 0).
struct Dropout {
    private let graph: GraphIndex
    private var constants: GraphConstants

    /// The graph, with dropout replaced by identities, and the names of the replaced nodes.
    static func removed(from graph: GraphIndex) -> (graph: GraphIndex, removed: [String]) {
        guard graph.contains(.random) else { return (graph, []) }
        var dropout = Dropout(graph: graph, constants: GraphConstants(graph))
        var kept: [String: Keep] = [:]
        var removed: [String] = []
        var result = graph
        for (index, node) in graph.nodes.enumerated() {
            guard let (value, keep) = dropout.dropped(by: node) else { continue }
            removed.append(node.name)
            let (input, isScaled) = dropout.unscaled(value, keep)
            if !isScaled { kept[node.name] = keep }
            result.replace(index, by: .identity(node.name, of: input))
        }
        // Removes a scale factor after the mask.
        for (index, node) in result.nodes.enumerated() where node.has([.product, .quotient]) {
            for input in node.inputs.prefix(2) {
                guard let keep = kept[GraphIndex.Reference(input).node],
                    dropout.scaled(node, keep) == input
                else { continue }
                result.replace(index, by: .identity(node.name, of: input))
            }
        }
        return (result, removed)
    }

    /// The share of values that a mask keeps: a constant, or nil if it depends on a placeholder.
    private struct Keep {
        var share: Double?
    }

    /// The value that `node` applies dropout to, and the share that it keeps.
    private mutating func dropped(by node: NodeDefinition) -> (value: String, keep: Keep)? {
        let inputs = node.data
        if node.has(.product), inputs.count == 2 {
            for (value, mask) in [(0, 1), (1, 0)] {
                if let keep = keep(ofMask: inputs[mask]) { return (inputs[value], keep) }
            }
        } else if node.has(.select), inputs.count == 3 {
            guard let keep = keep(ofComparison: inputs[0]) else { return nil }
            for (value, zero) in [(1, 2), (2, 1)] {
                guard isZero(inputs[zero]) else { continue }
                // If the comparison selects the zero, it gives the share that is dropped.
                return (inputs[value], value == 1 ? keep : Keep(share: keep.share.map { 1 - $0 }))
            }
        }
        return nil
    }

    private mutating func isZero(_ input: String) -> Bool {
        node(input)?.has(.zeros) ?? false || constants.value(input)?.floats.allSatisfy { $0 == 0 } ?? false
    }

    // MARK: Masks

    /// The share of ones in a random mask of zeros and ones.
    private mutating func keep(ofMask input: String, depth: Int = 0) -> Keep? {
        guard let node = node(input), depth < 8 else { return nil }
        switch node.op {
        case "Floor":
            guard let sum = self.node(node.data.first), sum.has(.sum), sum.data.count == 2 else { return nil }
            for (keep, random) in [(0, 1), (1, 0)] {
                guard let random = uniform(sum.data[random]), random.width == 1 else { continue }
                if let share = number(sum.data[keep]) { return Keep(share: share + random.start) }
                return random.start == 0 ? fixed(sum.data[keep]) : nil
            }
            return nil
        case _ where node.has(.cast): return node.data.first.flatMap { keep(ofComparison: $0) }
        case _ where node.has(.identity): return node.data.first.flatMap { keep(ofMask: $0, depth: depth + 1) }
        default: return nil
        }
    }

    /// The probability that a comparison with a random value from 0 to 1 is true.
    private mutating func keep(ofComparison input: String) -> Keep? {
        guard let node = node(input), node.has(.ordering), node.data.count == 2 else { return nil }
        for (index, bound) in [(0, 1), (1, 0)] {
            guard let random = uniform(node.data[index]) else { continue }
            guard let number = number(node.data[bound]) else {
                return random == Uniform() ? fixed(node.data[bound]) : nil
            }
            let share = min(max(0, (number - random.start) / random.width), 1)
            let holdsAbove = node.has(.greater) == (index == 0)
            return Keep(share: holdsAbove ? 1 - share : share)
        }
        return nil
    }

    /// The interval of a uniformly distributed random value.
    private struct Uniform: Equatable {
        var start = 0.0
        var width = 1.0
    }

    /// The distribution of `input` if it is a random value, possibly shifted and scaled by constants.
    private mutating func uniform(_ input: String, depth: Int = 0) -> Uniform? {
        guard let node = node(input), depth < 8 else { return nil }
        if node.has(.random) { return Uniform() }
        if node.has(.identity) || node.has(.cast) && !node.truncatesToIntegers {
            return node.data.first.flatMap { uniform($0, depth: depth + 1) }
        }
        guard node.has([.sum, .product]), node.data.count == 2 else { return nil }
        for (random, constant) in [(0, 1), (1, 0)] {
            guard var result = uniform(node.data[random], depth: depth + 1) else { continue }
            guard let number = number(node.data[constant]) else { return nil }
            result.start = node.has(.sum) ? result.start + number : result.start * number
            if node.has(.product) { result.width *= number }
            return result.width > 0 ? result : nil
        }
        return nil
    }

    // MARK: The compensating factor

    /// The value before the division by the kept share, and whether there was one.
    private mutating func unscaled(_ input: String, _ keep: Keep) -> (input: String, isScaled: Bool) {
        guard let node = node(input), let value = scaled(node, keep) else { return (input, keep.share == 1) }
        return (value, true)
    }

    /// The value that `node` divides by the kept share.
    private mutating func scaled(_ node: NodeDefinition, _ keep: Keep) -> String? {
        guard node.data.count == 2 else { return nil }
        if node.has(.quotient) { return matches(node.data[1], keep.share) ? node.data[0] : nil }
        guard node.has(.product) else { return nil }
        for (value, factor) in [(0, 1), (1, 0)] where matches(node.data[factor], keep.share.map { 1 / $0 }) {
            return node.data[value]
        }
        return nil
    }

    private mutating func matches(_ factor: String, _ expected: Double?) -> Bool {
        guard let expected else { return number(factor) == nil && fixed(factor) != nil }
        return number(factor).map { abs($0 - expected) <= 1e-3 * abs(expected) } ?? false
    }

    private mutating func number(_ input: String) -> Double? {
        guard let tensor = constants.value(input), tensor.elementCount == 1 else { return nil }
        return tensor.withElements { $0[0] }
    }

    /// A share that depends only on scalar placeholders.
    private func fixed(_ input: String, depth: Int = 0) -> Keep? {
        guard let node = node(input), depth < 8 else { return nil }
        if node.has(.constant) { return Keep() }
        if node.has([.placeholder, .defaultPlaceholder]) {
            return node.declaredShape(0)?.isEmpty ?? true ? Keep() : nil
        }
        guard node.has([.affine, .identity, .cast]) else { return nil }
        return node.data.allSatisfy({ fixed($0, depth: depth + 1) != nil }) ? Keep() : nil
    }

    private func node(_ input: String?) -> NodeDefinition? { input.flatMap { graph.producer(of: $0) } }
}

extension NodeDefinition {
    /// Whether it is a cast to integers.
    fileprivate var truncatesToIntegers: Bool { type("DstT")?.element?.isFloatingPoint != true }
}
