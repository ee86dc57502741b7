/// Finds the outputs of a graph: the nodes that depend on the input, and that nothing reads but to train, to judge, to save
/// or to report.
///
/// Where a graph is trained or judged, the answer is what stands in front of the loss, the accuracy or the choice of the
/// best class. Operations and shapes decide; names alone never do.
struct OutputSearch {
    private let survey: GraphSurvey
    private let order: [Int]
    /// Per node: what it reads, and the positions of the nodes that this comes from.
    private let data: [[GraphSurvey.Reference]]
    private let sources: [[Int]]
    /// Per node: the positions of the nodes that read it.
    private let readers: [[Int]]

    private var nodes: [NodeDefinition] { survey.nodes }

    init(_ survey: GraphSurvey) throws {
        self.survey = survey
        order = try survey.order(from: survey.nodes.map(\.name), stoppingAt: [])
        data = survey.nodes.map { $0.data.map { GraphSurvey.Reference($0) } }
        sources = data.map { $0.compactMap { survey.places[$0.node] } }
        var readers = [[Int]](repeating: [], count: survey.nodes.count)
        for (place, read) in sources.enumerated() { for source in read { readers[source].append(place) } }
        self.readers = readers
    }

    /// - Parameter truths: Inputs that answers are only compared with.
    func outputs(_ truths: Set<GraphSurvey.Reference>) -> [String] {
        var forward = Forward(self, truths)
        // A graph of constants gives numbers, too.
        if !forward.dependsOnInput.contains(true) {
            forward.dependsOnInput = nodes.map { !GraphSurvey.sources.contains($0.op) }
        }
        let isTrained = !truths.isEmpty || nodes.contains(where: \.changesWeights)
        var (found, isCompared) = unread(forward, isTrained: isTrained)
        if found.isEmpty { (found, isCompared) = unread(forward, isTrained: false) }
        // An assertion reads its condition from beside the answer; an answer may be checked, too.
        let isChecked = checked()
        prefer(&found) { nodes[$0].op != "CheckNumerics" && !isChecked[$0] }
        var answers: [Int] = []
        for place in found.map({ beforeChoice($0, isTrained: isTrained) }) where !answers.contains(place) {
            answers.append(place)
        }
        prefer(&answers) { forward.isPastLayer[$0] }
        prefer(&answers) { !forward.isTotal[$0] }
        prefer(&answers) { !GraphSurvey.choices.contains(nodes[$0].op) }
        // Logits are no answer of their own beside their softmax.
        answers = answers.filter { answer in !answers.contains { $0 != answer && chain($0).contains(answer) } }
        if answers.count > 1 { prefer(&answers) { chain($0).contains { isCompared[$0] } } }
        return answers.map { nodes[$0].name }
    }

    /// Keeps those for which the condition holds, if there are any.
    private func prefer(_ places: inout [Int], where isBetter: (Int) -> Bool) {
        let better = places.filter(isBetter)
        if !better.isEmpty { places = better }
    }

    // MARK: What depends on what

    /// What is known of each node from what it reads.
    private struct Forward {
        /// Whether it only trains, judges, saves or reports, or depends on what does.
        var isLeftover: [Bool]
        var dependsOnInput: [Bool]
        /// Whether it depends on a layer with weights.
        var isPastLayer: [Bool]
        /// Whether it is a mean or a sum over a batch, or arithmetic on such.
        var isTotal: [Bool]

