/// Finds the outputs of a graph: the nodes that depend on the input, and that are read only for training, evaluating,
/// saving or reporting, or not at all.
///
/// In a graph for training or evaluation, the output is the tensor before the loss, the accuracy or the ArgMax.
/// Operations and shapes decide; of names, only the scopes of gradients and assertions.
struct OutputSearch {
    private let topology: TopologicalGraph

    private var graph: GraphIndex { topology.index }
    private var order: [Int] { topology.order }
    private var sources: [[Int]] { topology.sources }
    private var data: [[GraphIndex.Reference]] { graph.data }
    private var consumers: [[Int]] { graph.consumers }
    private var nodes: [NodeDefinition] { graph.nodes }

    init(_ topology: TopologicalGraph) { self.topology = topology }

    /// - Parameter groundTruthInputs: Inputs with which results are only compared.
    func outputs(_ groundTruthInputs: Set<GraphIndex.Reference>) -> [String] {
        var forward = Forward(self, groundTruthInputs)
        // A graph of constants has outputs too.
        if !forward.dependsOnInput.contains(true) {
            forward.dependsOnInput = nodes.map { !$0.has(.source) }
        }
        let isTrained = !groundTruthInputs.isEmpty || graph.contains(.optimizer)
        var (found, isCompared) = unread(forward, isTrained: isTrained)
        if found.isEmpty { (found, isCompared) = unread(forward, isTrained: false) }
        // Assertions have conditions of their own, and results may be checked too.
        let isChecked = checked()
        prefer(&found) { !nodes[$0].has(.check) && !isChecked[$0] }
        var candidates = found.map { beforeChoice($0, isTrained: isTrained) }.unique
        prefer(&candidates) { forward.isPastLayer[$0] }
        prefer(&candidates) { !forward.isTotal[$0] }
        prefer(&candidates) { !nodes[$0].has(.choice) }
        // Logits are not an output in addition to their softmax.
        let equivalents = Set(candidates.flatMap { candidate in chain(candidate).filter { $0 != candidate } })
        candidates = candidates.filter { !equivalents.contains($0) }
        if candidates.count > 1 { prefer(&candidates) { chain($0).contains { isCompared[$0] } } }
        return candidates.map { nodes[$0].name }
    }

    /// Keeps those for which the condition is true, if there are any.
    private func prefer(_ indices: inout [Int], where isBetter: (Int) -> Bool) {
        let better = indices.filter(isBetter)
        if !better.isEmpty { indices = better }
    }

    // MARK: Dependencies

    /// Properties of each node that follow from its inputs.
    private struct Forward {
        /// Whether it only trains, evaluates, saves or reports, or depends on a node that does.
        var isLeftover: [Bool]
        var dependsOnInput: [Bool]
        /// Whether it depends on a layer with weights.
        var isPastLayer: [Bool]
        /// Whether it is a mean or a sum over a batch, or arithmetic on such.
        var isTotal: [Bool]
        /// Whether it depends on an input with which results are only compared.
        var dependsOnTruth: [Bool]
        /// Whether it depends on a result that is compared with such an input directly.
        var isPastCompared: [Bool]
        /// Whether it is the error of an image's reconstruction, or depends on one.
        var isError: [Bool]

        init(_ search: OutputSearch, _ groundTruthInputs: Set<GraphIndex.Reference>) {
            let nodes = search.nodes
            let none = [Bool](repeating: false, count: nodes.count)
            (isLeftover, dependsOnInput, isPastLayer, isTotal) = (none, none, none, none)
            (dependsOnTruth, isPastCompared, isError) = (none, none, none)
            // In a loop, a node may read one that follows it: each loop behind another needs another pass.
            let loops = search.order.count { nodes[$0].has(.iteration) }
            for index in repeatElement(search.order, count: 1 + min(loops, 8)).joined() {
                let node = nodes[index]
                let read = search.sources[index]
                dependsOnTruth[index] =
                    search.data[index].contains(where: groundTruthInputs.contains)
                    || read.contains { dependsOnTruth[$0] }
                isLeftover[index] = node.onlyTrains || dependsOnTruth[index] || read.contains { isLeftover[$0] }
                // A file name has a default; audio and text to be decoded have none. Booleans are not inputs.
                let isFileName = node.has(.defaultPlaceholder) && node.dataType == .string
                dependsOnInput[index] =
                    (node.has(.anyPlaceholder) && !isFileName && node.dataType != .bool)
                    || node.has([.decoder, .iterator])
                    || (!node.has(.size) && read.contains { dependsOnInput[$0] })
                isPastLayer[index] = node.has(.layer) || read.contains { isPastLayer[$0] }
                let values = read.filter { dependsOnInput[$0] }
                isTotal[index] =
                    search.graph.reducesBatch(node)
                    || (node.has(.totalArithmetic) && !values.isEmpty
                        && values.allSatisfy { isTotal[$0] })
                isError[index] =
                    read.contains { isError[$0] } && !node.has(.layer)
                    || search.isError(node, values, isPastLayer)
            }
            guard !groundTruthInputs.isEmpty else { return }
            let hasLayers = isPastLayer.contains(true)
            for index in search.order {
                isPastCompared[index] =
                    !search.nodes[index].has(.layer)
                    && search.sources[index].contains { source in
                        isPastCompared[source]
                            || dependsOnInput[source] && (isPastLayer[source] || !hasLayers) && !isLeftover[source]
                                && !search.comparisons(of: source, self).isEmpty
                    }
            }
        }
    }

