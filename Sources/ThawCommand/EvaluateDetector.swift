import Thaw

/// `thaw evaluate --coco`: measures a detector on photos whose objects are annotated.
func evaluateDetector(_ arguments: Arguments, _ console: Console, annotations file: String) throws -> ExitStatus {
    let (path, folder) = (arguments.positional[0], arguments.positional[1])
    try arguments.checkDetectorOptions()
    let detector = try arguments.detector(at: path, threads: 1)
    console.report(arguments[Options.precision])
    guard let labels = detector.labels else { throw Failure.detectorWithoutLabels().inFile(path) }
    let annotations = try COCOAnnotations(contentsOfFile: file)
    let categories = try naming(file: file) { try annotations.categories(of: labels) }
    let unused = categories.count { $0 == nil }
    if unused > 0 { console.note("labels without a category, whose objects are not counted: \(grouped(unused))") }

    let run = DetectorRun(annotations, categories, console)
    do {
        try run.evaluate(detector, photosIn: folder, threads: arguments.threads)
    } catch is Interrupted {
        console.note("interrupted; partial results are not printed")
        return .interrupted
    }
    guard run.evaluation.imageCount > 0 else { return .failed }
    let result = DetectorResult(
        model: path, annotations: file, categories: annotations.categories.map(\.name), evaluation: run.evaluation,
        failed: run.failures, detector: detector)
    switch arguments[Options.resultFormat] {
    case .json: try console.print(result.json.text + "\n", restoringNames: false)
    case .text, .csv: try console.print(result.text)
    }
    return run.failures == 0 ? .done : .someInputsFailed
}

extension Arguments {
    /// - Throws: `Failure` for options that apply only to classifiers.
    fileprivate func checkDetectorOptions() throws {
        let others: [any AnyOption] =
            [Options.offset, Options.baseline, Options.report, Options.fast, Options.labels] + OptionGroups.graphInput
        if let option = others.first(where: { isGiven($0) }) {
            throw Failure.cannotCombine(Options.coco.spelling, option.spelling)
        }
        guard self[Options.resultFormat] != .csv else {
            throw Failure.cannotCombine(Options.coco.spelling, Options.resultFormat.spelling + " csv")
        }
    }
}

/// The work of an evaluation: detects objects in the photos and compares them with the annotated ones.
private final class DetectorRun {
    private let annotations: COCOAnnotations
    /// The category of each label; nil if it has none.
    private let categories: [Int?]
    private let cancellation = Interruption.watch()
    private let tally: ImageTally
    private(set) var evaluation: DetectionEvaluation
    /// The number of photos that could not be read.
    var failures: Int { tally.failures }

    init(_ annotations: COCOAnnotations, _ categories: [Int?], _ console: Console) {
        (self.annotations, self.categories) = (annotations, categories)
        tally = ImageTally(console, total: annotations.images.count)
        evaluation = DetectionEvaluation(categoryCount: annotations.categories.count)
    }

    func evaluate(_ detector: Detector, photosIn folder: String, threads: Int) throws {
        let root = folder.hasSuffix("/") ? folder : folder + "/"
        let images = annotations.images.lazy.map { ImageFile(path: root + $0.fileName) }
        var index = 0
        defer { tally.clear() }
        try detector.detect(images: images, threads: threads) { image, result in
            let truth = annotations.objects(in: annotations.images[index])
            index += 1
            switch result {
            case .success(let detection):
                tally.warn(image, detection.warning)
                evaluation.add(truths: truth, predictions: predictions(detection))
            case .failure(let failure):
                tally.countFailure()
                tally.report(failure)
            }
            tally.advance()
            try cancellation.check()
        }
    }

    /// The objects whose labels have categories.
    private func predictions(_ detection: Detection) -> [DetectionEvaluation.Prediction] {
        detection.objects.compactMap { object in
            categories[object.index].map {
                DetectionEvaluation.Prediction(category: $0, box: object.box, confidence: Double(object.confidence))
            }
        }
    }
}

/// The result of evaluating a detector, to be printed.
private struct DetectorResult {
    let model: String
    let annotations: String
    /// The names of the categories.
    let categories: [String]
    let evaluation: DetectionEvaluation
    /// The number of photos that could not be read.
    let failed: Int
    let detector: Detector

    private static let names = [
        "ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar1", "ar10", "ar100", "ar_small", "ar_medium",
        "ar_large",
    ]

    var json: JSON {
        let figures = zip(Self.names, evaluation.precision.all).map { (key: $0, value: JSON(floating: $1)) }
        let rows = categories.enumerated().map { index, name -> JSON in
            let precision = evaluation.precision(ofCategory: index)
            return .object([
                ("label", .string(name)), ("objects", JSON(evaluation.truthCounts[index])),
                ("ap", JSON(floating: precision.averagePrecision)),
                ("ap50", JSON(floating: precision.averagePrecisionAt50)),
            ])
        }
        return .object(
            [
                ("model", .string(model)), ("annotations", .string(annotations)),
                ("images", JSON(evaluation.imageCount)), ("failed", JSON(failed)),
                ("objects", JSON(evaluation.truthCounts.reduce(0, +))),
                ("confidence_threshold", JSON(floating: detector.confidenceThreshold)),
                ("iou_threshold", JSON(floating: detector.iouThreshold)),
            ] + figures + [("categories", .array(rows))])
    }

    /// The categories, and then the summary, so that it remains visible on a terminal.
    var text: String {
        let width = max(8, categories.map { shown($0).columns }.max() ?? 0)
        var text = padded("category", width) + "  objects      AP    AP50\n"
        for (index, name) in categories.enumerated() {
            let precision = evaluation.precision(ofCategory: index)
            text += padded(shown(name), width) + padded(grouped(evaluation.truthCounts[index]), 9, left: true)
            for value in [precision.averagePrecision, precision.averagePrecisionAt50] {
                text += padded(Self.number(value), 8, left: true)
            }
            text += "\n"
        }
        let objects = evaluation.truthCounts.reduce(0, +)
        func line(_ heading: String, _ content: String) { text += padded(heading, 13) + content + "\n" }
        text += "\n"
        let unread = failed == 0 ? "" : "; \(grouped(failed)) could not be read"
        line("photos", "\(grouped(evaluation.imageCount)) with \(grouped(objects)) objects\(unread)")
        let confidence = detector.confidenceThreshold.description
        line("thresholds", "confidence \(confidence), IoU \(detector.iouThreshold.description)")
        let figures = evaluation.precision.all.map { Self.number($0) }
        line("AP", "\(figures[0]); at IoU 0.5 \(figures[1]), at 0.75 \(figures[2])")
        line("", "small \(figures[3]), medium \(figures[4]), large \(figures[5])")
        line("AR", "1 object \(figures[6]), 10 objects \(figures[7]), 100 objects \(figures[8])")
        line("", "small \(figures[9]), medium \(figures[10]), large \(figures[11])")
        return text
    }

    private static func number(_ value: Double?) -> String { value.map { fixed($0, 4) } ?? "–" }
}
