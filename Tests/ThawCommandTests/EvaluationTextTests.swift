import Testing

@testable import Thaw
@testable import ThawCommand

@Suite struct EvaluationTextTests {
    private func text(_ evaluation: Evaluation, labels: [String]) -> [Substring] {
        let images = evaluation.outcomes.map { GroundTruth.Image(path: "a.jpg", classIndex: Int($0.truth)) }
        let result = EvaluationResult(
            model: "Net.mlmodel", truth: "test", labels: labels, evaluation: evaluation, images: images, failures: [])
        return EvaluationText(result, columns: .max).text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Each class has ten photos. For class N, the last digit of N is the number predicted as the next class.
    @Test func `of 1,000 classes, the worst 20 are listed, and the totals come last`() throws {
        let labels = (0..<1000).map { "class \($0)" }
        var evaluation = Evaluation(classCount: 1000)
        for truth in 0..<1000 {
            for photograph in 0..<10 {
                var probabilities = [Float](repeating: 0, count: 1000)
                probabilities[photograph < truth % 10 ? (truth + 1) % 1000 : truth] = 1
                evaluation.add(Classification(probabilities: probabilities, labels: nil), truth: truth)
            }
        }
        let lines = text(evaluation, labels: labels)
        #expect(lines[0] == "worst 20 of 1,000 classes with photos, by F1; --format json lists all classes")
        #expect(lines[1] == "class      photos  precision  recall     F1  most often mistaken for")
        #expect(lines[2] == "class 9        10      0.111   0.100  0.105  class 10 (9)")
        #expect(lines[2...21].allSatisfy { $0.hasPrefix("class ") && $0.contains("9  ") })
        #expect(lines[22] == "" && lines[23] == "most often confused")
        #expect(lines.count < 70)
        #expect(
            lines.suffix(7).map { $0.prefix(13) } == [
                "photos       ", "top 1        ", "top 5        ", "macro F1     ", "log loss     ", "calibration  ",
                "",
            ])
    }

    @Test func `labels that do not exclude each other are listed with their thresholds`() {
        var evaluation = Evaluation(classCount: 2, labelsAreIndependent: true)
        for (probabilities, truth) in [([0.4, 0.1], 0), ([0.1, 0.8], 1), ([0.2, 0.9], 1)] as [([Float], Int)] {
            evaluation.add(Classification(probabilities: probabilities, labels: nil), truth: truth)
        }
        let lines = text(evaluation, labels: ["indoors", "sky"])
        #expect(
            lines.contains("label    photos  precision  recall at 0.5  threshold  precision  recall"))
        #expect(lines.contains("indoors       1          –          0.000      0.301      1.000   1.000"))
        #expect(lines.contains("sky           2      1.000          1.000      0.451      1.000   1.000"))
    }
}
