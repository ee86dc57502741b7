/// A box with its best class, for non-maximum suppression: in detectors' stages and in the operation.
struct ScoredBox {
    let index: Int
    /// The highest class score.
    let score: Double
    /// Its class, or the first such class.
    let topClass: Int
    private let left, top, right, bottom: Double
    private let area: Double

    /// - Parameters:
    ///   - box: The x and y of the center, the width and the height.
    ///   - scores: The score of each class, at least one.
    init(index: Int, box: [Double], scores: some Collection<Double>) {
        var best = (topClass: 0, score: scores.first!)
        for (classIndex, score) in scores.enumerated() where score > best.score { best = (classIndex, score) }
        self.index = index
        (topClass, score) = best
        (left, right) = (box[0] - box[2] / 2, box[0] + box[2] / 2)
        (top, bottom) = (box[1] - box[3] / 2, box[1] + box[3] / 2)
        area = max(box[2], 0) * max(box[3], 0)
    }

    /// The intersection over union.
    private func overlap(with other: ScoredBox) -> Double {
        let width = min(right, other.right) - max(left, other.left)
        let height = min(bottom, other.bottom) - max(top, other.top)
        guard width > 0, height > 0 else { return 0 }
        let intersection = width * height
        return intersection / (area + other.area - intersection)
    }

    /// The indices of the kept boxes, best first. Ties keep their order.
    ///
    /// - Parameters:
    ///   - score: Boxes with lower scores are removed.
    ///   - limit: A box is removed if its intersection over union with a better one is higher.
    ///   - isPerClass: Whether only boxes of the same class compete.
    ///   - count: The maximum number of boxes to keep.
    static func kept(
        _ boxes: some Sequence<ScoredBox>, score: Double, overlap limit: Double, isPerClass: Bool, count: Int
    ) -> [Int] {
        var kept: [ScoredBox] = []
        // The sort is stable.
        for box in boxes.filter({ $0.score >= score }).sorted(on: { -$0.score }) {
            guard kept.count < count else { break }
            let isSuppressed = kept.contains { other in
                (!isPerClass || other.topClass == box.topClass) && other.overlap(with: box) > limit
            }
            if !isSuppressed { kept.append(box) }
        }
        return kept.map(\.index)
    }
}
