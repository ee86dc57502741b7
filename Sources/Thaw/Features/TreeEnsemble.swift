/// Decision trees whose leaves add to the values of the ensemble.
struct TreeEnsemble: Sendable {
    private struct Node {
        enum Behavior: String {
            case lessOrEqual = "BranchOnValueLessThanEqual"
            case less = "BranchOnValueLessThan"
            case greaterOrEqual = "BranchOnValueGreaterThanEqual"
            case greater = "BranchOnValueGreaterThan"
            case equal = "BranchOnValueEqual"
            case notEqual = "BranchOnValueNotEqual"
            case leaf = "LeafNode"
        }

        var behavior = Behavior.leaf
        var feature = 0
        var threshold = 0.0
        var missingIsTrue = false
        /// The indices of the children among all nodes.
        var whenTrue = 0
        var whenFalse = 0
        /// The additions of a leaf, among all additions.
        var additions = 0..<0

        func isTrue(_ value: Double) -> Bool {
            if value.isNaN { return missingIsTrue }
            return switch behavior {
            case .lessOrEqual: value <= threshold
            case .less: value < threshold
            case .greaterOrEqual: value >= threshold
            case .greater: value > threshold
            case .equal: value == threshold
            case .notEqual: value != threshold
            case .leaf: false
            }
        }
    }

    private var nodes: [Node] = []
    private var additions: [(dimension: Int, value: Double)] = []
    private var roots: [Int] = []
    private let base: [Double]
    /// Whether features are rounded to float32 before comparison, as in the program that trained the trees: XGBoost, whose
    /// thresholds are float32 too, or scikit-learn, whose thresholds are not.
    private let roundsFeatures: Bool
    /// The number of features that the nodes refer to.
    private(set) var width = 0

    var dimensions: Int { base.count }

    init(_ source: StageSource) throws {
        let ensemble: Message = source.parameters.treeEnsemble
        let dimensions: Int = ensemble.numPredictionDimensions
        guard 1...1 << 16 ~= dimensions else { throw Failure.parameterCount("prediction dimensions", dimensions, 1) }
        let base: [Double] = ensemble.basePredictionValue
        guard base.isEmpty || base.count == dimensions else {
            throw Failure.parameterCount("base predictions", base.count, dimensions)
        }
        self.base = base.isEmpty ? Array(repeating: 0, count: dimensions) : base
        let messages: [Message] = ensemble.nodes
        let isFromScikitLearn = source.origin?.hasPrefix("scikit-learn") ?? false
        roundsFeatures =
            isFromScikitLearn
            || messages.allSatisfy { message in
                let leaves: [Message] = message.evaluationInfo
                let numbers = [message.branchFeatureValue as Double] + leaves.map { $0.evaluationValue }
                return numbers.allSatisfy { Double(Float($0)) == $0 }
            }
        try readNodes(messages)
        try link(messages)
    }

    private struct Identifier: Hashable, CustomStringConvertible {
        let tree: Int
        let node: Int

        var description: String { "node \(node) of tree \(tree)" }
    }

    private static func identifier(_ message: Message, _ node: String = "nodeId") -> Identifier {
        Identifier(tree: message.treeId, node: message[node])
    }

    private mutating func readNodes(_ messages: [Message]) throws {
        for message in messages {
            let name = "\(Self.identifier(message))"
            let behavior: String = message.nodeBehavior
            guard let behavior = Node.Behavior(rawValue: behavior) else {
                throw Failure.unknownChoice("behavior of \(name)", behavior)
            }
            var node = Node(behavior: behavior)
            if behavior == .leaf {
                let start = additions.count
                for leaf in message.evaluationInfo as [Message] {
                    let dimension: Int = leaf.evaluationIndex
                    guard 0..<dimensions ~= dimension else { throw Failure.treeDimension(name, dimension, dimensions) }
                    additions.append((dimension, leaf.evaluationValue))
                }
                node.additions = start..<additions.count
            } else {
                node.feature = message.branchFeatureIndex
                guard 0..<1 << 31 ~= node.feature else { throw Failure.featureIndex(node.feature, 1 << 31) }
                width = max(width, node.feature + 1)
                node.threshold = message.branchFeatureValue
                node.missingIsTrue = message.missingValueTracksTrueChild
            }
            nodes.append(node)
        }
    }

    /// Sets children and roots.
    /// - Throws: `Failure` unless the nodes of each tree are one tree.
    private mutating func link(_ messages: [Message]) throws {
        var indices = [Identifier: Int](minimumCapacity: messages.count)
        for (index, message) in messages.enumerated() {
            let identifier = Self.identifier(message)
            guard indices.updateValue(index, forKey: identifier) == nil else {
                throw Failure.treeNode("\(identifier)", "appears twice")
            }
        }
        var isChild = [Bool](repeating: false, count: nodes.count)
        func child(_ message: Message, _ field: String) throws -> Int {
            let identifier = Self.identifier(message, field)
            guard let index = indices[identifier] else {
                throw Failure.treeNode("\(Self.identifier(message))", "has a child, \(identifier), that does not exist")
            }
            guard !isChild[index] else { throw Failure.treeNode("\(identifier)", "has two parents") }
            isChild[index] = true
            return index
        }
        for (index, message) in messages.enumerated() where nodes[index].behavior != .leaf {
            nodes[index].whenTrue = try child(message, "trueChildNodeId")
            nodes[index].whenFalse = try child(message, "falseChildNodeId")
        }
        roots = nodes.indices.filter { !isChild[$0] }
        let trees = roots.map { messages[$0].treeId as Int }
        guard !roots.isEmpty, Set(trees).count == trees.count else {
            throw Failure.treeRoots(trees: Set(messages.map { $0.treeId as Int }).count, roots: roots.count)
        }
        try requireNoCycles(messages)
    }

