import Testing

@testable import Thaw
@testable import ThawCommand

/// Output on narrow terminals.
@Suite struct NarrowTerminalTests {
    @Test(
        arguments: [
            (80, 1000, "━━━━━━━━━━━━──────────── 500 of 1,000, 50/s, 0:10 left"),
            (50, 1000, "500 of 1,000, 50/s, 0:10 left"), (29, 1000, "500 of 1,000, 50/s, 0:10 left"),
            (28, 1000, "500 of 1,000, 0:10 left"), (22, 1000, "500 of 1,000"), (11, 1000, "500"), (2, 1000, "50"),
            (0, 1000, ""), (-1, 1000, ""), (80, nil, "500 images, 50/s"), (15, nil, "500 images"),
            (5, nil, "500"),
        ] as [(Int, Int?, String)])
    func `the progress line shows as much as fits, most important parts first`(
        _ columns: Int, _ total: Int?, _ expected: String
    ) {
        let line = Progress.line(done: 500, before: 0, total: total, seconds: 10, columns: columns)
        #expect(line == expected)
    }

    @Test(arguments: [
        (2, 0, 0.5, "2 images in 0.5 s, 4.0/s"), (1234, 0, 12.34, "1,234 images in 12.3 s, 100/s"),
        (1234, 1000, 123.4, "1,234 images in 2:03, 10/s; could not be read: 1,000"),
    ]) func `a batch ends with the number of images and the speed`(
        _ done: Int, _ failures: Int, _ seconds: Double, _ expected: String
    ) {
        #expect(Progress.summary(done: done, failures: failures, seconds: seconds) == expected)
    }

    /// Two classes confused with each other, one of them with a long name.
    private func evaluation(columns: Int) -> [Substring] {
        let labels = ["ant", "great crested grebe", "cat"]
        var evaluation = Evaluation(classCount: 3)
        for (probabilities, truth) in [([0.9, 0.1, 0], 1), ([0.1, 0.9, 0], 1), ([0.2, 0.1, 0.7], 2)] as [([Float], Int)]
        {
            evaluation.add(Classification(probabilities: probabilities, labels: labels), truth: truth)
        }
        let result = EvaluationResult(
            model: "Net.mlmodel", truth: "test", labels: labels, evaluation: evaluation,
            images: [1, 1, 2].map { GroundTruth.Image(path: "a.jpg", classIndex: $0) }, failures: [])
        return EvaluationText(result, columns: columns).text.split(separator: "\n")
    }

    @Test func `tables are truncated, not wrapped, and a matrix becomes a list`() throws {
        let wide = evaluation(columns: .max)
        #expect(wide.contains("class                photos  precision  recall     F1  most often mistaken for"))
        #expect(wide.contains("great crested grebe       2      1.000   0.500  0.667  ant (1)"))
        #expect(wide.contains("great crested…     1     1     ·"))
        let narrow = evaluation(columns: 40)
        #expect(narrow.contains("class          photos  precision  recall"))
        #expect(narrow.contains("great creste…       2      1.000   0.500"))
        #expect(narrow.contains("great crested…     1     1     ·"))
        let narrowest = evaluation(columns: 31)
        #expect(narrowest.contains("great c…       2      1.000   …"))
        #expect(narrowest.contains("      1  great crested grebe mistaken for ant"))
        #expect(!narrowest.contains { $0.hasPrefix("truth") })
        for columns in [1, 10, 20, 39] {
            let table = evaluation(columns: columns).drop { !$0.hasPrefix("c") || $0.hasPrefix("calibration") }.prefix(
                4)
            #expect(table.allSatisfy { $0.columns <= columns }, "\(columns)")
        }
    }
}
