/// How to convert batch normalization that was exported in training mode.
public enum BatchNormMode: String, CaseIterable, Sendable {
    /// Keep the graph's computation: the statistics of the current batch.
    case graph
    /// Use the moving averages that the graph still updates, as at inference.
    case inference
}

/// Batch normalization in training mode: it normalizes by the mean and variance of the current batch, whereas inference
/// uses the moving averages of training.
///
/// TensorFlow writes it as FusedBatchNorm with `is_training`, or as `tf.nn.moments` over axes that include the batch.
/// If the graph also updates the moving averages, the update names their variables.
struct TrainingNormalization {
    /// One layer, by the nodes that compute its statistics.
    private struct Layer {
        /// The node that computes the mean, and for a fused layer everything.
        var name: String
        /// The node that computes the variance; nil for a fused layer.
        var variance: String?
        /// The shape of the averages that replace the statistics; nil for one axis.
        var shape: (axes: [Int], keepsAxes: Bool)?
        /// The constants that hold the moving averages.
        var averages: (mean: String?, variance: String?)

        var hasAverages: Bool { averages.mean != nil && averages.variance != nil }
    }

    private let graph: GraphIndex
    private var layers: [Layer] = []

    /// - Parameter outputs: The nodes that must depend on the layers.
    init(_ graph: GraphIndex, neededBy outputs: [String]) throws {
        self.graph = graph
        guard graph.contains([.batchNormalization, .squaredDifference]) else { return }
        var constants = GraphConstants(graph)
        layers = try graph.nodes(neededBy: outputs).compactMap { layer($0, &constants) }
        if !layers.isEmpty { findAverages() }
        // A fused layer without them may be a layer normalization, as written by Keras; in training mode it is refused.
        layers.removeAll { $0.variance == nil && !$0.hasAverages }
    }

    // MARK: Finding layers

    private func layer(_ node: NodeDefinition, _ constants: inout GraphConstants) -> Layer? {
        if node.has(.batchNormalization) { return node.isInTrainingMode ? Layer(name: node.name) : nil }
        // A variance: the mean of squared differences from another mean along the same axes.
        guard node.has(.mean), node.data.count == 2, let squares = graph.source(of: node.data[0]),
            squares.has(.squaredDifference), squares.data.count == 2, let axes = batchAxes(node, &constants)
        else { return nil }
        for (value, center) in [(0, 1), (1, 0)] {
            guard let mean = graph.source(of: squares.data[center]), mean.has(.mean), mean.data.count == 2,
                graph.origin(of: mean.data[0]) == graph.origin(of: squares.data[value]),
                batchAxes(mean, &constants) == axes
            else { continue }
            return Layer(name: mean.name, variance: node.name, shape: (axes, keepsAxes: node.flag("keep_dims")))
        }
        return nil
    }

    /// The axes of a reduction that includes the batch, ascending; nil for others, and if axes count from the end.
    private func batchAxes(_ node: NodeDefinition, _ constants: inout GraphConstants) -> [Int]? {
        guard let axes = constants.integers(node.data[1])?.sorted(), axes.first == 0 else { return nil }
        return axes
    }

    // MARK: Moving averages

    private mutating func findAverages() {
        var statistics: [GraphIndex.Reference: (layer: Int, isMean: Bool)] = [:]
        for (index, layer) in layers.enumerated() {
            if let variance = layer.variance {
                statistics[GraphIndex.Reference(layer.name)] = (index, true)
                statistics[GraphIndex.Reference(variance)] = (index, false)
            } else {
                statistics[GraphIndex.Reference(layer.name + ":1")] = (index, true)
                statistics[GraphIndex.Reference(layer.name + ":2")] = (index, false)
            }
        }
        for (node, found) in Self.updates(in: graph, by: { statistics[$0] }) {
            guard let updated = graph.source(of: node.data[0]), updated.has(.constant),
                let variable = withoutBias(updated, updatedBy: node)
            else { continue }
            if found.isMean {
                layers[found.layer].averages.mean = variable.name
            } else {
                layers[found.layer].averages.variance = variable.name
            }
        }
    }

    /// The variable to use for an updated one, which may be biased.
    private func withoutBias(_ variable: NodeDefinition, updatedBy update: NodeDefinition) -> NodeDefinition? {
        guard Self.isBiased(variable.name) else { return variable }
        return Self.unbiasedUpdate(after: update, in: graph).flatMap { graph.source(of: $0.data[0]) }
            .flatMap { $0.has(.constant) ? $0 : nil }
    }

    /// Whether a variable is an average with a bias towards its initial 0, from which `assign_moving_average` computes another one
    /// without (tensorflow/python/training/moving_averages.py, `zero_debias`).
    private static func isBiased(_ variable: String) -> Bool { variable.hasSuffix("/biased") }

    /// The update of the variable without bias after that of the biased one; nil after any other.
    private static func unbiasedUpdate(after update: NodeDefinition, in graph: GraphIndex) -> NodeDefinition? {
        guard let variable = graph.origin(of: update.data[0])?.node, isBiased(variable) else { return nil }
        return graph.nodes.first { node in
            guard node.has(.update), node.data.count >= 2, node.name != update.name else { return false }
            // The new value is a quotient of the biased average and a number.
            let quotient = graph.source(of: node.data[1])
            let dividend = quotient?.data.first.flatMap { graph.origin(of: $0)?.node }
            return dividend == update.name || dividend == variable
        }
    }

