/// The last stage of a detector: of boxes that overlap, it keeps the most confident one.
///
/// A box is the x and y of its center, its width and its height. Its class is the one with the highest confidence,
/// which is the confidence of the box.
struct NonMaximumSuppression: Stage {
    /// The label of each class; empty if the model has none.
    let classes: [FeatureKey]
    /// Boxes with a lower confidence are removed.
    var confidenceThreshold: Double
    /// A box is removed if its intersection over union with a more confident one is higher.
    var iouThreshold: Double
    /// Whether only boxes of the same class compete.
    private let isPerClass: Bool
    private let names: Names
    /// The positions of the inputs; those of the thresholds are nil if there is no such feature.
    private let confidenceInput: Int
    private let coordinatesInput: Int
    private let thresholdInputs: (confidence: Int?, iou: Int?)
    /// Whether each of the outputs contains the confidences rather than the coordinates.
    private let isConfidence: [Bool]
    /// The minimum number of boxes to return, filled up with zeros, and the maximum.
    private let boxCounts: ClosedRange<Int>

    init(_ source: StageSource) throws {
        let (parameters, inputs, outputs) = (source.parameters, source.inputs, source.outputs)
        guard parameters.has("pickTop") else { throw Failure.noSuppressionMethod() }
        isPerClass = parameters.pickTop.perClass
        classes = source.keys(strings: "stringClassLabels", integers: "int64ClassLabels")
        let names = Names(parameters)
        self.names = names
        confidenceThreshold = try Self.checked(parameters.confidenceThreshold, "confidence", upTo: .infinity)
        iouThreshold = try Self.checked(parameters.iouThreshold, "IoU", upTo: 1)

        func input(_ name: String, _ what: String, lastAxis: Int?) throws -> Int {
            guard let index = inputs.firstIndex(where: { $0.name == name }) else {
                throw Failure.noSuppressionFeature("input", name, what)
            }
            let type = inputs[index].type
            guard case .multiArray(let shape) = type else {
                throw Failure.stageFeature(name, type, "an array is expected")
            }
            if let lastAxis, let shape, shape.count > 1, shape.last != lastAxis {
                throw Failure.stageFeature(name, type, "\(lastAxis) values for each box are expected")
            }
            return index
        }
        confidenceInput = try input(
            names.confidenceInput, "confidences", lastAxis: classes.isEmpty ? nil : classes.count)
        coordinatesInput = try input(names.coordinatesInput, "coordinates", lastAxis: 4)
        func threshold(_ name: String) throws -> Int? {
            guard !name.isEmpty, let index = inputs.firstIndex(where: { $0.name == name }) else { return nil }
            guard inputs[index].type == .number else {
                throw Failure.stageFeature(name, inputs[index].type, "a number is expected")
            }
            return index
        }
        thresholdInputs = (try threshold(names.confidenceThreshold), try threshold(names.iouThreshold))

        for (name, what) in [(names.confidenceOutput, "confidences"), (names.coordinatesOutput, "coordinates")]
        where !outputs.contains(where: { $0.name == name }) {
            throw Failure.noSuppressionFeature("output", name, what)
        }
        guard outputs.count == 2 else { throw Failure.stageFeatures(inputs.count, outputs.count) }
        isConfidence = outputs.map { $0.name == names.confidenceOutput }
        boxCounts = try Self.boxCounts(outputs, classes.count)
    }

    /// The names of the features.
    struct Names {
        let confidenceInput, coordinatesInput, confidenceOutput, coordinatesOutput: String
        let confidenceThreshold, iouThreshold: String

        /// - Parameter parameters: The message of the stage.
        init(_ parameters: Message) {
            confidenceInput = parameters.confidenceInputFeatureName
            coordinatesInput = parameters.coordinatesInputFeatureName
            confidenceOutput = parameters.confidenceOutputFeatureName
            coordinatesOutput = parameters.coordinatesOutputFeatureName
            confidenceThreshold = parameters.confidenceThresholdInputFeatureName
            iouThreshold = parameters.iouThresholdInputFeatureName
        }

