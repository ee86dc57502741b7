import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `thaw evaluate`: measures a model's accuracy on photos whose classes are known.
func runEvaluate(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    if let file = arguments[Options.coco] { return try evaluateDetector(arguments, console, annotations: file) }
    for option in [Options.confidence, Options.iou] where arguments.isGiven(option) {
        throw Failure.needsOption(option.spelling, Options.coco.spelling)
    }
    let (path, truthPath) = (arguments.positional[0], arguments.positional[1])
    let conversion = try arguments.model(at: path, takesPipelines: true)
    console.report(conversion)
    let model = conversion.model
    let classifier = try naming(file: path) { try arguments.classifier(model, threads: 1) }
    console.report(arguments[Options.precision])
    let baseline = try arguments[Options.baseline].map { try arguments.baseline(at: $0, for: model) }
    let truth = try GroundTruth(contentsOfFile: truthPath, for: model, offset: arguments[Options.offset])
    truth.notes.forEach(console.note)
    let report = try arguments[Options.report].map { try ReportFile($0, model, top: 5) }

    let run = EvaluationRun(console, arguments, total: truth.images.count * (baseline == nil ? 1 : 2))
    guard let measured = try run.evaluate(classifier, truth.images, report: report, baseline: baseline) else {
        console.note("interrupted; partial results are not printed")
        return .interrupted
    }
    let result = EvaluationResult(
        model: path, truth: truthPath, labels: model.classifier?.labels, evaluation: measured.first.evaluation,
        images: measured.first.images, failures: measured.first.failures, baseline: measured.baseline)
    truth.changedFolders.forEach(console.warn)
    if truth.hasIndices { console.noteLikelyOffset(result, arguments[Options.offset]) }
    guard !result.images.isEmpty else { return .failed }
    // Write the page first: printing fails if the reader of the results has closed the pipe.
    try report?.finish(
        title: "How accurate is the model?", subtitle: path, summary: result.json,
        provenance: try arguments.provenance(of: result, model))
    try console.print(result, arguments[Options.resultFormat])
    if let summary = run.summary { console.note("\(summary)") }
    return result.failed == 0 ? .done : .someInputsFailed
}

extension Console {
    /// Suggests another offset of the class indices if most predictions differ from them by the same number.
    fileprivate func noteLikelyOffset(_ result: EvaluationResult, _ offset: Int) {
        guard let likely = result.evaluation.likelyOffset else { return }
        note(
            .offsetLikely(
                offset + likely.offset, right: likely.count, insteadOf: result.evaluation.topAccuracy(1).part,
                of: result.images.count))
    }

    fileprivate func print(_ result: EvaluationResult, _ format: ResultFormat) throws {
        switch format {
        case .text:
            let columns = Console.isTerminal(STDOUT_FILENO) ? Console.width(of: STDOUT_FILENO) : .max
            try print(EvaluationText(result, columns: columns).text)
        case .json: try print(result.json.text + "\n", restoringNames: false)
        case .csv: try print(result.csv)
        }
    }
}

/// The other model of a comparison, and the mapping between the classes of both.
struct BaselineModel {
    let path: String
    let classifier: Classifier
    /// For each class of the first model, the index of the same class of this one, or -1.
    private let classes: [Int32]
    private let back: [Int32: Int32]

    init(path: String, classifier: Classifier, for model: Model) throws {
        (self.path, self.classifier) = (path, classifier)
        if let baselineLabels = classifier.model.classifier?.labels, let labels = model.classifier?.labels {
            let indices = Dictionary(
                baselineLabels.enumerated().map { ($1, Int32($0)) }, uniquingKeysWith: { first, _ in first })
            classes = labels.map { indices[$0] ?? -1 }
        } else if classifier.model.classCount == model.classCount {
            classes = (0..<Int32(model.classCount)).map { $0 }
        } else {
            throw Failure.otherClasses(model.classCount, classifier.model.classCount).inFile(path)
        }
        if let missing = classes.firstIndex(of: -1) {
            throw Failure.missingLabel(model.classifier?.labels[missing] ?? "\(missing)").inFile(path)
        }
        back = Dictionary(classes.enumerated().map { ($1, Int32($0)) }, uniquingKeysWith: { first, _ in first })
    }

    func image(_ image: GroundTruth.Image) -> GroundTruth.Image {
        GroundTruth.Image(
            path: image.path, classIndex: Int(classes[image.classIndex]), others: image.others.map { Int(classes[$0]) })
    }