        init(_ search: OutputSearch, _ truths: Set<GraphSurvey.Reference>) {
            let nodes = search.nodes
            let none = [Bool](repeating: false, count: nodes.count)
            (isLeftover, dependsOnInput, isPastLayer, isTotal) = (none, none, none, none)
            // What goes around a loop is known the second time.
            let hasLoops = search.order.contains { nodes[$0].op == "NextIteration" }
            for place in search.order + (hasLoops ? search.order : []) {
                let node = nodes[place]
                let read = search.sources[place]
                isLeftover[place] =
                    node.onlyTrains || read.contains { isLeftover[$0] }
                    || search.data[place].contains(where: truths.contains)
                // A file name has a default; sound and text to be decoded have none. A truth value is no input.
                let isFileName = node.op == "PlaceholderWithDefault" && node.dataType == .string
                dependsOnInput[place] =
                    (node.op.hasPrefix("Placeholder") && !isFileName && node.dataType != .bool)
                    || InputNode.sources.contains(node.op)
                    || (!GraphSurvey.sizeOperations.contains(node.op) && read.contains { dependsOnInput[$0] })
                isPastLayer[place] = node.isLayer || read.contains { isPastLayer[$0] }
                let values = read.filter { dependsOnInput[$0] }
                isTotal[place] =
                    search.survey.reducesBatch(node)
                    || (GraphSurvey.arithmetic.contains(node.op) && !values.isEmpty
                        && values.allSatisfy { isTotal[$0] })
            }
        }
    }

    /// The nodes that nothing reads that counts, and per node whether a judgement reads it, in itself or past what serves
    /// the comparison alone.
    /// - Parameter isTrained: Whether the graph is one of training, where totals over a batch are losses and statistics.
    private func unread(_ forward: Forward, isTrained: Bool) -> (nodes: [Int], isCompared: [Bool]) {
        let none = [Bool](repeating: false, count: nodes.count)
        var (isLeftover, isRead, isCompared, isKept) = (forward.isLeftover, none, none, none)
        for place in order.reversed() {
            let node = nodes[place]
            // A size says nothing of a value.
            if GraphSurvey.sizeOperations.contains(node.op) { continue }
            // What only changes variables is no output: the averages that training keeps.
            let updates =
                GraphSurvey.updates.contains(node.op) || (isKept[place] && !isRead[place] && !isCompared[place])
            let servesComparison =
                !isRead[place]
                && ((isCompared[place] && isStepOfComparison(place, forward))
                    || (isTrained && forward.isTotal[place]))
            let counts = !isLeftover[place] && !updates && !servesComparison
            for input in node.inputs {
                guard let source = survey.places[GraphSurvey.Reference(input).node] else { continue }
                if counts {
                    isRead[source] = true
                } else if updates {
                    isKept[source] = true
                } else {
                    isCompared[source] = true
                }
            }
            if !counts { isLeftover[place] = true }
        }
        let found = nodes.indices.filter {
            !isRead[$0] && !isLeftover[$0] && forward.dependsOnInput[$0] && !isSource($0, forward)
                && !nodes[$0].isText
        }
        return (found, isCompared)
    }

    private func isSource(_ place: Int, _ forward: Forward) -> Bool {
        GraphSurvey.sources.contains(nodes[place].op)
            || (nodes[place].op == "PlaceholderWithDefault" && !sources[place].contains { forward.dependsOnInput[$0] })
    }

    /// Whether a node that only a comparison reads is a part of that comparison.
    private func isStepOfComparison(_ place: Int, _ forward: Forward) -> Bool {
        let node = nodes[place]
        if GraphSurvey.comparisons.contains(node.op) { return true }
        // Another name for what others read, too.
        if node.op == "Identity" { return sources[place].first.map { readers[$0].count > 1 } ?? false }
        guard node.data.count == 2 else { return false }
        let (first, second) = (survey.node(node.data[0]), survey.node(node.data[1]))
        switch node.op {
        // The probability of the opposite, and what an image is off from one made of it.
        case "Sub" where first?.op == "Const": return true
        case "Sub", "SquaredDifference":
            let inputs = sources[place].filter { forward.dependsOnInput[$0] }
            return inputs.count == 2 && inputs.count { forward.isPastLayer[$0] } == 1
        // What keeps logarithms finite.
        case "Add", "AddV2": return [first, second].contains { $0?.op == "Const" && $0!.isSmallNumber }
        // Probabilities made to sum to 1.
        case "Div", "RealDiv": return second?.op == "Sum" && second?.data.first == node.data[0]
        case "Sum":
            return readers[place].allSatisfy { reader in
                ["Div", "RealDiv"].contains(nodes[reader].op) && nodes[reader].data.first == node.data[0]
            }
        // Losses take rows.
        case "Reshape":
            return readers[place].allSatisfy {
                nodes[$0].onlyTrains || nodes[$0].op.hasSuffix("SoftmaxCrossEntropyWithLogits")
            }
        default: return false
        }
    }

