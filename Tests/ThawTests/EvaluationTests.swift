import Foundation
import Testing

@testable import Thaw

@Suite struct EvaluationTests {
    /// Values of R: `binom::binom.confint(x, n, methods = "wilson")`.
    @Test(
        arguments: [
            (0, 10, 0.0, 0.277533), (5, 10, 0.236593, 0.763407), (10, 10, 0.722467, 1.0), (1, 1, 0.206549, 1.0),
            (8823, 10000, 0.875837, 0.888470),
        ])
    func `Wilson's interval matches known values`(_ part: Int, _ count: Int, _ low: Double, _ high: Double) {
        let interval = Proportion(part, of: count).interval
        #expect(abs(interval.lowerBound - low) < 1e-6)
        #expect(abs(interval.upperBound - high) < 1e-6)
    }

    @Test func `an empty evaluation has no values`() {
        #expect(Proportion(0, of: 0).interval == 0...1)
        #expect(Proportion(0, of: 0).value.isNaN)
    }

    /// Two-sided binomial tests at 1/2, computed by R's `binom.test`.
    @Test(arguments: [(0, 0, 1.0), (5, 5, 1.0), (1, 9, 0.021484375), (10, 20, 0.09873715), (0, 30, 1.862645e-9)])
    func `McNemar's exact test matches R`(_ first: Int, _ second: Int, _ expected: Double) {
        for (a, b) in [(first, second), (second, first)] {
            let chance = PairedComparison(onlyFirstCorrect: a, onlySecondCorrect: b).pValue
            #expect(abs(chance - expected) <= 1e-6 * expected)
        }
        let many = PairedComparison(onlyFirstCorrect: 50_000, onlySecondCorrect: 51_000).pValue
        #expect(many > 0.001 && many < 0.002)
    }

    private func evaluation(_ rows: [([Float], Int)]) -> Evaluation {
        var evaluation = Evaluation(classCount: rows[0].0.count)
        for (probabilities, truth) in rows {
            evaluation.add(Classification(probabilities: probabilities, labels: nil), truth: truth)
        }
        return evaluation
    }

    @Test(
        arguments: [
            (1, 0, 1), (-1, 0, -1), (0, 0, nil), (2, 0, nil),
            // Too many are right, or most photos are not shifted.
            (1, 2, nil), (1, 9, nil),
        ] as [(Int, Int, Int?)])
    func `an offset of class indices is noticed`(_ offset: Int, _ right: Int, _ expected: Int?) {
        let rows = (0..<12).map { row -> ([Float], Int) in
            let truth = 2 + row % 4
            let prediction = row < right ? truth : truth + offset
            return ((0..<8).map { $0 == prediction ? 1 : 0 }, truth)
        }
        let likely = evaluation(rows).likelyOffset
        #expect(likely?.offset == expected)
        #expect(likely == nil || likely?.count == 12)
        // Two classes that are mistaken for the next ones are mistakes of the network.
        #expect(evaluation(rows.filter { $0.1 < 4 } + rows.filter { $0.1 < 4 }).likelyOffset == nil)
    }

    /// scikit-learn 1.5: `f1_score(average="macro")` and `log_loss`.
    @Test func `macro F1 and log loss match scikit-learn`() {
        let evaluation = evaluation([
            ([0.7, 0.2, 0.1, 0], 0), ([0.6, 0.3, 0.1, 0], 1), ([0.1, 0.8, 0.1, 0], 1), ([0.9, 0.06, 0.04, 0], 2),
        ])
        #expect(abs(evaluation.macroF1 - (0.5 + 2.0 / 3 + 0) / 3) < 1e-12)
        let expected = -(log(0.7) + log(0.3) + log(0.8) + log(0.04)) / 4
        #expect(abs(evaluation.logLoss! - expected) < 1e-7)
        let impossible = self.evaluation([([1, 0], 1)])
        #expect(abs(impossible.logLoss! - 34.538776) < 1e-5)
        #expect(self.evaluation([([3, 1], 1)]).logLoss == nil)
    }

    /// Label 0 is recognized at 0.3, label 1 only by chance, and label 2 is on no photo.
    @Test func `labels that do not exclude each other have separate thresholds`() throws {
        var evaluation = Evaluation(classCount: 3, labelsAreIndependent: true)
        let rows: [([Float], Int, [Int])] = [
            ([0.4, 0.9, 0.1], 0, []), ([0.35, 0.6, 0], 0, [1]), ([0.7, 0.2, 0], 0, []), ([0.2, 0.55, 0.05], 1, []),
            ([0.1, 0.3, 0.7], 1, []),
        ]
        for (probabilities, truth, others) in rows {
            evaluation.add(Classification(probabilities: probabilities, labels: nil), truth: truth, others: others)
        }
        let labels = try #require(evaluation.labels)
        #expect(labels.map(\.imageCount) == [3, 3, 0])
        #expect(labels[0].atHalf.precision == Proportion(1, of: 1) && labels[0].atHalf.recall == Proportion(1, of: 3))
        // All thresholds above 0.2 and up to 0.35 are equally good; the middle one is reported.
        #expect(labels[0].best.f1 == 1 && abs(labels[0].best.value - 0.275) < 0.0015)
        #expect(labels[1].atHalf.precision == Proportion(2, of: 3) && labels[1].atHalf.value == 0.5)
        #expect(labels[1].best.recall == Proportion(3, of: 3) && labels[1].best.precision == Proportion(3, of: 4))
        #expect(labels[2].atHalf.predictionCount == 1 && labels[2].atHalf.f1 == 0)
        // Of two true labels, the more probable one counts.
        #expect(evaluation.outcomes[1].truth == 1 && evaluation.outcomes[1].isCorrect)
        var loss = 0.0
        for (probabilities, truth, others) in rows {
            for (label, probability) in probabilities.enumerated() {
                let isShown = label == truth || others.contains(label)
                loss -= log(isShown ? Double(probability) : 1 - Double(probability)) / 15
            }
        }
        #expect(abs(evaluation.logLoss! - loss) < 1e-6)
        #expect(self.evaluation([([0.5, 0.5], 0)]).labels == nil)
    }