    /// The first model's index of a class of this model; -1 if it has no such class.
    func translate(_ index: Int32) -> Int32 { back[index] ?? -1 }
}

extension Arguments {
    /// The other side of a comparison: another model, or the same one in float32.
    func baseline(at path: String, for model: Model) throws -> BaselineModel {
        let other = try load(path, converterOptions(), takesPipelines: true).conversion.model
        return try naming(file: path) {
            try BaselineModel(path: path, classifier: classifier(other, precision: .float32, threads: 1), for: model)
        }
    }
}

/// The result of one model on the photos.
private struct Measured {
    var evaluation: Evaluation
    /// The photos that could be read.
    var images: [GroundTruth.Image] = []
    var failures: [EvaluationResult.Failed] = []

    init(_ model: Model) {
        evaluation = Evaluation(classCount: model.classCount, labelsAreIndependent: model.labelsAreIndependent)
    }

    /// Adds the result of a photo, and returns its true class.
    mutating func add(_ result: Result<Classification, Failure>, of image: GroundTruth.Image) -> Int {
        switch result {
        case .success(let classification):
            evaluation.add(classification, truth: image.classIndex, others: image.others)
            images.append(image)
            // Of several true labels, the most probable one counts.
            return Int(evaluation.outcomes.last!.truth)
        case .failure(let failure):
            failures.append(.init(image: image, failure: failure))
            return image.classIndex
        }
    }
}

/// The work of an evaluation: runs one model after the other on all photos.
private struct EvaluationRun {
    private let console: Console
    private let threads: Int
    private let cancellation = Interruption.watch()
    /// The number of photos, counted once per model.
    private let total: Int
    private let tally: ImageTally

    init(_ console: Console, _ arguments: Arguments, total: Int) {
        (self.console, self.total, threads) = (console, total, arguments.threads)
        tally = ImageTally(console, total: total)
    }

    /// The summary at the end, on a terminal; nil elsewhere.
    var summary: String? { total > 1 ? tally.summary : nil }

    /// Evaluates the model, and then the baseline.
    /// - Returns: nil if the user interrupts it.
    func evaluate(
        _ classifier: Classifier, _ images: [GroundTruth.Image], report: ReportFile?, baseline: BaselineModel?
    ) throws -> (first: Measured, baseline: EvaluationResult.Baseline?)? {
        do {
            let first = try evaluate(classifier, images, report: report, reportsProblems: true)
            return (first, try baseline.map { try compare(first.evaluation, first.images, with: $0) })
        } catch is Interrupted {
            return nil
        }
    }

    /// - Parameter reportsProblems: Whether problems with photos are reported: they are once, with the first model.
    private func evaluate(
        _ classifier: Classifier, _ images: [GroundTruth.Image], report: ReportFile? = nil, reportsProblems: Bool
    ) throws -> Measured {
        var measured = Measured(classifier.model)
        var index = 0
        defer { tally.clear() }
        try classifier.classify(
            images: images.lazy.map { ImageFile(path: $0.path) }, threads: threads,
            thumbnailSide: report.map { _ in ReportFile.thumbnailSide }
        ) { path, result in
            let image = images[index]
            index += 1
            if reportsProblems { tally.report(result, of: path) }
            let truth = measured.add(result, of: image)
            try report?.add(path, result, truth: truth)
            tally.advance()
            try cancellation.check()
        }
        return measured
    }

    /// Evaluates the baseline on the photos that the model was evaluated on.
    private func compare(
        _ evaluation: Evaluation, _ images: [GroundTruth.Image], with baseline: BaselineModel
    ) throws -> EvaluationResult.Baseline {
        let other = try evaluate(baseline.classifier, images.map { baseline.image($0) }, reportsProblems: false)
        guard other.images.count == images.count else { throw Failure.readablePhotosDiffer() }
        let unknown = other.evaluation.outcomes.count { $0.confidence.isNaN }
        if unknown > 0 { console.warn("\(baseline.path): \(grouped(unknown)) of its predictions are NaN") }
        let comparison = PairedComparison(evaluation, other.evaluation) { $0 == baseline.translate($1) }
        return EvaluationResult.Baseline(
            model: baseline.path, evaluation: other.evaluation, comparison: comparison, translate: baseline.translate)
    }
}

extension ImageTally {
    /// Prints the warning of a photo that was classified, or counts and prints its failure.
    fileprivate func report(_ result: Result<Classification, Failure>, of image: String) {
        switch result {
        case .success(let classification): warn(image, classification.warning)
        case .failure(let failure):
            countFailure()
            report(failure)
        }
    }
}