    /// Every node has at most one parent, so nodes that cannot be reached from a root are in a cycle, or below one.
    private func requireNoCycles(_ messages: [Message]) throws {
        var isReached = [Bool](repeating: false, count: nodes.count)
        var waiting = roots
        while let index = waiting.popLast() {
            isReached[index] = true
            guard nodes[index].behavior != .leaf else { continue }
            waiting += [nodes[index].whenTrue, nodes[index].whenFalse]
        }
        if let index = isReached.firstIndex(of: false) {
            throw Failure.treeNode("\(Self.identifier(messages[index]))", "is in a cycle")
        }
    }

    /// The base values plus those of each tree's leaf.
    func values(_ vector: [Double]) -> [Double] {
        var sums = base
        for root in roots {
            var node = nodes[root]
            while node.behavior != .leaf {
                let value = vector[node.feature]
                let rounded = roundsFeatures ? Double(Float(value)) : value
                node = nodes[node.isTrue(rounded) ? node.whenTrue : node.whenFalse]
            }
            for addition in additions[node.additions] { sums[addition.dimension] += addition.value }
        }
        return sums
    }
}

/// A tree ensemble that predicts numbers.
struct TreeRegressor: VectorRegressor {
    private let trees: TreeEnsemble
    private let transform: @Sendable ([Double]) -> [Double]

    init(_ source: StageSource) throws {
        trees = try TreeEnsemble(source)
        switch source.parameters.postEvaluationTransform as String {
        case "NoTransform": transform = { $0 }
        case "Regression_Logistic": transform = { $0.map(logistic) }
        case "Classification_SoftMax": transform = normalizedExponentials
        case let other: throw Failure.unknownChoice("transform of a regressor", other)
        }
    }

    var widths: ClosedRange<Int> { trees.width...Int.max }
    var outputCount: Int { trees.dimensions }

    func values(_ vector: [Double]) -> [Double] { transform(trees.values(vector)) }
}

/// A tree ensemble that predicts classes.
struct TreeClassifier: VectorClassifier {
    private enum Transform: String {
        case none = "NoTransform"
        case softmax = "Classification_SoftMax"
        case logistic = "Regression_Logistic"
        case softmaxWithZeroClass = "Classification_SoftMaxWithZeroClassReference"
    }

    private let trees: TreeEnsemble
    private let transform: Transform

    init(_ source: StageSource) throws {
        trees = try TreeEnsemble(source)
        let transform: String = source.parameters.postEvaluationTransform
        guard let transform = Transform(rawValue: transform) else {
            throw Failure.unknownChoice("transform", transform)
        }
        self.transform = transform
        // The softmax of a single value is always 1.
        guard trees.dimensions > 1 || transform != .softmax else {
            throw Failure.unknownChoice("transform of a single value", transform.rawValue)
        }
    }

    var widths: ClosedRange<Int> { trees.width...Int.max }
    var hasProbabilities: Bool { true }
    var acceptsMissing: Bool { true }

    /// A single value is that of the second of two classes.
    var classCount: Int {
        trees.dimensions == 1 || transform == .softmaxWithZeroClass ? trees.dimensions + 1 : trees.dimensions
    }

    /// The tolerance for a sum of rounded values.
    private static let rounding = 1e-9

    func scores(_ vector: [Double]) -> ClassScores {
        let values = trees.values(vector)
        switch transform {
        case .none where values.count == 1:
            // In a tie, the first class is the top label, as in scikit-learn.
            return ClassScores(
                top: values[0] > 0.5 + Self.rounding ? 1 : 0, probabilities: [1 - values[0], values[0]])
        case .none:
            // coremltools writes a random forest of several classes as the sum of its trees, not as their mean.
            let sum = values.reduce(0, +)
            return ClassScores(
                top: values.highest,
                probabilities: sum > 0 && values.allSatisfy { $0 >= 0 } ? values.map { $0 / sum } : values)
        case .logistic where values.count == 1:
            let second = logistic(values[0])
            return ClassScores(top: values[0] >= 0 ? 1 : 0, probabilities: [1 - second, second])
        case .logistic: return ClassScores(top: values.highest, probabilities: values.map(logistic))
        case .softmax: return ClassScores(top: values.highest, probabilities: normalizedExponentials(values))
        case .softmaxWithZeroClass:
            let all = [0] + values
            return ClassScores(top: all.highest, probabilities: normalizedExponentials(all))
        }
    }
}
