#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How right a model is on photographs whose classes are known.
///
/// Outcomes are added one by one; all else is computed from them. An outcome takes 24 bytes; the scores of a label that does
/// not exclude others, 8 KB.
public struct Evaluation: Sendable {
    public let classCount: Int
    public private(set) var outcomes: [Outcome] = []

    /// What came of one photograph.
    public struct Outcome: Sendable {
        /// The class that it shows, and the one that the model gives the highest probability.
        public let truth: Int32
        public let prediction: Int32
        /// How many classes are more probable than the true one; all of them, where of that one no number tells.
        public let rank: Int32
        /// The probability of the predicted class, and of the true one.
        public let confidence: Float
        public let truthProbability: Float

        public var isRight: Bool { rank == 0 }
    }

    /// The scores of all labels, if the labels do not exclude each other.
    var scores: LabelScores?
    /// The sum of the photographs' logarithmic losses.
    private var loss = 0.0

    /// - Parameter labelsAreIndependent: Whether a photograph may show several of the labels, so that each has a threshold of
    ///   its own.
    public init(classCount: Int, labelsAreIndependent: Bool = false) {
        self.classCount = classCount
        if labelsAreIndependent { scores = LabelScores(labelCount: classCount) }
    }

    /// - Parameter others: Further labels of a photograph that shows several. The most probable of all is taken for the truth.
    public mutating func add(_ classification: Classification, truth: Int, others: [Int] = []) {
        loss +=
            scores?.add(classification.probabilities, truths: [truth] + others)
            ?? Self.loss(of: classification.probabilities[truth])
        let truth = others.reduce(truth) { best, other in
            classification.probabilities[other] > classification.probabilities[best] ? other : best
        }
        let best = classification.top(1)[0]
        // A number that is none comes last; of equals the one with the lower index comes first, as in `top`.
        let keys = classification.probabilities.map { $0.isNaN ? -.infinity : $0 }
        let own = keys[truth]
        let isKnown = !classification.probabilities[truth].isNaN
        let rank = isKnown ? keys.indices.count { keys[$0] > own || keys[$0] == own && $0 < truth } : classCount
        outcomes.append(
            Outcome(
                truth: Int32(truth), prediction: Int32(best.index), rank: Int32(rank),
                confidence: best.probability, truthProbability: classification.probabilities[truth]))
    }

    /// The photographs whose true class is among the `count` most probable ones.
    public func top(_ count: Int) -> Proportion {
        Proportion(outcomes.count { $0.rank < count }, of: outcomes.count)
    }

    /// The mean of the classes' F1, each counting the same; classes that no photograph shows and none is taken for do not count.
    public var macroF1: Double {
        let values = classes.map(\.f1).filter { !$0.isNaN }
        return values.reduce(0, +) / Double(values.count)
    }

    /// The mean of the negative logarithm of the true class's probability; if the labels do not exclude each other, of the
    /// mean over all labels of that of each label's presence or absence. Nil if the model's answers are no probabilities.
    public var logLoss: Double? {
        calibration == nil || outcomes.isEmpty ? nil : loss / Double(outcomes.count)
    }

    /// A probability of 0 would cost infinitely much; none counts as less than 1e-15.
    static func loss(of probability: Float) -> Double {
        guard !probability.isNaN else { return .nan }
        return -log(min(max(Double(probability), 1e-15), 1))
    }

    // MARK: Class by class

    public struct ClassResult: Sendable {
        public let index: Int
        /// Photographs that show it, those taken for it, and those of both.
        public let images: Int
        public let predicted: Int
        public let right: Int
        /// Of those taken for it, how many show it.
        public var precision: Proportion { Proportion(right, of: predicted) }
        /// Of those that show it, how many are taken for it.
        public var recall: Proportion { Proportion(right, of: images) }
        /// The harmonic mean of both.
        public var f1: Double { images + predicted == 0 ? .nan : 2 * Double(right) / Double(images + predicted) }
    }

    /// One result a class, also of those that no photograph shows.
    public var classes: [ClassResult] {
        var (images, predicted, right) = (
            [Int](repeating: 0, count: classCount), [Int](repeating: 0, count: classCount),
            [Int](repeating: 0, count: classCount)
        )
        for outcome in outcomes {
            images[Int(outcome.truth)] += 1
            predicted[Int(outcome.prediction)] += 1
            if outcome.isRight { right[Int(outcome.truth)] += 1 }
        }
        return (0..<classCount).map {
            ClassResult(index: $0, images: images[$0], predicted: predicted[$0], right: right[$0])
        }
    }

