/// Finds the inputs that a network's predictions are only compared with: labels, target images, sample weights.
struct GroundTruthSearch {
    private let topology: TopologicalGraph

    private typealias Reference = GraphIndex.Reference
    private var graph: GraphIndex { topology.index }
    private var order: [Int] { topology.order }
    private var sources: [[Int]] { topology.sources }
    private var nodes: [NodeDefinition] { graph.nodes }
    private var data: [[Reference]] { graph.data }

    /// If there are more inputs than this, they are examined only together.
    private static let maximumInputs = 64

    init(_ topology: TopologicalGraph) { self.topology = topology }

    /// - Parameter arrayInputs: Placeholders whose arrays the caller supplies; these are not ground truth.
    func groundTruthInputs(arrayInputs: Set<String>) -> Set<GraphIndex.Reference> {
        let inputs = inputs()
        guard inputs.count > 1 else { return [] }
        let images = images(inputs)
        let isPrediction = predictions(from: images.contains)
        let others = Set(
            inputs.filter {
                !images.contains($0) && !arrayInputs.contains($0.node) && !takesPart($0, in: isPrediction)
            })
        guard !images.isEmpty, !others.isEmpty else { return [] }
        let dependsOnImage = topology.reached(from: images.contains)
        if areOnlyCompared(others, in: dependsOnImage) { return others }
        return others.count > GroundTruthSearch.maximumInputs
            ? [] : others.filter { areOnlyCompared([$0], in: dependsOnImage) }
    }

    /// For each node, whether it depends on certain inputs, apart from training.
    private func predictions(from isInput: (Reference) -> Bool) -> [Bool] {
        topology.reached(from: isInput) { !$0.onlyTrains }
    }

    /// The placeholders that are not switches, and the outputs of data sets and queues.
    private func inputs() -> [GraphIndex.Reference] {
        let sourceNames = Set(nodes.lazy.filter { $0.has(.iterator) }.map(\.name))
        var inputs: [Reference] = []
        var seen: Set<Reference> = []
        for index in order {
            let node = nodes[index]
            // Imported graphs leave placeholders behind that nothing reads.
            if node.has(.placeholder), !node.isBooleanPlaceholder, !graph.consumers[index].isEmpty {
                inputs.append(Reference(node.name))
            }
            for reference in data[index] where sourceNames.contains(reference.node) && seen.insert(reference).inserted {
                inputs.append(reference)
            }
        }
        return inputs
    }

    // MARK: The network's inputs

    /// The inputs on which most layers depend; without layers, the input that has the shape of an image.
    private func images(_ inputs: [Reference]) -> Set<GraphIndex.Reference> {
        if inputs.count <= GroundTruthSearch.maximumInputs {
            let counts = inputs.map(layerCount)
            if let most = counts.max(), most > 0 { return Set(zip(inputs, counts).filter { $1 == most }.map(\.0)) }
        }
        let images = inputs.filter { input in
            guard let node = graph.node(input.node), let shape = node.declaredShape(input.output) else { return false }
            return shape.count >= 3 && node.dataType != .int32 && node.dataType != .int64
        }
        return images.count == 1 ? Set(images) : []
    }

    /// How many layers with weights depend on an input, not counting those that only training needs.
    private func layerCount(_ input: Reference) -> Int {
        zip(nodes, predictions { $0 == input }).count { node, depends in depends && node.has(.layer) }
    }

    // MARK: Consumers of the other inputs

    /// Whether an input takes part in the prediction, like a dropout rate or the size of a batch: a layer depends on it and on
    /// the images. Images never do, because a discriminator, which has layers too, compares them with the results.
    ///
    /// - Parameter isPrediction: For each node, whether it depends on the images, apart from training.
    private func takesPart(_ input: Reference, in isPrediction: [Bool]) -> Bool {
        if let shape = graph.node(input.node)?.declaredShape(input.output), shape.count > 2 { return false }
        let dependsOnInput = predictions { $0 == input }
        return nodes.indices.contains { dependsOnInput[$0] && isPrediction[$0] && nodes[$0].has(.layer) }
    }

    /// Whether everything computed from both the images and these inputs only trains or evaluates.
    ///
    /// An evaluation tests whether two values are equal, or is a mean or a sum. Words such as "loss" count only for a
    /// comparison without layers, or for a mean.
    ///
    /// - Parameter dependsOnImage: For each node, whether it depends on the images.
    private func areOnlyCompared(_ inputs: Set<Reference>, in dependsOnImage: [Bool]) -> Bool {
        let none = [Bool](repeating: false, count: nodes.count)
        var (dependsOnInputs, isPastLayer) = (none, none)
        var (isComparison, isTotal, isRead) = (none, none, none)
        for index in order {
            let node = nodes[index]
            let read = sources[index]
            for source in read { isRead[source] = true }
            let derived = read.filter { dependsOnInputs[$0] }
            dependsOnInputs[index] = data[index].contains(where: inputs.contains) || !derived.isEmpty
            guard dependsOnInputs[index] else { continue }
            isPastLayer[index] = node.has(.layer) || derived.contains { isPastLayer[$0] }
            let isNamed = node.isNamedForTraining
            isComparison[index] =
                node.onlyTrains || (!isPastLayer[index] && isNamed)
                || node.has(.correctnessTest) || derived.contains { isComparison[$0] }
                || (!isPastLayer[index] && isLogisticLoss(index) { dependsOnInputs[$0] })
            isTotal[index] =
                (node.has(.total)
                    && (!isPastLayer[index] || isNamed || graph.reducesBatch(node)))
                || (node.has(.totalArithmetic) && !derived.isEmpty && derived.allSatisfy { isTotal[$0] })
        }
        return !nodes.indices.contains {
            dependsOnInputs[$0] && dependsOnImage[$0] && !isRead[$0] && !isComparison[$0] && !isTotal[$0]
        }
    }
}

extension GroundTruthSearch {
    /// Whether a node is the end of a spelled-out sigmoid cross entropy: x - x·t + log(1 + exp(-x)), with the truth t
    /// only in the first two terms.
    private func isLogisticLoss(_ index: Int, _ dependsOnTruth: (Int) -> Bool) -> Bool {
        guard nodes[index].has(.sum), sources[index].count == 2 else { return false }
        let (truths, others) = (sources[index].filter(dependsOnTruth), sources[index].filter { !dependsOnTruth($0) })
        guard truths.count == 1, others.count == 1, nodes[others[0]].has(.softplus) else { return false }
        let terms = truths + sources[truths[0]]
        return nodes[truths[0]].has([.difference, .product])
            && terms.contains { nodes[$0].has(.product) && dependsOnTruth($0) }
    }
}

extension NodeDefinition {
    /// Substrings of the names of nodes for training.
    private static let trainingWords = [
        "loss", "accuracy", "metrics", "entropy", "xent", "squared_error", "psnr", "ssim", "optimizer", "train_op",
    ]

    fileprivate var isNamedForTraining: Bool {
        let name = name.lowercased()
        return NodeDefinition.trainingWords.contains { name.contains($0) }
    }
}