    /// Per node: whether only what ends in an assertion reads it, or what waits for it.
    private func checked() -> [Bool] {
        var isChecked = [Bool](repeating: false, count: nodes.count)
        var isUsed = isChecked
        for place in order.reversed() {
            let node = nodes[place]
            let isCheck = (isChecked[place] && !isUsed[place]) || node.op == "Assert" || node.op == "NoOp"
            for input in node.inputs {
                guard let source = survey.places[GraphSurvey.Reference(input).node] else { continue }
                if isCheck || input.hasPrefix("^") { isChecked[source] = true } else { isUsed[source] = true }
            }
        }
        return nodes.indices.map { isChecked[$0] && !isUsed[$0] }
    }

    // MARK: Answers

    /// Operations that say the same answer in another way.
    private static let wordings: Set<String> = [
        "Softmax", "LogSoftmax", "Sigmoid", "Identity", "Reshape", "Squeeze", "Cast", "ExpandDims",
    ]

    /// A node, and what it puts into other words.
    private func chain(_ place: Int) -> [Int] {
        var chain = [place]
        while let last = chain.last, OutputSearch.wordings.contains(nodes[last].op), let next = sources[last].first,
            chain.count < 16
        {
            chain.append(next)
        }
        return chain
    }

    /// The node whose largest number a node chooses, if these are the numbers of one row: a map of classes is an answer.
    /// The best few are one, too, unless the graph is one of training.
    private func beforeChoice(_ place: Int, isTrained: Bool) -> Int {
        let choices = isTrained ? GraphSurvey.choices : ["ArgMax"]
        guard let choice = chain(place).first(where: { choices.contains(nodes[$0].op) }), nodes[choice].data.count == 2,
            let front = sources[choice].first, data[choice][0].output == 0, !isMap(front),
            // A graph that only chooses has no scores of its own.
            !GraphSurvey.sources.contains(nodes[front].op)
        else { return place }
        return front
    }

    /// Operations between a layer and a choice that keep the shape.
    private static let keepers: Set<String> = [
        "Softmax", "LogSoftmax", "Sigmoid", "Identity", "Relu", "BiasAdd", "Add", "AddV2", "Mul", "RealDiv", "Sub",
        "Cast",
    ]

    /// Whether a value has height and width.
    private func isMap(_ place: Int) -> Bool {
        var place = place
        for _ in 0..<16 {
            guard OutputSearch.keepers.contains(nodes[place].op), let next = sources[place].first else { break }
            place = next
        }
        let op = nodes[place].op
        return op.hasPrefix("Conv") || op.hasPrefix("Resize") || op.hasPrefix("Depth") || op == "Transpose"
            || op.hasPrefix("FusedBatchNorm") || op.hasPrefix("Concat")
    }
}

extension NodeDefinition {
    /// Whether the value is text: of what saves a graph, for one.
    fileprivate var isText: Bool {
        for key in ["T", "dtype"] { if case .type(.string)? = attributes[key] { return true } }
        return false
    }

    /// Whether a constant is one number near zero.
    fileprivate var isSmallNumber: Bool {
        guard case .tensor(let tensor)? = attributes["value"], tensor.elementCount == 1 else { return false }
        return tensor.withElements { abs($0[0]) } < 1e-3
    }
}

extension GraphSurvey {
    fileprivate func node(_ input: String?) -> NodeDefinition? { input.flatMap { node(Reference($0).node) } }
}
