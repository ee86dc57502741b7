#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A function of a vector of numbers: the concatenated values of all inputs.
protocol VectorFunction: Sendable {
    /// The number of values that it takes.
    var widths: ClosedRange<Int> { get }
}

protocol VectorClassifier: VectorFunction {
    var classCount: Int { get }
    var hasProbabilities: Bool { get }
    /// Whether it accepts missing numbers, which are NaN. The scores of other classifiers would be NaN or arbitrary.
    var acceptsMissing: Bool { get }
    func scores(_ vector: [Double]) -> ClassScores
}

extension VectorClassifier {
    var acceptsMissing: Bool { false }
}

protocol VectorRegressor: VectorFunction {
    /// The number of values that it returns.
    var outputCount: Int { get }
    func values(_ vector: [Double]) -> [Double]
}

/// The result of a classifier.
struct ClassScores {
    /// The index of the top label.
    var top: Int
    /// The probability of each class; nil if the classifier has none.
    var probabilities: [Double]?
}

extension ClassScores {
    /// The top label is the class with the highest probability, or the first such class.
    init(_ probabilities: [Double]) { self.init(top: probabilities.highest, probabilities: probabilities) }
}

extension Array where Element: Comparable {
    /// The index of the largest element, or the first such index. NaN, which is not equal to itself, is the least.
    var highest: Int {
        indices.dropFirst().reduce(0) { best, index in
            let replacesNaN = self[best] != self[best] && self[index] == self[index]
            return self[index] > self[best] || replacesNaN ? index : best
        }
    }
}

extension VectorFunction {
    /// - Throws: `Failure` if it takes a different number of values.
    func check(_ count: Int) throws {
        guard widths.contains(count) else {
            throw Failure.vectorWidth(count, widths.lowerBound, isExact: widths.count == 1)
        }
    }

    /// The numbers of all inputs.
    func vector(_ inputs: [FeatureValue]) throws -> [Double] {
        let vector = inputs.flatMap { $0.numbers ?? [] }
        try check(vector.count)
        return vector
    }
}

/// A classifier as a stage: it returns the top label and, if the description has a dictionary, the probabilities.
struct ClassifierStage: Stage {
    private let classes: [FeatureKey]
    private let classifier: any VectorClassifier
    private let outputs: [PipelineFeature]

    init(_ source: StageSource, _ classifier: some VectorClassifier) throws {
        try self.init(source, classifier, labels: source.labels())
    }

    init(_ source: StageSource, _ classifier: any VectorClassifier, labels: [FeatureKey]) throws {
        (self.classifier, classes, outputs) = (classifier, labels, source.outputs)
        guard labels.count == classifier.classCount else {
            throw Failure.labelsAndClasses(labels.count, classifier.classCount)
        }
        if let width = try source.width() { try classifier.check(width) }
        guard outputs.contains(where: { $0.name == source.predictedFeature }) else {
            throw Failure.predictedMissing("label", source.predictedFeature, outputs.map(\.name))
        }
        let hasIntegers = labels.first?.isInteger == true
        for output in outputs {
            switch output.type {
            case .integer where hasIntegers && output.name == source.predictedFeature: break
            case .string where !hasIntegers && output.name == source.predictedFeature: break
            case .dictionary(hasIntegerKeys: hasIntegers):
                guard classifier.hasProbabilities else { throw Failure.noProbabilities(output.name) }
            default:
                throw Failure.stageFeature(
                    output.name, output.type, "the labels are \(hasIntegers ? "integers" : "strings")")
            }
        }
    }

    var labels: [FeatureKey]? { classes }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        let vector = try classifier.vector(inputs)
        guard classifier.acceptsMissing || !vector.contains(where: \.isNaN) else { throw Failure.missingNumber() }
        let scores = classifier.scores(vector)
        return outputs.map { output in
            guard case .dictionary = output.type else { return FeatureValue(classes[scores.top]) }
            return .dictionary(Array(zip(classes, scores.probabilities ?? [])).map { (key: $0, value: $1) })
        }
    }
}

extension StageSource {
    /// The labels of a classifier, each once.
    fileprivate func labels() throws -> [FeatureKey] {
        let labels = keys(strings: "stringClassLabels", integers: "int64ClassLabels")
        guard !labels.isEmpty else { throw Failure.classifierWithoutLabels() }
        if let duplicate = labels.firstRepeated { throw Failure.duplicateLabel(duplicate.description) }
        return labels
    }
}

/// A regressor as a stage.
struct RegressorStage: Stage {
    private let regressor: any VectorRegressor
    private let output: FeatureType

    init(_ source: StageSource, _ regressor: some VectorRegressor) throws {
        self.regressor = regressor
        if let width = try source.width() { try regressor.check(width) }
        guard source.outputs.count == 1 else { throw Failure.stageFeatures(source.inputs.count, source.outputs.count) }
        let feature = source.outputs[0]
        output = feature.type
        guard output.isNumeric, output.count ?? regressor.outputCount == regressor.outputCount else {
            throw Failure.stageFeature(feature.name, output, "the regressor has \(regressor.outputCount) values")
        }
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        [try output.value(regressor.values(try regressor.vector(inputs)))]
    }
}

// MARK: Functions

/// The logistic function, without overflow.
func logistic(_ x: Double) -> Double { x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)) }

/// The standard normal distribution function.
func normalDistribution(_ x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }

/// Exponentials normalized to the sum 1, without overflow.
func normalizedExponentials(_ values: [Double]) -> [Double] {
    let largest = values.max() ?? 0
    let exponentials = values.map { exp($0 - largest) }
    let sum = exponentials.reduce(0, +)
    return exponentials.map { $0 / sum }
}

func dotProduct(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
