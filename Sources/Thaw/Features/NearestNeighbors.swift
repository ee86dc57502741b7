/// Classifies by the labels of the nearest samples. Regardless of how the file indexes the samples, the result is
/// that of an exhaustive search.
struct NearestNeighbors: VectorClassifier {
    /// The labels, in order.
    let labels: [FeatureKey]
    /// The index of each sample's label.
    private let classes: [Int]
    private let samples: [[Double]]
    private let width: Int
    private let neighborCount: Int
    private let weighsByDistance: Bool
    /// The class that is returned if there are no samples.
    private let defaultClass: Int?

    init(_ source: StageSource) throws {
        let parameters = source.parameters
        let index: Message = parameters.nearestNeighborsIndex
        let width: Int = index.numberOfDimensions
        guard width > 0 else { throw Failure.parameterCount("dimensions", width, 1) }
        samples = try (index.floatSamples as [Message]).map { sample in
            let values: [Float] = sample.vector
            guard values.count == width else { throw Failure.parameterCount("values of a sample", values.count, width) }
            return values.map(Double.init)
        }
        self.width = width
        neighborCount = parameters.numberOfNeighbors.defaultValue
        guard neighborCount > 0 else { throw Failure.parameterCount("neighbors", neighborCount, 1) }
        weighsByDistance = parameters.has("inverseDistanceWeighting")
        let given = source.keys(strings: "stringClassLabels", integers: "int64ClassLabels")
        guard given.count == samples.count else {
            throw Failure.parameterCount("labels", given.count, samples.count)
        }
        let defaultLabel: FeatureKey? =
            parameters.has("defaultStringLabel")
            ? .string(parameters.defaultStringLabel)
            : parameters.has("defaultInt64Label") ? .integer(parameters.defaultInt64Label) : nil
        let labels = Set(given + (given.isEmpty ? [defaultLabel].compactMap { $0 } : [])).sorted()
        guard !labels.isEmpty else { throw Failure.classifierWithoutLabels() }
        let indices = Dictionary(uniqueKeysWithValues: zip(labels, labels.indices))
        classes = given.map { indices[$0]! }
        self.labels = labels
        self.defaultClass = defaultLabel.flatMap { indices[$0] }
    }

    var widths: ClosedRange<Int> { width...width }
    var classCount: Int { labels.count }
    var hasProbabilities: Bool { true }

    func scores(_ vector: [Double]) -> ClassScores {
        let distances = samples.map { sample in
            zip(sample, vector).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        }
        // Among samples at the same distance, the first counts as nearest.
        let nearest = distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.prefix(neighborCount)
        var votes = [Double](repeating: 0, count: labels.count)
        let hasEqual = nearest.contains { distances[$0] == 0 }
        for sample in nearest {
            let weight =
                !weighsByDistance ? 1 : hasEqual ? (distances[sample] == 0 ? 1 : 0) : 1 / distances[sample]
            votes[classes[sample]] += weight
        }
        let sum = votes.reduce(0, +)
        guard sum > 0 else { return ClassScores(top: defaultClass ?? 0, probabilities: votes) }
        return ClassScores(votes.map { $0 / sum })
    }
}

extension ClassifierStage {
    /// A nearest-neighbors model has a label for each sample.
    init(_ source: StageSource, _ classifier: NearestNeighbors) throws {
        try self.init(source, classifier, labels: classifier.labels)
    }
}
