/// Histograms of each label's scores: over the photos with the label, and over those without it.
///
/// Scores are counted in steps of 0.001, the precision in which thresholds are reported.
struct LabelScores: Sendable {
    static let steps = 1000
    private let labelCount: Int
    /// For each label and step, the number of photos with the label, and of those without it.
    private(set) var present: [Int32]
    private(set) var absent: [Int32]

    init(labelCount: Int) {
        self.labelCount = labelCount
        present = [Int32](repeating: 0, count: labelCount * (Self.steps + 1))
        absent = present
    }

    /// - Returns: The mean logarithmic loss of the labels.
    mutating func add(_ probabilities: [Float], truths: [Int]) -> Double {
        var loss = 0.0
        for (label, probability) in probabilities.enumerated() {
            let isPresent = truths.contains(label)
            // NaN counts as the lowest score.
            let share = probability.isNaN ? 0 : min(max(Double(probability), 0), 1)
            let index = label * (Self.steps + 1) + Int(share * Double(Self.steps))
            if isPresent { present[index] += 1 } else { absent[index] += 1 }
            loss += LogLoss.of(isPresent ? probability : 1 - probability)
        }
        return loss / Double(max(labelCount, 1))
    }
}
