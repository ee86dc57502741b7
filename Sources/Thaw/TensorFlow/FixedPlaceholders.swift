/// Placeholders whose value is set during the conversion: those that the user sets, and those whose names show that
/// they switch between training and inference.
struct FixedPlaceholders {
    /// The graph, with constants instead of these placeholders.
    private(set) var graph: GraphIndex
    /// The Boolean values that were chosen, by placeholder name.
    private(set) var assumed: [String: Bool] = [:]

    /// - Parameters:
    ///   - given: Values by placeholder name.
    ///   - input: The node that the image replaces, which is not changed.
    ///   - arrayInputs: Placeholders whose arrays the caller supplies, so that nothing is assumed for them.
    /// - Throws: `Failure` for names that are not placeholders, and for values of another type.
    init(_ graph: GraphIndex, _ given: [PlaceholderValue], input: String?, arrayInputs: Set<String> = []) throws {
        self.graph = graph
        var values: [String: PlaceholderValue] = [:]
        for value in given {
            let name = GraphIndex.Reference(value.name).node
            guard graph.node(name)?.has(.anyPlaceholder) ?? false else {
                throw Failure.noSuchPlaceholder(
                    value.name, graph.nodes.filter { $0.has(.anyPlaceholder) }.map(\.name))
            }
            guard values.updateValue(value, forKey: name) == nil else { throw Failure.setTwice(name) }
        }
        for (index, node) in graph.nodes.enumerated()
        where node.has(.anyPlaceholder)
            && node.name != input.map({ GraphIndex.Reference($0).node })
        {
            if let given = values[node.name] {
                self.graph.replace(index, by: .constant(node.name, try given.tensor(for: node)))
            } else if !arrayInputs.contains(node.name), node.dataType == .bool,
                let value = node.valueAtInference
            {
                self.graph.replace(index, by: .constant(node.name, Tensor(value ? 1 : 0, element: .bool)))
                assumed[node.name] = value
            }
        }
    }
}

extension NodeDefinition {
    /// The Boolean value of a placeholder at inference, by the words in its name: false if they mean training, true if
    /// they mean inference. Nil if they mean neither or both, or if there is a negation.
    fileprivate var valueAtInference: Bool? {
        let words = Set(name.split(separator: "/").last.map(NodeDefinition.words) ?? [])
        guard words.isDisjoint(with: ["not", "no", "non", "without", "disable", "skip"]) else { return nil }
        let isInference = !words.isDisjoint(with: NodeDefinition.inferenceWords)
        // A test phase is not a training phase.
        let isTraining =
            !words.isDisjoint(with: NodeDefinition.trainingWords) || (words.contains("phase") && !isInference)
        return isTraining == isInference ? nil : isInference
    }

    private static let trainingWords: Set<String> = ["train", "training", "istrain", "istraining"]
    private static let inferenceWords: Set<String> = [
        "test", "testing", "istest", "istesting", "eval", "evaluate", "evaluation", "evaluating", "infer", "inference",
        "inferring", "predict", "prediction", "predicting",
    ]

    /// The words of a name in lower case: `is_training_1` and `isTraining` have the same words.
    private static func words(_ name: Substring) -> [String] {
        var words = [""]
        var isAfterCapital = true
        for character in name {
            if !character.isLetter || (character.isUppercase && !isAfterCapital) { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            isAfterCapital = character.isUppercase
        }
        return words
    }

    /// Whether it is a placeholder for a single Boolean, without a default.
    var isBooleanPlaceholder: Bool { has(.placeholder) && dataType == .bool && declaredShape(0)?.isEmpty ?? true }
}

/// A placeholder's value as text: Booleans or numbers, separated by commas.
public struct PlaceholderValue: Sendable, Equatable {
    /// The name of the placeholder.
    public var name: String
    /// The value, as text: `true`, `0.5`.
    public var value: String

    /// A value for the placeholder of this name.
    public init(name: String, value: String) { (self.name, self.value) = (name, value) }

    /// The value as the tensor that the placeholder takes.
    fileprivate func tensor(for node: NodeDefinition) throws -> Tensor {
        guard let type = node.dataType, let element = type.element else {
            throw Failure.settingType(name, value, "no numbers")
        }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let shape = try shape(parts.count, node)
        let values: [Double] = try parts.map { part in
            switch element {
            case .bool: try number(part, "true or false") { ["true": 1, "false": 0, "1": 1, "0": 0][$0.lowercased()] }
            case _ where element.isFloatingPoint:
                try number(part, "a number") { Double($0).flatMap { $0.isFinite ? $0 : nil } }
            default:
                try number(part, "an integer that float64 represents exactly") {
                    Int($0).flatMap(Double.init(exactly:))
                }
            }
        }
        let tensor = Tensor(shape: shape, element: element) { values[$0] }
        guard element.isFloatingPoint || zip(tensor.integers, values).allSatisfy({ Double($0) == $1 }) else {
            throw Failure.settingType(name, value, "\(type)")
        }
        return tensor
    }

    private func number<Number>(_ text: String, _ expected: String, _ read: (String) -> Number?) throws -> Number {
        guard let number = read(text) else { throw Failure.settingType(name, text, expected) }
        return number
    }

    private func shape(_ count: Int, _ node: NodeDefinition) throws -> Shape {
        // TensorFlow 1.0 and earlier wrote an empty shape if none was given.
        guard case .shape(let sizes?)? = node.attributes["shape"],
            !(sizes.isEmpty && count > 1 && !node.has(.defaultPlaceholder))
        else {
            return count == 1 ? [] : [count]
        }
        let known = sizes.filter { $0 >= 0 }
        guard known.count >= sizes.count - 1, let product = Shape(known).checkedCount,
            known.count == sizes.count ? product == count : product > 0 && count % product == 0
        else { throw Failure.settingShape(name, count, Shape(sizes)) }
        return Shape(sizes.map { $0 < 0 ? count / product : $0 })
    }
}