    /// The nodes without relevant consumers, and for each node whether a comparison reads it, directly or through steps
    /// that serve only the comparison.
    /// - Parameter isTrained: Whether this is a training graph, in which totals over a batch are losses and statistics. In
    ///   others, totals that only summaries read are statistics.
    private func unread(_ forward: Forward, isTrained: Bool) -> (nodes: [Int], isCompared: [Bool]) {
        let none = [Bool](repeating: false, count: nodes.count)
        var (isLeftover, isRead, isCompared, isKept) = (forward.isLeftover, none, none, none)
        for index in order.reversed() {
            let node = nodes[index]
            // Reading the size does not use the value.
            if node.has(.size) { continue }
            // Values that only update variables, such as moving averages, are not outputs.
            let updates =
                node.has(.update) || (isKept[index] && !isRead[index] && !isCompared[index])
            let servesComparison =
                !isRead[index]
                && ((isCompared[index] && isStepOfComparison(index, forward))
                    || ((isTrained || isCompared[index]) && forward.isTotal[index] && !isEnsemble(index, forward)))
            let counts = !isLeftover[index] && !updates && !servesComparison
            for input in node.inputs {
                guard let source = graph.nodeIndices[GraphIndex.Reference(input).node] else { continue }
                if counts {
                    isRead[source] = true
                } else if updates {
                    isKept[source] = true
                } else {
                    isCompared[source] = true
                }
            }
            if !counts { isLeftover[index] = true }
        }
        let found = nodes.indices.filter {
            !isRead[$0] && !isLeftover[$0] && forward.dependsOnInput[$0] && !isSource($0, forward)
                && !nodes[$0].isText
        }
        return (found, isCompared)
    }

    private func isSource(_ index: Int, _ forward: Forward) -> Bool {
        nodes[index].has(.source)
            || (nodes[index].has(.defaultPlaceholder) && !sources[index].contains { forward.dependsOnInput[$0] })
    }

    /// Whether a total is the mean of several results, stacked, and is compared with a truth itself.
    private func isEnsemble(_ index: Int, _ forward: Forward) -> Bool {
        sources[index].contains { nodes[$0].has(.pack) } && !comparisons(of: index, forward).isEmpty
    }

    /// The nodes that compare a value with a truth.
    private func comparisons(of index: Int, _ forward: Forward) -> [Int] {
        consumers[index].filter { consumer in
            // Gradients and optimizers depend on truths too, but compare nothing.
            forward.dependsOnTruth[consumer] && !nodes[consumer].has([.size, .optimizer, .update])
                && !nodes[consumer].isInTrainingScope
        }
    }

    /// Whether a node computes the error of a reconstruction of an input: their difference, or a cross entropy.
    private func isError(_ node: NodeDefinition, _ values: [Int], _ isPastLayer: [Bool]) -> Bool {
        let results = values.filter { isPastLayer[$0] }
        guard values.count == 2, results.count == 1 else { return false }
        return node.has(.difference) || node.has(.squaredDifference)
            || node.has(.product) && nodes[results[0]].has(.logarithm)
    }

