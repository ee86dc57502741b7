extension Comparison {
    /// The result of a comparison.
    public struct Report: Sendable {
        /// The relative difference up to which outputs agree.
        public let tolerance: Double
        /// The precision that the second model is computed in.
        public let precision: Precision
        /// The number of images compared.
        public private(set) var imageCount = 0
        /// The largest difference relative to the range, with the image and the output; nil if nothing was compared.
        public private(set) var largest: (difference: Difference, image: String, output: String)?
        /// The number of images whose top labels were compared: 0 if the first output is not a vector of class scores.
        public private(set) var labelsCompared = 0
        /// The images whose top labels differ.
        public private(set) var differingLabels: [DifferingLabels] = []
        /// The first value that differs; nil if the models agree.
        public internal(set) var firstDifference: NodeDifference?
        /// If the second model is computed in a lower precision: the error of each layer on the image with the largest
        /// difference, in the order of the first model's graph. It includes the errors of earlier layers.
        public internal(set) var layers: [NodeDifference] = []
        /// The images that could be read despite problems with their files, or for which the first model returns NaN.
        public private(set) var warnings: [(image: String, warning: Note)] = []
        /// The images that cannot be read.
        public private(set) var failures: [(image: String, failure: Failure)] = []

        /// An image for which the models have different top labels.
        public struct DifferingLabels: Sendable {
            /// The path of the image.
            public let image: String
            /// The top label of the first model.
            public let first: String
            /// The top label of the second model.
            public let second: String
            /// Whether the scores of the two classes are so close that the tolerance explains the difference.
            public let isExplained: Bool
        }

        init(tolerance: Double, precision: Precision = .float32) {
            (self.tolerance, self.precision) = (tolerance, precision)
        }

        /// Whether no difference exceeds the tolerance, and the top labels agree except where the tolerance explains it.
        public var agrees: Bool {
            (largest.map { $0.difference.relative <= tolerance } ?? true) && differingLabels.allSatisfy(\.isExplained)
        }

        /// Adds the images in these files, which several threads decode and compare.
        /// - Parameter labels: The label of each class; nil for their indices.
        /// - Throws: `Failure` if `threads` is less than 1. Failures of single images are part of the report.
        mutating func add(
            imagesAt paths: [String], threads: Int, labels: [String]?, decoding: DecodingOptions,
            comparing compare: @escaping @Sendable (Pixels) throws -> Outcome
        ) throws {
            try requireThreads(threads)
            let workers = Workers(min(threads, paths.count))
            let outcomes = workers.map(paths) { path in
                Result {
                    try naming(file: path) {
                        let image = try DecodedImage(contentsOfFile: path, options: decoding)
                        var outcome = try compare(image.pixels)
                        outcome.warning = image.warning ?? outcome.warning
                        return outcome
                    }
                }
            }
            for (path, outcome) in zip(paths, outcomes) {
                switch outcome {
                case .success(let outcome): add(outcome, path, labels)
                case .failure(let failure as Failure): failures.append((path, failure))
                case .failure(let error): throw error
                }
            }
        }

        mutating func add(_ outcome: Outcome, _ image: String, _ labels: [String]?) {
            imageCount += 1
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

    /// The result for one image.
    struct Outcome: Sendable {
        /// One difference per output.
        var differences: [(output: String, difference: Difference)]
        /// The top classes, if the first output is a vector of class scores, and whether the tolerance explains that
        /// they differ.
        var classes: (first: Int, second: Int, isExplained: Bool)?
        /// A problem found in the image's file if it could still be read, or else in the first model's outputs.
        var warning: Note?
    }

    /// A value of the graph that differs between the models.
    public struct NodeDifference: Sendable {
        /// The name of the node in both models.
        public let node: String
        /// The operation in the second model, such as "Convolution".
        public let operation: String
        /// The difference of the node's output.
        public let difference: Difference
        /// The path of the image.
        public let image: String
    }
}
