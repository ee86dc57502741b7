extension Comparison {
    /// What a comparison found.
    public struct Report: Sendable {
        public let tolerance: Double
        /// How many images were compared.
        public private(set) var images = 0
        /// The largest difference by its share of the range, with the image and the output; nil where nothing was compared.
        public private(set) var largest: (difference: Difference, image: String, output: String)?
        /// On how many images first labels were compared: none where the first output is no row of one number a class.
        public private(set) var labelsCompared = 0
        /// The images whose first labels differ.
        public private(set) var differingLabels: [DifferingLabels] = []
        /// Where the models first part; nil where they agree.
        public internal(set) var place: Place?
        /// The images whose files have something wrong with them, though they could be read.
        public private(set) var warnings: [(image: String, warning: String)] = []
        /// The images that cannot be read.
        public internal(set) var failures: [(image: String, failure: Failure)] = []

        /// An image on which the models put different classes first.
        public struct DifferingLabels: Sendable {
            public let image: String
            public let first: String
            public let second: String
            /// Whether the two classes lie so close together that the tolerance explains it.
            public let isExplained: Bool
        }

        init(tolerance: Double) { self.tolerance = tolerance }

        /// Whether no difference exceeds the tolerance, and the first labels are the same as far as that tells them apart.
        public var agrees: Bool {
            (largest.map { $0.difference.relative <= tolerance } ?? true) && differingLabels.allSatisfy(\.isExplained)
        }

        mutating func add(_ outcome: Outcome, _ image: String, _ labels: [String]?) {
            images += 1
            if let warning = outcome.warning { warnings.append((image, warning)) }
            for (output, difference) in outcome.differences
            where largest.map({ difference.relative > $0.difference.relative }) ?? true {
                largest = (difference, image, output)
            }
            guard let classes = outcome.classes else { return }
            labelsCompared += 1
            guard classes.first != classes.second else { return }
            differingLabels.append(
                DifferingLabels(
                    image: image, first: labels?[classes.first] ?? "\(classes.first)",
                    second: labels?[classes.second] ?? "\(classes.second)", isExplained: classes.isExplained))
        }
    }

    /// A value of the graph at which the models part.
    public struct Place: Sendable {
        /// The name that the node has in both models.
        public let node: String
        /// What it computes in the second: "Convolution".
        public let operation: String
        public let difference: Difference
        public let image: String
    }
}
