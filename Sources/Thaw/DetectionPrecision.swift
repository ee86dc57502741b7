/// COCO's average precision and recall. A figure is nil if no annotated object counts for it.
public struct DetectionPrecision: Sendable, Equatable {
    /// Average precision over ten thresholds of the intersection over union, from 0.5 to 0.95.
    public let averagePrecision: Double?
    /// Average precision at the threshold 0.5.
    public let averagePrecisionAt50: Double?
    /// Average precision at the threshold 0.75.
    public let averagePrecisionAt75: Double?
    /// Average precision of small objects: with an area of at most 32² pixels.
    public let averagePrecisionForSmallObjects: Double?
    /// Average precision of medium objects: with an area from 32² to 96² pixels.
    public let averagePrecisionForMediumObjects: Double?
    /// Average precision of large objects: with an area of at least 96² pixels.
    public let averagePrecisionForLargeObjects: Double?
    /// Average recall with only the most confident object of each category in an image.
    public let averageRecall1: Double?
    /// Average recall with the 10 most confident objects of each category in an image.
    public let averageRecall10: Double?
    /// Average recall with the 100 most confident objects of each category in an image.
    public let averageRecall100: Double?
    /// Average recall of small objects.
    public let averageRecallForSmallObjects: Double?
    /// Average recall of medium objects.
    public let averageRecallForMediumObjects: Double?
    /// Average recall of large objects.
    public let averageRecallForLargeObjects: Double?

    /// The figures in the order of pycocotools.
    package var all: [Double?] {
        [
            averagePrecision, averagePrecisionAt50, averagePrecisionAt75, averagePrecisionForSmallObjects,
            averagePrecisionForMediumObjects,
            averagePrecisionForLargeObjects, averageRecall1, averageRecall10, averageRecall100,
            averageRecallForSmallObjects,
            averageRecallForMediumObjects, averageRecallForLargeObjects,
        ]
    }

    /// - Parameter categories: The detections of each category, in each range of areas.
    init(_ categories: [[DetectionEvaluation.Tally]]) {
        typealias Curve = (precisions: [Double], recalls: [Double])
        /// Precision and recall at each threshold, of the categories that have objects in a range of areas.
        func curves(area: Int, limit: Int) -> [Curve] {
            categories.compactMap { $0[area].precisionAndRecall(limit: DetectionEvaluation.limits[limit]) }
        }
        func precision(_ curves: [Curve], at threshold: Int? = nil) -> Double? {
            curves.flatMap { curve in threshold.map { [curve.precisions[$0]] } ?? curve.precisions }.mean
        }
        func recall(_ curves: [Curve]) -> Double? { curves.flatMap(\.recalls).mean }
        let all = curves(area: 0, limit: 2)
        let sizes = (1...3).map { curves(area: $0, limit: 2) }
        averagePrecision = precision(all)
        averagePrecisionAt50 = precision(all, at: 0)
        averagePrecisionAt75 = precision(all, at: 5)
        averagePrecisionForSmallObjects = precision(sizes[0])
        averagePrecisionForMediumObjects = precision(sizes[1])
        averagePrecisionForLargeObjects = precision(sizes[2])
        averageRecall1 = recall(curves(area: 0, limit: 0))
        averageRecall10 = recall(curves(area: 0, limit: 1))
        averageRecall100 = recall(all)
        averageRecallForSmallObjects = recall(sizes[0])
        averageRecallForMediumObjects = recall(sizes[1])
        averageRecallForLargeObjects = recall(sizes[2])
    }
}

extension DetectionEvaluation {
    /// The figures of a category.
    public func precision(ofCategory category: Int) -> DetectionPrecision { DetectionPrecision([tallies[category]]) }

    /// The figures over all categories.
    public var precision: DetectionPrecision { DetectionPrecision(tallies) }
}

extension [Double] {
    /// nil if it is empty.
    fileprivate var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}

extension DetectionEvaluation.Tally {
    /// The average precision and the recall at each threshold; nil if no object should be found.
    /// - Parameter limit: How many objects count per image.
    fileprivate func precisionAndRecall(limit: Int) -> (precisions: [Double], recalls: [Double])? {
        guard truths > 0 else { return nil }
        let sorted = entries.filter { $0.rank < limit }.sorted(on: { -$0.confidence })
        var (precisions, recalls): ([Double], [Double]) = ([], [])
        for bit in DetectionEvaluation.thresholds.indices {
            let mask: UInt16 = 1 << bit
            var (right, wrong) = (0.0, 0.0)
            var curve: [(precision: Double, recall: Double)] = []
            // An ignored object repeats the point before it.
            for entry in sorted {
                if entry.ignored & mask == 0 {
                    if entry.matched & mask != 0 { right += 1 } else { wrong += 1 }
                }
                curve.append((right / (right + wrong + Double.ulpOfOne), right / Double(truths)))
            }
            for index in curve.indices.dropLast().reversed() {
                curve[index].precision = max(curve[index].precision, curve[index + 1].precision)
            }
            recalls.append(curve.last?.recall ?? 0)
            precisions.append(Self.average(curve))
        }
        return (precisions, recalls)
    }

    /// The mean of the precision at 101 recalls from 0 to 1. Beyond the highest recall, the precision is 0.
    private static func average(_ curve: [(precision: Double, recall: Double)]) -> Double {
        var sum = 0.0
        var index = 0
        for step in 0...100 {
            let recall = step == 100 ? 1 : Double(step) * 0.01
            while index < curve.count, curve[index].recall < recall { index += 1 }
            guard index < curve.count else { break }
            sum += curve[index].precision
        }
        return sum / 101
    }
}
