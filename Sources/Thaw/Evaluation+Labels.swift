extension Evaluation {
    /// The accuracy of one label of a multi-label model.
    public struct LabelResult: Sendable {
        /// The index of the label in the network's output.
        public let index: Int
        /// The number of photos with the label.
        public let imageCount: Int
        /// The result if values of at least 0.5 are predictions.
        public let atHalf: Threshold
        /// The threshold with the highest F1, in steps of 0.001.
        public let best: Threshold

        /// The accuracy if the label is predicted for every score from a threshold on.
        public struct Threshold: PrecisionAndRecall, Sendable {
            /// The threshold.
            public let value: Double
            /// The number of photos with the label.
            public let imageCount: Int
            /// For how many photos the label was predicted.
            public let predictionCount: Int
            /// For how many of those it is correct.
            public let correctCount: Int
            fileprivate var f1OrZero: Double { f1.isNaN ? 0 : f1 }
        }
    }

    /// One result per label; nil if the labels exclude each other.
    public var labels: [LabelResult]? {
        scores.map { scores in (0..<classCount).map { scores.result(of: $0) } }
    }
}

extension LabelScores {
    fileprivate func result(of label: Int) -> Evaluation.LabelResult {
        let start = label * (Self.steps + 1)
        let images = present[start...start + Self.steps].reduce(0) { $0 + Int($1) }
        var (correct, predicted) = (0, 0)
        // From the highest threshold down to the lowest above 0.
        let all = (1...Self.steps).reversed().map { step -> Evaluation.LabelResult.Threshold in
            correct += Int(present[start + step])
            predicted += Int(present[start + step]) + Int(absent[start + step])
            return .init(
                value: Double(step) / Double(Self.steps), imageCount: images, predictionCount: predicted,
                correctCount: correct)
        }
        // All thresholds between two adjacent scores are equally good. The middle one is the safest.
        let first = all.indices.max { (all[$0].f1OrZero, $1) < (all[$1].f1OrZero, $0) }!
        let end = all[first...].firstIndex { $0.f1OrZero != all[first].f1OrZero } ?? all.endIndex
        return .init(
            index: label, imageCount: images, atHalf: all[Self.steps / 2], best: all[(first + end - 1) / 2])
    }
}
