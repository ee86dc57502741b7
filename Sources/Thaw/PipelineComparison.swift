/// Compares two pipelines or detectors on the same images, such as an original and a model derived from it.
///
///     let comparison = try PipelineComparison(Pipeline(contentsOfFile: "A.mlpackage"), Pipeline(contentsOfFile: "B.mlpackage"))
///     print(try comparison.report(imagesAt: ["street.jpg"]).agrees)
///
/// Both run on the engine.
public struct PipelineComparison: Sendable {
    /// The largest allowed difference, relative to the larger of 1 and the value range of the first pipeline's output.
    public let tolerance: Double
    private let precision: Precision
    private let first: Pipeline
    private let second: Pipeline
    private let crop: Crop
    private let decoding: DecodingOptions

    /// - Parameters:
    ///   - precision: The precision that the second pipeline is computed in.
    ///   - crop: How an image is fitted to the networks' size.
    /// - Throws: `Failure` if one does not take a single image, or if the images, the outputs or the labels differ.
    public init(
        _ first: Pipeline, _ second: Pipeline, tolerance: Double = Comparison.defaultTolerance,
        precision: Precision = .float32, crop: Crop = .fill, decoding: DecodingOptions = DecodingOptions()
    ) throws {
        try crop.check()
        let images = try [first, second].map { try $0.onlyImage().image }
        try Comparison.checkInputs(images[0], images[1])
        let names = [first, second].map { $0.outputs.map(\.name) }
        guard Set(names[0]) == Set(names[1]) else { throw Failure.outputNamesDiffer(names[0], names[1]) }
        for output in first.outputs {
            let other = second.outputs.first { $0.name == output.name }!
            guard output.type.fits(other.type) else {
                throw Failure.outputTypesDiffer(output.name, output.type, other.type)
            }
        }
        if let labels = first.knownLabels, let others = second.knownLabels {
            guard labels.count == others.count else { throw Failure.labelCountsDiffer(labels.count, others.count) }
            if let index = labels.indices.first(where: { labels[$0] != others[$0] }) {
                throw Failure.labelsDiffer(index, labels[index].description, others[index].description)
            }
        }
        (self.first, self.second, self.tolerance) = (first, second, tolerance)
        (self.precision, self.crop, self.decoding) = (precision, crop, decoding)
    }

    /// Compares the pipelines on the images in these files, using several threads.
    ///
    /// Failures of single images, and of stages on them, are part of the report. Outputs of different shapes, such as
    /// different numbers of boxes, differ infinitely.
    /// - Throws: `Failure` if `threads` is less than 1.
    public func report(imagesAt paths: [String], threads: Int = 1) throws -> Comparison.Report {
        var report = Comparison.Report(tolerance: tolerance, precision: precision)
        let labels = first.labels?.map(\.description)
        try report.add(imagesAt: paths, threads: threads, labels: labels, decoding: decoding) { try compare($0) }
        return report
    }

    private func compare(_ pixels: Pixels) throws -> Comparison.Outcome {
        let results = try [first, second].map { pipeline in
            let (name, image) = try pipeline.onlyImage()
            return try pipeline.run([name: .image(pixels.feature(for: image, crop: crop))])
        }
        var outcome = Comparison.Outcome(differences: [])
        for (name, value) in results[0] {
            let other = results[1].first { $0.name == name }!.value
            if let difference = Comparison.Difference(value, other) { outcome.differences.append((name, difference)) }
        }
        if let output = results[0].first(where: \.value.containsNaN) {
            outcome.warning = .containsNaN("'\(output.name)'")
        }
        if let scores = first.probabilities(results[0]), let others = second.probabilities(results[1]) {
            let top = [scores.highest, others.highest]
            let limit = 2 * tolerance * max(1, Double(scores.max() ?? 1))
            outcome.classes = (top[0], top[1], Double(scores[top[0]] - scores[top[1]]) <= limit)
        }
        return outcome
    }
}

extension Pipeline {
    /// The labels of a classifier or detector.
    fileprivate var knownLabels: [FeatureKey]? { labels ?? sequence.detection?.stage.classes }

    /// The only input that must be given, if it is an image.
    /// - Throws: `Failure` otherwise.
    fileprivate func onlyImage() throws -> (name: String, image: ImageInput) {
        let needed = inputs.filter { $0.missingValue == nil }
        guard needed.count == 1, case .image(let image) = needed[0].type else {
            throw Failure.pipelineOfNoImage(inputs.map(\.name))
        }
        return (needed[0].name, image)
    }
}

extension Comparison.Difference {
    /// The difference of two features; nil for those that are compared as labels.
    fileprivate init?(_ a: FeatureValue, _ b: FeatureValue) {
        switch (a, b) {
        case (.multiArray(let values, let shape), .multiArray(let others, let other)):
            self = shape == other ? .init(values.map { Float($0) }, others.map { Float($0) }) : .infinite
        case (.dictionary(let entries), .dictionary(let others)):
            let byKey = others.firstByKey(\.key)
            let values = entries.compactMap { byKey[$0.key]?.value }
            self =
                values.count == entries.count && entries.count == others.count
                ? .init(entries.map { Float($0.value) }, values.map { Float($0) }) : .infinite
        case (.image(let pixels), .image(let others)):
            let isSame =
                (pixels.width, pixels.height, pixels.channels) == (others.width, others.height, others.channels)
            self = isSame ? .init(pixels.bytes.map { Float($0) }, others.bytes.map { Float($0) }) : .infinite
        default:
            guard let value = a.numbers, let other = b.numbers else { return nil }
            self = .init(value.map { Float($0) }, other.map { Float($0) })
        }
    }

    private static var infinite: Comparison.Difference { .init([0], [.infinity]) }
}

extension Failure {
    fileprivate static func outputNamesDiffer(_ first: [String], _ second: [String]) -> Failure {
        Failure(
            .notComparable,
            "the first model has the outputs \(first.quotedList()), the second \(second.quotedList())",
            remedy: "both must have the same")
    }

    fileprivate static func outputTypesDiffer(_ name: String, _ first: FeatureType, _ second: FeatureType) -> Failure {
        Failure(
            .notComparable, "the output '\(name)' is \(first) in the first model and \(second) in the second",
            names: [name])
    }

    fileprivate static func labelCountsDiffer(_ first: Int, _ second: Int) -> Failure {
        Failure(
            .notComparable, "the first model has \(first) labels, the second \(second)",
            remedy: "the labels must be the same")
    }

    fileprivate static func pipelineOfNoImage(_ names: [String]) -> Failure {
        Failure(
            .notComparable,
            "the pipeline does not take a single image: its inputs are \(names.quotedList())",
            remedy: "\(task: .runPipeline) computes its outputs for rows of values")
    }
}