    /// Whether a node that only a comparison reads is a part of that comparison.
    private func isStepOfComparison(_ index: Int, _ forward: Forward) -> Bool {
        let node = nodes[index]
        // Metrics of a part, or of a sum.
        if node.has([.part, .summation, .mean]), forward.isPastCompared[index] { return true }
        // Statistics, such as the fraction of zeros, count values; `tf.nn.zero_fraction` does so in a branch of a conditional.
        if node.has([.correctnessTest, .switching]) { return true }
        if mayServeComparison(index, forward) {
            // What is compared with a truth is the result, unless it is a logarithm, or computed from another such value.
            let comparisons = comparisons(of: index, forward)
            return comparisons.isEmpty || forward.isPastCompared[index]
                || node.has(.logarithm) && comparisons.allSatisfy { comparesLogarithms($0) }
        }
        // Another name for a value that has other consumers too.
        if node.has(.identity), node.has(.equivalentPrediction) {
            return sources[index].first.map { consumers[$0].count > 1 } ?? false
        }
        // Losses take flat values.
        return node.has(.reshape) && consumers[index].allSatisfy { nodes[$0].onlyTrains }
    }

    /// Whether a node with the truth takes a logarithm: it multiplies it, or subtracts other logarithms.
    private func comparesLogarithms(_ index: Int) -> Bool {
        nodes[index].has(.product)
            || nodes[index].has([.difference, .squaredDifference])
                && sources[index].allSatisfy { nodes[$0].has(.logarithm) }
    }

    /// Whether a node computes something that losses and metrics compute from results.
    private func mayServeComparison(_ index: Int, _ forward: Forward) -> Bool {
        let node = nodes[index]
        if node.has(.comparison) || forward.isError[index] { return true }
        guard node.data.count == 2 else { return false }
        let (first, second) = (graph.producer(of: node.data[0]), graph.producer(of: node.data[1]))
        // The probability of the opposite.
        if node.has(.difference), first?.has(.constant) ?? false { return true }
        // A small constant that keeps logarithms finite.
        if node.has(.sum) {
            return [first, second].contains { $0.map { $0.has(.constant) && $0.isSmallNumber } ?? false }
        }
        // Probabilities normalized to a sum of 1.
        if node.has(.quotient) {
            return second?.has(.summation) ?? false && second?.data.first == node.data[0]
        }
        if node.has(.summation) {
            return consumers[index].allSatisfy { consumer in
                nodes[consumer].has(.quotient) && nodes[consumer].data.first == node.data[0]
            }
        }
        return false
    }

    /// For each node, whether it is read only by assertions or through control dependencies.
    private func checked() -> [Bool] {
        var isChecked = [Bool](repeating: false, count: nodes.count)
        var isUsed = isChecked
        for index in order.reversed() {
            let node = nodes[index]
            let isCheck = (isChecked[index] && !isUsed[index]) || node.has([.assertion, .barrier])
            for input in node.inputs {
                guard let source = graph.nodeIndices[GraphIndex.Reference(input).node] else { continue }
                if isCheck || input.hasPrefix("^") { isChecked[source] = true } else { isUsed[source] = true }
            }
        }
        return nodes.indices.map { isChecked[$0] && !isUsed[$0] }
    }

    // MARK: Results

    /// A node, and the results that it expresses in another form.
    private func chain(_ index: Int) -> [Int] {
        var chain = [index]
        while let last = chain.last, nodes[last].has(.equivalentPrediction), let next = sources[last].first,
            chain.count < 16
        {
            chain.append(next)
        }
        return chain
    }

    /// The node before an ArgMax over a vector; a map of classes is a result itself. So is a top k, unless this is a
    /// training graph.
    private func beforeChoice(_ index: Int, isTrained: Bool) -> Int {
        let choice = chain(index).first { nodes[$0].has(.choice) && (isTrained || nodes[$0].has(.argMax)) }
        guard let choice, nodes[choice].data.count == 2,
            let front = sources[choice].first, data[choice][0].output == 0, !isMap(front),
            // A graph that consists of an ArgMax has no scores.
            !nodes[front].has(.source)
        else { return index }
        return front
    }

    /// Whether a value has height and width.
    private func isMap(_ index: Int) -> Bool {
        var index = index
        for _ in 0..<16 {
            let keepsShape = nodes[index].traits.axes == .kept || nodes[index].has(.affine)
            guard keepsShape, let next = sources[index].first else { break }
            index = next
        }
        return nodes[index].has(.map)
    }
}

extension NodeDefinition {
    /// Whether the value is a string, as in the nodes that save a graph.
    fileprivate var isText: Bool { type("T") == .string || dataType == .string }

    /// Whether a constant is a scalar near zero.
    fileprivate var isSmallNumber: Bool {
        guard let constant, constant.elementCount == 1 else { return false }
        return constant.withElements { abs($0[0]) } < 1e-3
    }
}
