/// Measures detected objects against annotated ones by COCO's average precision and recall.
///
/// Objects are matched, and figures are computed, as in pycocotools: with ten thresholds of the intersection over union from
/// 0.5 to 0.95, in four ranges of areas, for the 1, 10 and 100 most confident objects of a category in an image.
public struct DetectionEvaluation: Sendable {
    /// An annotated object.
    public struct Truth: Sendable {
        /// The index of its category.
        public var category: Int
        /// The rectangle around the object.
        public var box: Detection.Box
        /// The area of the object in pixels, which decides whether it is small, medium or large.
        public var area: Double
        /// Whether it is a group of objects, which may be found any number of times, or not at all.
        public var isCrowd: Bool

        /// An annotated object.
        public init(category: Int, box: Detection.Box, area: Double, isCrowd: Bool = false) {
            (self.category, self.box, self.area, self.isCrowd) = (category, box, area, isCrowd)
        }
    }

    /// A detected object.
    public struct Prediction: Sendable {
        /// The index of its category.
        public var category: Int
        /// The rectangle around the object.
        public var box: Detection.Box
        /// The confidence of the category.
        public var confidence: Double

        /// A detected object.
        public init(category: Int, box: Detection.Box, confidence: Double) {
            (self.category, self.box, self.confidence) = (category, box, confidence)
        }
    }

    /// The number of categories.
    public let categoryCount: Int
    /// The number of images that were added.
    public private(set) var imageCount = 0
    /// The number of annotated objects of each category.
    public private(set) var truthCounts: [Int]
    /// For each category and range of areas, the detections in the images so far.
    private(set) var tallies: [[Tally]]

    /// An evaluation without images.
    public init(categoryCount: Int) {
        self.categoryCount = categoryCount
        truthCounts = Array(repeating: 0, count: categoryCount)
        tallies = Array(
            repeating: Array(repeating: Tally(), count: Self.areas.count), count: categoryCount)
    }

    // From 0.5 to 0.95, as NumPy's linspace rounds them.
    static let thresholds: [Double] = {
        let step: Double = (0.95 - 0.5) / 9
        return (0..<9).map { (index: Int) -> Double in 0.5 + Double(index) * step } + [0.95]
    }()
    /// All, small, medium and large objects.
    static let areas: [ClosedRange<Double>] = [0...1e10, 0...1024, 1024...9216, 9216...1e10]
    /// How many objects of a category count per image.
    static let limits = [1, 10, 100]

    /// Detected objects with the outcome of each at the ten thresholds, one bit per threshold.
    struct Tally: Sendable {
        struct Entry: Sendable {
            let confidence: Double
            /// The position in its image and category, by confidence.
            let rank: Int
            let matched: UInt16
            let ignored: UInt16
        }

        var entries: [Entry] = []
        /// The number of annotated objects that should be found.
        var truths = 0
    }

    /// Adds an image. Equally confident objects keep the order in which they are added.
    public mutating func add(truths: [Truth], predictions: [Prediction]) {
        imageCount += 1
        for truth in truths { truthCounts[truth.category] += 1 }
        for category in Set(truths.map(\.category) + predictions.map(\.category)) {
            let classTruths = truths.filter { $0.category == category }
            let candidates = predictions.filter { $0.category == category }.sorted(on: { -$0.confidence })
            let kept = Array(candidates.prefix(Self.limits.last!))
            let overlaps = kept.map { prediction in
                classTruths.map { prediction.box.overlap(with: $0.box, isCrowd: $0.isCrowd) }
            }
            for (index, area) in Self.areas.enumerated() {
                Self.match(kept, classTruths, overlaps, area, &tallies[category][index])
            }
        }
    }

    /// Matches the objects of a category in an image, of which only those in a range of areas count.
    private static func match(
        _ predictions: [Prediction], _ truths: [Truth], _ overlaps: [[Double]], _ area: ClosedRange<Double>,
        _ tally: inout Tally
    ) {
        let ignored = truths.map { $0.isCrowd || !area.contains($0.area) }
        tally.truths += ignored.count { !$0 }
        // Objects that count are preferred.
        let order = truths.indices.filter { !ignored[$0] } + truths.indices.filter { ignored[$0] }
        var matchedBits = [UInt16](repeating: 0, count: predictions.count)
        var ignoredBits = matchedBits
        for (bit, threshold) in thresholds.enumerated() {
            var taken = [Bool](repeating: false, count: truths.count)
            for (index, object) in predictions.enumerated() {
                var best = min(threshold, 1 - 1e-10)
                var match: Int?
                for truth in order where !taken[truth] || truths[truth].isCrowd {
                    if let match, !ignored[match], ignored[truth] { break }
                    guard overlaps[index][truth] >= best else { continue }
                    (best, match) = (overlaps[index][truth], truth)
                }
                if let match {
                    taken[match] = true
                    matchedBits[index] |= 1 << bit
                    if ignored[match] { ignoredBits[index] |= 1 << bit }
                } else if !area.contains(object.box.width * object.box.height) {
                    ignoredBits[index] |= 1 << bit
                }
            }
        }
        tally.entries += predictions.indices.map {
            Tally.Entry(
                confidence: predictions[$0].confidence, rank: $0, matched: matchedBits[$0], ignored: ignoredBits[$0])
        }
    }
}

extension Detection.Box {
    /// The intersection over union with an annotated box; for a crowd, the share of this box inside it.
    fileprivate func overlap(with other: Detection.Box, isCrowd: Bool) -> Double {
        let across = min(x + width, other.x + other.width) - max(x, other.x)
        let down = min(y + height, other.y + other.height) - max(y, other.y)
        guard across > 0, down > 0 else { return 0 }
        let intersection = across * down
        let area = width * height
        return intersection / (isCrowd ? area : area + other.width * other.height - intersection)
    }
}