        var thresholds: [String] { [confidenceThreshold, iouThreshold].filter { !$0.isEmpty } }
    }

    /// The names of the outputs.
    var outputNames: (confidence: String, coordinates: String) { (names.confidenceOutput, names.coordinatesOutput) }

    /// The number of boxes that the descriptions of both outputs allow. Missing boxes are filled with zeros, so a large
    /// minimum would exhaust the memory.
    private static func boxCounts(_ outputs: [PipelineFeature], _ classCount: Int) throws -> ClosedRange<Int> {
        let ranges = outputs.compactMap(\.rowCounts)
        let (low, high) = (ranges.map(\.lowerBound).max() ?? 0, ranges.map(\.upperBound).min() ?? Int.max)
        guard low <= high, low <= (1 << 24) / max(classCount, 4) else {
            throw Failure.suppressedCounts(outputs.map(\.name))
        }
        return low...high
    }

    /// The threshold, if it is valid.
    private static func checked(_ threshold: Double, _ what: String, upTo limit: Double) throws -> Double {
        guard threshold >= 0, threshold <= limit, threshold.isFinite else {
            throw Failure.suppressionThreshold(what, threshold)
        }
        return threshold
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        // A missing number is NaN.
        func given(_ position: Int?) -> Double? {
            position.flatMap { inputs[$0].numbers?.first }.flatMap { $0.isNaN ? nil : $0 }
        }
        let boxes = try Boxes(inputs[confidenceInput], inputs[coordinatesInput], classCount: classes.count)
        let returned = boxes.kept(
            confidence: try Self.checked(
                given(thresholdInputs.confidence) ?? confidenceThreshold, "confidence", upTo: .infinity),
            iou: try Self.checked(given(thresholdInputs.iou) ?? iouThreshold, "IoU", upTo: 1), isPerClass: isPerClass,
            limit: boxCounts.upperBound)
        let count = max(returned.count, boxCounts.lowerBound)
        return isConfidence.map { isConfidence in
            let (values, width) = isConfidence ? (boxes.confidences, boxes.classCount) : (boxes.coordinates, 4)
            let rows = returned.flatMap { values[$0 * width..<($0 + 1) * width] }
            let padding = [Double](repeating: 0, count: (count - returned.count) * width)
            return .multiArray(rows + padding, shape: [count, width])
        }
    }
}

/// Boxes with the confidences of all classes.
private struct Boxes {
    let confidences: [Double]
    let coordinates: [Double]
    let classCount: Int
    private var count: Int { coordinates.count / 4 }

    /// - Parameter classCount: The number of classes, or 0 if it is unknown.
    /// - Throws: `Failure` if the values do not match.
    init(_ confidences: FeatureValue, _ coordinates: FeatureValue, classCount: Int) throws {
        guard case .multiArray(let scores, let scoreShape) = confidences,
            case .multiArray(let positions, let positionShape) = coordinates
        else { preconditionFailure("the inputs are not arrays") }
        let boxes = positions.count / 4
        let classes = classCount > 0 ? classCount : boxes > 0 ? scores.count / boxes : 0
        guard positions.count == boxes * 4, positionShape.count < 2 || positionShape.last == 4 else {
            throw Failure.valueKind(coordinates, .multiArray(shape: [boxes, 4]))
        }
        guard scores.count == boxes * classes, scoreShape.count < 2 || scoreShape.last == classes else {
            throw Failure.valueKind(confidences, .multiArray(shape: [boxes, classes]))
        }
        (self.confidences, self.coordinates, self.classCount) = (scores, positions, classes)
    }

    /// The indices of at most `limit` kept boxes, most confident first. Ties keep their order.
    func kept(confidence threshold: Double, iou: Double, isPerClass: Bool, limit: Int) -> [Int] {
        guard classCount > 0 else { return [] }
        let boxes = (0..<count).map { index in
            ScoredBox(
                index: index, box: Array(coordinates[4 * index..<4 * index + 4]),
                scores: confidences[index * classCount..<(index + 1) * classCount])
        }
        return ScoredBox.kept(boxes, score: threshold, overlap: iou, isPerClass: isPerClass, count: limit)
    }
}