    @Test func `ranks, classes, confusions and mistakes are counted`() {
        let evaluation = evaluation([
            ([0.7, 0.2, 0.1], 0), ([0.6, 0.3, 0.1], 1), ([0.1, 0.8, 0.1], 1), ([0.9, 0.06, 0.04], 2),
            ([0.4, 0.4, 0.2], 1),
        ])
        #expect(evaluation.topAccuracy(1) == Proportion(2, of: 5))
        #expect(evaluation.topAccuracy(2) == Proportion(4, of: 5))
        #expect(evaluation.topAccuracy(3) == Proportion(5, of: 5))
        let classes = evaluation.classes
        #expect(classes.map(\.imageCount) == [1, 3, 1])
        #expect(classes[0].precision == Proportion(1, of: 4))
        #expect(classes[1].recall == Proportion(1, of: 3))
        #expect(classes[1].f1 == 0.5)
        #expect(classes[2].precision.count == 0)
        let cell = { Evaluation.Cell(truth: $0, prediction: $1, count: $2) }
        #expect(evaluation.confusion == [cell(0, 0, 1), cell(1, 0, 2), cell(1, 1, 1), cell(2, 0, 1)])
        #expect(evaluation.worstConfusions(1) == [cell(1, 0, 2)])
        #expect(evaluation.indicesOfWorstMistakes(2) == [3, 1])
    }

    @Test func `NaN counts as the least probable`() {
        let evaluation = evaluation([([.nan, 0.2, 0.1], 0), ([.nan, .nan, .nan], 2), ([.nan, .nan, .nan], 0)])
        #expect(evaluation.topAccuracy(2).part == 0)
        // More than there are classes.
        #expect(evaluation.topAccuracy(5).part == 0)
        #expect(evaluation.outcomes.map(\.rank) == [3, 3, 3])
        #expect(evaluation.calibration == nil)
    }

    @Test func `calibration weights the distance of confidence and accuracy`() throws {
        let evaluation = evaluation([([0.9, 0.1], 0), ([0.9, 0.1], 1), ([0.55, 0.45], 0), ([1, 0], 0)])
        let calibration = try #require(evaluation.calibration)
        #expect(calibration.bins.count == 15)
        #expect(calibration.bins.reduce(0) { $0 + $1.imageCount } == 4)
        #expect(calibration.bins[14].imageCount == 1)
        #expect(calibration.bins[13].imageCount == 2)
        #expect(calibration.bins[13].accuracy == Proportion(1, of: 2))
        #expect(abs(calibration.error - (0.8 + 0.45 + 0) / 4) < 1e-6)
    }

    @Test func `outputs that are not probabilities are not calibrated`() {
        #expect(evaluation([([3.5, 0.1], 0), ([0.9, 0.1], 1)]).calibration == nil)
        #expect(evaluation([([-1, -2], 0)]).calibration == nil)
    }

    @Test(
        arguments: [
            ([0.7, 0.3], nil), ([0.69, 0.3], nil), ([3, -2], "they are outside 0 to 1"),
            ([0.7, -2], "they are outside 0 to 1"), ([0.7, 0.7], "they do not add up to 1"), ([.nan, 3], nil),
        ] as [([Float], String?)])
    func `outputs that are not probabilities are noticed`(_ outputs: [Float], _ reason: String?) {
        #expect(Evaluation.whyNotProbabilities(outputs, areIndependent: false) == reason)
        let isSum = reason == "they do not add up to 1"
        #expect(Evaluation.whyNotProbabilities(outputs, areIndependent: true) == (isSum ? nil : reason))
    }

    @Test func `two models are compared photo by photo`() {
        let first = evaluation([([1, 0], 0), ([1, 0], 1), ([1, 0], 0), ([0, 1], 0)])
        let second = evaluation([([1, 0], 0), ([0, 1], 1), ([0, 1], 0), ([0, 1], 0)])
        let comparison = PairedComparison(first, second)
        #expect(comparison.bothCorrect == 1 && comparison.neitherCorrect == 1)
        #expect(comparison.onlyFirstCorrect == 1 && comparison.onlySecondCorrect == 1)
        #expect(comparison.changed == [1, 2])
    }
}
