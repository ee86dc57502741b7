/// A model's accuracy on photos whose classes are known.
///
/// Outcomes are added one by one; everything else is computed from them. An outcome takes 20 bytes. In a multi-label model,
/// each label takes another 8 KB.
public struct Evaluation: Sendable {
    /// The number of classes.
    public let classCount: Int
    /// One outcome per photo, in the order in which they were added.
    public private(set) var outcomes: [Outcome] = []

    /// The result for one photo.
    public struct Outcome: Sendable {
        /// The true class.
        public let truth: Int32
        /// The class with the highest probability.
        public let prediction: Int32
        /// The number of classes that are more probable than the true one; all of them if its probability is NaN.
        public let rank: Int32
        /// The probability of the predicted class.
        public let confidence: Float
        /// The probability of the true class.
        public let truthProbability: Float

        /// Whether the prediction is the true class.
        public var isCorrect: Bool { rank == 0 }
    }

    /// The scores of all labels of a multi-label model.
    var scores: LabelScores?
    /// The sum of the photos' log losses.
    private var loss = 0.0

    /// An evaluation without outcomes.
    /// - Parameter labelsAreIndependent: Whether the model is a multi-label one: a photo may have several labels, and each
    ///   label has its own threshold.
    public init(classCount: Int, labelsAreIndependent: Bool = false) {
        self.classCount = classCount
        if labelsAreIndependent { scores = LabelScores(labelCount: classCount) }
    }

    /// Adds the outcome for one photo.
    ///
    /// The classification must have one probability per class of the evaluation, and labels must be indices of classes.
    /// - Parameter others: Further labels of a photo that has several. The most probable of all counts as the true class.
    public mutating func add(_ classification: Classification, truth: Int, others: [Int] = []) {
        let count = classification.probabilities.count
        precondition(count == classCount, "\(count) probabilities for an evaluation of \(classCount) classes")
        for index in [truth] + others {
            precondition(0..<classCount ~= index, "class \(index) in an evaluation of \(classCount) classes")
        }
        loss +=
            scores?.add(classification.probabilities, truths: [truth] + others)
            ?? LogLoss.of(classification.probabilities[truth])
        let truth = others.reduce(truth) { best, other in
            classification.probabilities[other] > classification.probabilities[best] ? other : best
        }
        let best = classification.top(1)[0]
        // NaN comes last; of equal values, the one with the lower index comes first, as in `top`.
        let keys = classification.probabilities.map { $0.isNaN ? -.infinity : $0 }
        let truthKey = keys[truth]
        let isKnown = !classification.probabilities[truth].isNaN
        let rank =
            isKnown ? keys.indices.count { keys[$0] > truthKey || keys[$0] == truthKey && $0 < truth } : classCount
        outcomes.append(
            Outcome(
                truth: Int32(truth), prediction: Int32(best.index), rank: Int32(rank),
                confidence: best.probability, truthProbability: classification.probabilities[truth]))
    }

    /// The share of photos whose true class is among the `count` most probable ones.
    public func topAccuracy(_ count: Int) -> Proportion {
        Proportion(outcomes.count { $0.rank < min(count, classCount) }, of: outcomes.count)
    }

    /// The unweighted mean of the classes' F1, without classes that appear neither as truth nor as prediction; for a
    /// multi-label model, of the labels' F1 at the threshold 0.5.
    public var macroF1: Double {
        let values = (labels?.map(\.atHalf.f1) ?? classes.map(\.f1)).filter { !$0.isNaN }
        return values.reduce(0, +) / Double(values.count)
    }

    /// The mean log loss: the negative logarithm of the true class's probability or, for a multi-label model, the mean binary
    /// cross-entropy over all labels. Nil if the model's outputs are not probabilities.
    public var logLoss: Double? {
        calibration == nil || outcomes.isEmpty ? nil : loss / Double(outcomes.count)
    }

    /// The number of class indices by which most predictions exceed the truth, 1 or −1, and the number of these
    /// predictions; nil if there is none.
    ///
    /// Mistakes of a network are not that regular: most photos, of several classes, must have the same difference, and
    /// at most a tenth as many may be correct.
    package var likelyOffset: (offset: Int, count: Int)? {
        for offset in [1, -1] {
            let shifted = outcomes.filter { Int($0.prediction) - Int($0.truth) == offset }
            let hasSeveralClasses = Set(shifted.map(\.truth)).count > 2
            if shifted.count >= 10, 2 * shifted.count > outcomes.count, hasSeveralClasses,
                10 * topAccuracy(1).part <= shifted.count
            {
                return (offset, shifted.count)
            }
        }
        return nil
    }

    // MARK: Classes

    /// How often one class was predicted, and how often correctly.
    public struct ClassResult: PrecisionAndRecall, Sendable {
        /// The index of the class.
        public let index: Int
        /// The number of photos of the class.
        public let imageCount: Int
        /// For how many photos the class was predicted.
        public let predictionCount: Int
        /// For how many of those it is correct.
        public let correctCount: Int
    }

    /// One result per class, including classes without photos.
    public var classes: [ClassResult] {
        var (images, predicted, correct) = (
            [Int](repeating: 0, count: classCount), [Int](repeating: 0, count: classCount),
            [Int](repeating: 0, count: classCount)
        )
        for outcome in outcomes {
            images[Int(outcome.truth)] += 1
            predicted[Int(outcome.prediction)] += 1
            if outcome.isCorrect { correct[Int(outcome.truth)] += 1 }
        }
        return (0..<classCount).map {
            ClassResult(
                index: $0, imageCount: images[$0], predictionCount: predicted[$0], correctCount: correct[$0])
        }
    }

    /// A cell of the confusion matrix: a true class, a predicted class, and how often they occur together.
    public struct Cell: Equatable, Sendable {
        /// The true class.
        public let truth: Int
        /// The predicted class.
        public let prediction: Int
        /// The number of photos.
        public let count: Int
    }

    /// The non-empty cells of the confusion matrix, in the order of truth and prediction.
    public var confusion: [Cell] {
        let keys = outcomes.map { Int($0.truth) * classCount + Int($0.prediction) }.sorted()
        var cells: [Cell] = []
        var start = 0
        for (index, key) in keys.enumerated() where index + 1 == keys.count || keys[index + 1] != key {
            cells.append(Cell(truth: key / classCount, prediction: key % classCount, count: index + 1 - start))
            start = index + 1
        }
        return cells
    }

    /// The most frequently confused pairs of classes.
    package func worstConfusions(_ count: Int) -> [Cell] {
        Array(
            confusion.filter { $0.truth != $0.prediction }
                .sorted { ($1.count, $0.truth, $0.prediction) < ($0.count, $1.truth, $1.prediction) }.prefix(count))
    }

    /// For each class with mistakes, the pair with the class that is most often predicted instead.
    package var mostFrequentConfusions: [Int: Cell] {
        Dictionary(worstConfusions(.max).map { ($0.truth, $0) }) { first, _ in first }
    }

    /// The indices of the outcomes with the most confident mistakes.
    public func indicesOfWorstMistakes(_ count: Int) -> [Int] {
        // NaN is no confidence at all.
        func confidence(_ index: Int) -> Float { outcomes[index].confidence.isNaN ? 0 : outcomes[index].confidence }
        return Array(
            outcomes.indices.filter { !outcomes[$0].isCorrect }
                .sorted { (-confidence($0), $0) < (-confidence($1), $1) }.prefix(count))
    }
}