    /// A true class, a predicted one, and how often they came together.
    public struct Cell: Equatable, Sendable {
        public let truth: Int
        public let prediction: Int
        public let count: Int
    }

    /// The cells of the confusion matrix that are not empty, by truth and prediction.
    public var confusion: [Cell] {
        let keys = outcomes.map { Int($0.truth) * classCount + Int($0.prediction) }.sorted()
        var cells: [Cell] = []
        var start = 0
        for (place, key) in keys.enumerated() where place + 1 == keys.count || keys[place + 1] != key {
            cells.append(Cell(truth: key / classCount, prediction: key % classCount, count: place + 1 - start))
            start = place + 1
        }
        return cells
    }

    /// The pairs of different classes that are confused most often.
    public func worstConfusions(_ count: Int) -> [Cell] {
        Array(
            confusion.filter { $0.truth != $0.prediction }
                .sorted { ($1.count, $0.truth, $0.prediction) < ($0.count, $1.truth, $1.prediction) }.prefix(count))
    }

    /// For each class that is mistaken at all the pair with the class that it is most often taken for.
    public var mostFrequentConfusions: [Int: Cell] {
        Dictionary(worstConfusions(.max).map { ($0.truth, $0) }) { first, _ in first }
    }

    /// The places, in the order of adding, of the mistakes that the model was surest of.
    public func worstMistakes(_ count: Int) -> [Int] {
        // What is no number is not sure at all.
        func sureness(_ place: Int) -> Float { outcomes[place].confidence.isNaN ? 0 : outcomes[place].confidence }
        return Array(
            outcomes.indices.filter { !outcomes[$0].isRight }
                .sorted { (-sureness($0), $0) < (-sureness($1), $1) }.prefix(count))
    }

    // MARK: Calibration

    /// The photographs whose confidence lies in one range: how sure the model was of them, and how often it was right.
    public struct CalibrationBin: Sendable {
        public let range: ClosedRange<Double>
        public let images: Int
        public let meanConfidence: Double
        public let right: Proportion
    }

    /// Whether an answer lies between 0 and 1 but for rounding, or is no number at all, which has a warning of its own.
    public static func mayBeProbability(_ answer: Float) -> Bool { answer.isNaN || -1e-3...1.001 ~= answer }

    /// Whether the model is right as often as it claims to be.
    public struct Calibration: Sendable {
        public let bins: [CalibrationBin]
        /// The expected calibration error: the mean distance between confidence and accuracy, weighed by photographs.
        /// Source: Guo, Pleiss, Sun and Weinberger, ICML 2017, with their 15 bins of equal width.
        public let error: Double
        public let meanConfidence: Double
    }

    /// Nil where the model's answers are no probabilities: where some lie outside 0 to 1 by more than rounding, or are no
    /// numbers.
    public var calibration: Calibration? {
        guard outcomes.allSatisfy({ Evaluation.mayBeProbability($0.confidence) && !$0.confidence.isNaN }) else {
            return nil
        }
        let count = 15
        var (images, right, sums) = (
            [Int](repeating: 0, count: count), [Int](repeating: 0, count: count), [Double](repeating: 0, count: count)
        )
        for outcome in outcomes {
            let confidence = min(max(Double(outcome.confidence), 0), 1)
            let bin = min(max(Int((confidence * Double(count)).rounded(.up)) - 1, 0), count - 1)
            images[bin] += 1
            right[bin] += outcome.isRight ? 1 : 0
            sums[bin] += confidence
        }
        let width = 1 / Double(count)
        let bins = (0..<count).map { (bin: Int) -> CalibrationBin in
            let (start, end) = (Double(bin) * width, Double(bin + 1) * width)
            let mean: Double = images[bin] == 0 ? .nan : sums[bin] / Double(images[bin])
            return CalibrationBin(
                range: start...end, images: images[bin], meanConfidence: mean,
                right: Proportion(right[bin], of: images[bin]))
        }
        let total = Double(max(outcomes.count, 1))
        let error = zip(sums, right).reduce(0.0) { $0 + abs($1.0 - Double($1.1)) } / total
        return Calibration(bins: bins, error: error, meanConfidence: sums.reduce(0, +) / total)
    }
}