    /// The updates of variables that are computed from a statistic, each with that statistic.
    private static func updates<Statistic>(
        in graph: GraphIndex, by statistic: (GraphIndex.Reference) -> Statistic?
    ) -> [(node: NodeDefinition, statistic: Statistic)] {
        graph.nodes.compactMap { node in
            guard node.has(.update), node.data.count >= 2 else { return nil }
            var pending = [GraphIndex.Reference(node.data[1])]
            var seen: Set<GraphIndex.Reference> = []
            while let next = pending.popLast(), seen.count < 64 {
                if let found = statistic(next) { return (node, found) }
                guard seen.insert(next).inserted, let source = graph.node(next.node), source.has(.averaging)
                else { continue }
                pending += source.data.map { GraphIndex.Reference($0) }
            }
            return nil
        }
    }

    /// The updates of variables from the results of these nodes, on which no output depends.
    static func updates(in graph: GraphIndex, by order: [Int]) -> [String] {
        let statistics = Set(
            order.map { graph.nodes[$0] }.filter { $0.has([.batchNormalization, .mean]) }.map(\.name))
        guard !statistics.isEmpty else { return [] }
        let found = updates(in: graph) { statistics.contains($0.node) ? true : nil }.map(\.node)
        return (found + found.compactMap { unbiasedUpdate(after: $0, in: graph) }).map(\.name)
    }

    // MARK: Replacement

    /// The graph with the moving averages instead of the batch's statistics.
    /// - Throws: `Failure` naming a layer whose averages are not in the graph.
    func replaced() throws -> GraphIndex {
        var result = graph
        func replace(_ node: NodeDefinition) { result.replace(result.nodeIndices[node.name]!, by: node) }
        for layer in layers {
            guard let mean = layer.averages.mean, let variance = layer.averages.variance else {
                throw Failure.noNormalizationAverages(layer.name)
            }
            if let node = layer.variance {
                replace(try average(mean, layer, named: layer.name))
                replace(try average(variance, layer, named: node))
            } else {
                var node = graph.node(layer.name)!
                guard node.data.count >= 3 else { continue }
                node.inputs = node.data.prefix(3) + [mean, variance]
                node.attributes["is_training"] = .bool(false)
                replace(node)
            }
        }
        return result
    }

    /// A moving average in the shape of the statistic that it replaces.
    private func average(_ variable: String, _ layer: Layer, named name: String) throws -> NodeDefinition {
        guard let tensor = graph.node(variable)?.constant, tensor.shape.rank == 1,
            let (axes, keepsAxes) = layer.shape
        else { throw Failure.noNormalizationAverages(layer.name) }
        var shape = tensor.shape
        if keepsAxes {
            shape = Shape((0...axes.count).map { axes.contains($0) ? 1 : tensor.elementCount })
            guard shape.elementCount == tensor.elementCount else { throw Failure.noNormalizationAverages(layer.name) }
        }
        return .constant(name, tensor.reshaped(shape))
    }

    /// The note on the replacement.
    var replacementNote: Note {
        layers.isEmpty ? .noTrainingMode() : .movingAveragesUsed(layers.map(\.name))
    }

    /// The warning about a model that keeps the graph's computation; nil without such layers.
    ///
    /// - Parameter isBatch: Whether the first axis of a node's input is the batch axis.
    func warning(isBatch: (_ input: String) -> Bool) -> Note? {
        let found = layers.filter { $0.variance != nil && isBatch(graph.node($0.name)!.data[0]) }
        guard !found.isEmpty else { return nil }
        return .trainingMode(found.map(\.name), hasAverages: found.allSatisfy(\.hasAverages))
    }
}

extension Note {
    fileprivate static func noTrainingMode() -> Note {
        Note(
            .movingAverages,
            "no batch normalization is in training mode, so \(option: .batchNorm) inference changes nothing")
    }

    fileprivate static func movingAveragesUsed(_ layers: [String]) -> Note {
        Note(
            .movingAverages,
            "the batch normalization at \(Failure.listed(layers, atMost: 3)) uses its moving averages, as at inference")
    }

    fileprivate static func trainingMode(_ layers: [String], hasAverages: Bool) -> Note {
        let advice: Phrase =
            hasAverages
            ? ", or use the moving averages that the file still has, with \(option: .batchNorm) inference" : ""
        return Note(
            .trainingMode,
            "batch normalization in training mode at \(Failure.listed(layers, atMost: 3)): every image is normalized by its own "
                + "mean and variance, not by those of training, so results differ from the trained network's; export "
                + "the model with training=False\(advice)")
    }
}

extension NodeDefinition {
    /// Whether it is a fused batch normalization that uses the statistics of the batch.
    var isInTrainingMode: Bool {
        if case .bool(false)? = attributes["is_training"] { return false }
        return has(.batchNormalization)
    }
}

extension Failure {
    static func noNormalizationAverages(_ node: String) -> Failure {
        Failure(
            .missingVariables, "the moving averages of the batch normalization '\(node)' are not in the graph",
            remedy: "export the model with training=False")
    }
}
