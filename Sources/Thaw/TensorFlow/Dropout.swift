/// Finds dropout that a graph was frozen with. At inference nothing is dropped: what is multiplied by a random mask, or
/// chosen by one, is handed on as it was before it was scaled for the mask.
///
/// TensorFlow has written dropout as x / keep · floor(keep + random), as x · 1/(1 − rate) · cast(random ≥ rate), and as
/// select(random ≥ rate, x · 1/(1 − rate), 0).
struct Dropout {
    private let survey: GraphSurvey
    private var constants: GraphConstants

    private static let generators: Set<String> = [
        "RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2",
    ]
    private static let comparisons: Set<String> = ["GreaterEqual", "Greater", "Less", "LessEqual"]
    private static let sums: Set<String> = ["Add", "AddV2", "Sub", "Mul", "Identity", "Cast"]

    /// The nodes, those that drop something being identities of the input that inference uses instead, and the names of
    /// those that were dropout.
    /// - Throws: `Failure` for two nodes of one name.
    static func removed(from nodes: [NodeDefinition]) throws -> (nodes: [NodeDefinition], removed: [String]) {
        guard nodes.contains(where: { generators.contains($0.op) }) else { return (nodes, []) }
        let survey = try GraphSurvey(nodes)
        var dropout = Dropout(survey: survey, constants: GraphConstants(survey))
        var kept: [String: Keep] = [:]
        var removed: [String] = []
        var result = nodes.map { node in
            guard let (value, keep) = dropout.dropped(by: node) else { return node }
            removed.append(node.name)
            let (input, isScaled) = dropout.unscaled(value, keep)
            if !isScaled { kept[node.name] = keep }
            return NodeDefinition(name: node.name, op: "Identity", inputs: [input])
        }
        // Where the factor stands behind the mask.
        for (place, node) in result.enumerated() where ["Mul", "RealDiv", "Div"].contains(node.op) {
            for input in node.inputs.prefix(2) {
                guard let keep = kept[GraphSurvey.Reference(input).node],
                    dropout.scaled(node, keep) == input
                else { continue }
                result[place] = NodeDefinition(name: node.name, op: "Identity", inputs: [input])
            }
        }
        return (result, removed)
    }

    /// The share of values that a mask keeps: a number, or nothing where it is a placeholder's.
    private struct Keep {
        var share: Double?
    }

    /// What `node` drops some of, and how much it keeps.
    private mutating func dropped(by node: NodeDefinition) -> (value: String, keep: Keep)? {
        let inputs = node.data
        switch node.op {
        case "Mul" where inputs.count == 2:
            for (value, mask) in [(0, 1), (1, 0)] {
                if let keep = keep(ofMask: inputs[mask]) { return (inputs[value], keep) }
            }
        case "Select" where inputs.count == 3, "SelectV2" where inputs.count == 3:
            guard let keep = keep(ofComparison: inputs[0]) else { return nil }
            for (value, zero) in [(1, 2), (2, 1)] {
                guard isZero(inputs[zero]) else { continue }
                // Where the zero is what the comparison chooses, it says what is dropped.
                return (inputs[value], value == 1 ? keep : Keep(share: keep.share.map { 1 - $0 }))
            }
        default: break
        }
        return nil
    }

    private mutating func isZero(_ input: String) -> Bool {
        node(input)?.op == "ZerosLike" || constants.value(input)?.floats.allSatisfy { $0 == 0 } ?? false
    }

    // MARK: Masks

    /// The share of ones in a mask of zeros and ones drawn at random.
    private mutating func keep(ofMask input: String) -> Keep? {
        guard let node = node(input) else { return nil }
        switch node.op {
        case "Floor":
            guard let sum = self.node(node.inputs.first), sum.op == "Add" || sum.op == "AddV2", sum.data.count == 2
            else {
                return nil
            }
            for (keep, random) in [(0, 1), (1, 0)] where isRandom(sum.data[random]) {
                return number(sum.data[keep]).map { Keep(share: $0) } ?? fixed(sum.data[keep])
            }
            return nil
        case "Cast": return node.inputs.first.flatMap { keep(ofComparison: $0) }
        case "Identity": return node.inputs.first.flatMap { keep(ofMask: $0) }
        default: return nil
        }
    }

    /// The share of times that a comparison with a random number from 0 to 1 holds.
    private mutating func keep(ofComparison input: String) -> Keep? {
        guard let node = node(input), Dropout.comparisons.contains(node.op), node.data.count == 2 else { return nil }
        for (random, bound) in [(0, 1), (1, 0)] where isRandom(node.data[random]) {
            guard let share = number(node.data[bound]) else { return fixed(node.data[bound]) }
            let holdsAbove = node.op.hasPrefix("Greater") == (random == 0)
            return Keep(share: holdsAbove ? 1 - share : share)
        }
        return nil
    }

    /// Whether `input` is a random number, or one shifted and stretched.
    private func isRandom(_ input: String, depth: Int = 0) -> Bool {
        guard let node = node(input), depth < 8 else { return false }
        return Dropout.generators.contains(node.op)
            || (Dropout.sums.contains(node.op) && node.data.contains { isRandom($0, depth: depth + 1) })
    }

    // MARK: The factor that makes up for what is dropped

    /// The value before it was divided by the share that is kept, and whether it was.
    private mutating func unscaled(_ input: String, _ keep: Keep) -> (input: String, isScaled: Bool) {
        guard let node = node(input), let value = scaled(node, keep) else { return (input, keep.share == 1) }
        return (value, true)
    }

    /// What `node` divides by the share that is kept.
    private mutating func scaled(_ node: NodeDefinition, _ keep: Keep) -> String? {
        guard node.data.count == 2 else { return nil }
        switch node.op {
        case "RealDiv", "Div": return matches(node.data[1], keep, keep.share) ? node.data[0] : nil
        case "Mul":
            for (value, factor) in [(0, 1), (1, 0)] where matches(node.data[factor], keep, keep.share.map { 1 / $0 }) {
                return node.data[value]
            }
            return nil
        default: return nil
        }
    }

    private mutating func matches(_ factor: String, _ keep: Keep, _ expected: Double?) -> Bool {
        guard let expected else { return number(factor) == nil && fixed(factor) != nil }
        return number(factor).map { abs($0 - expected) <= 1e-3 * abs(expected) } ?? false
    }

    private mutating func number(_ input: String) -> Double? {
        guard let tensor = constants.value(input), tensor.elementCount == 1 else { return nil }
        return tensor.withElements { $0[0] }
    }

    /// A share that follows from scalar placeholders alone.
    private func fixed(_ input: String, depth: Int = 0) -> Keep? {
        guard let node = node(input), depth < 8 else { return nil }
        if node.op == "Const" || FixedPlaceholders.operations.contains(node.op) { return Keep() }
        guard ["Identity", "Sub", "RealDiv", "Div", "Cast"].contains(node.op) else { return nil }
        return node.data.allSatisfy({ fixed($0, depth: depth + 1) != nil }) ? Keep() : nil
    }

    private func node(_ input: String?) -> NodeDefinition? {
        input.flatMap { survey.node(GraphSurvey.Reference($0).node) }
    }
}
