extension Evaluation {
    /// The photos whose confidence is in one range: the mean confidence, and the fraction of correct predictions.
    public struct CalibrationBin: Sendable {
        /// The confidences in this bin.
        public let range: ClosedRange<Double>
        /// The number of photos with such a confidence.
        public let imageCount: Int
        /// The mean confidence of these photos.
        public let meanConfidence: Double
        /// The fraction of these photos whose prediction is correct.
        public let accuracy: Proportion
    }

    /// The values that may be rounded probabilities: the step of float16 above 1 is 2⁻¹⁰.
    private static let probabilities: ClosedRange<Float> = -1e-3...1.001

    /// How much the sum of a softmax may differ from 1. Rounding the values to bfloat16 changes it by at most 2⁻⁹; the
    /// rest is for a softmax that is computed in a lower precision.
    private static let sumTolerance = 0.05

    /// Whether a value is between 0 and 1, apart from rounding, or NaN, for which there is a separate warning.
    package static func mayBeProbability(_ value: Float) -> Bool { value.isNaN || probabilities ~= value }

    /// Why the outputs of a classifier are not probabilities; nil if they may be, or if some are NaN, for which there
    /// is a separate warning.
    ///
    /// - Parameter areIndependent: Whether the model is a multi-label one, whose probabilities need not add up to 1.
    package static func whyNotProbabilities(_ values: [Float], areIndependent: Bool) -> String? {
        if values.contains(where: \.isNaN) { return nil }
        guard values.allSatisfy(mayBeProbability) else { return "they are outside 0 to 1" }
        let sum = values.reduce(0) { $0 + Double($1) }
        return areIndependent || abs(sum - 1) < sumTolerance ? nil : "they do not add up to 1"
    }

    /// How well the model's confidence matches its accuracy.
    public struct Calibration: Sendable {
        /// The bins, in the order of the confidence.
        public let bins: [CalibrationBin]
        /// The expected calibration error: the mean difference between confidence and accuracy, weighted by the number of
        /// photos. Source: Guo, Pleiss, Sun and Weinberger, ICML 2017, with their 15 bins of equal width.
        public let error: Double
        /// The mean confidence of all photos.
        public let meanConfidence: Double
    }

    /// Nil if the model's outputs are not probabilities: if some are NaN, or outside 0 to 1 by more than rounding.
    public var calibration: Calibration? {
        guard outcomes.allSatisfy({ Evaluation.mayBeProbability($0.confidence) && !$0.confidence.isNaN }) else {
            return nil
        }
        let count = 15
        var (images, correct, sums) = (
            [Int](repeating: 0, count: count), [Int](repeating: 0, count: count), [Double](repeating: 0, count: count)
        )
        for outcome in outcomes {
            let confidence = min(max(Double(outcome.confidence), 0), 1)
            let bin = min(max(Int((confidence * Double(count)).rounded(.up)) - 1, 0), count - 1)
            images[bin] += 1
            correct[bin] += outcome.isCorrect ? 1 : 0
            sums[bin] += confidence
        }
        let width = 1 / Double(count)
        let bins = (0..<count).map { (bin: Int) -> CalibrationBin in
            let (start, end) = (Double(bin) * width, Double(bin + 1) * width)
            let mean: Double = images[bin] == 0 ? .nan : sums[bin] / Double(images[bin])
            return CalibrationBin(
                range: start...end, imageCount: images[bin], meanConfidence: mean,
                accuracy: Proportion(correct[bin], of: images[bin]))
        }
        let total = Double(max(outcomes.count, 1))
        let error = zip(sums, correct).reduce(0.0) { $0 + abs($1.0 - Double($1.1)) } / total
        return Calibration(bins: bins, error: error, meanConfidence: sums.reduce(0, +) / total)
    }
}
