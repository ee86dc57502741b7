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

    let total = truth.images.count * (baseline == nil ? 1 : 2)
    let run = EvaluationRun(console, total: total, threads: arguments.threads, Interruption.watch())
    var result: EvaluationResult
    do {
        let first = try run.evaluate(classifier, truth.images, report: report)
        result = EvaluationResult(
            model: path, truth: truthPath, labels: model.classifier?.labels, evaluation: first.evaluation,
            images: first.images, failures: first.failures)
        if let baseline { result.baseline = try run.compare(first.evaluation, first.images, with: baseline) }
    } catch is Interrupted {
        console.note("interrupted; partial results are not printed")
        return .interrupted
    }
    truth.changedFolders.forEach(console.warn)
    if truth.hasIndices, let likely = result.evaluation.likelyOffset {
        console.note(
            .offsetLikely(
                arguments[Options.offset] + likely.offset, right: likely.count,
                insteadOf: result.evaluation.topAccuracy(1).part, of: result.images.count))
    }
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

/// The work of an evaluation: runs one model after the other on all photos.
private final class EvaluationRun {
    private let console: Console
    private let threads: Int
    private let cancellation: Cancellation
    /// The number of photos, counted once per model.
    private let total: Int
    private let progress: Progress?
    private var unreadableCount = 0
    private var isFirst = true

    init(_ console: Console, total: Int, threads: Int, _ cancellation: Cancellation) {
        (self.console, self.total, self.threads, self.cancellation) = (console, total, threads, cancellation)
        progress = Progress(console, total: total)
    }

    /// The summary at the end, on a terminal; nil elsewhere.
    var summary: String? { total > 1 ? progress?.summary(failures: unreadableCount) : nil }

    /// - Returns: The result, the photos that could be read, and the failures of the others.
    func evaluate(
        _ classifier: Classifier, _ images: [GroundTruth.Image], report: ReportFile? = nil
    ) throws -> (evaluation: Evaluation, images: [GroundTruth.Image], failures: [EvaluationResult.Failed]) {
        let model = classifier.model
        var evaluation = Evaluation(classCount: model.classCount, labelsAreIndependent: model.labelsAreIndependent)
        var failures: [EvaluationResult.Failed] = []
        var read: [GroundTruth.Image] = []
        var hints: Set<Phrase> = []
        var index = 0
        // Problems with a photo are reported once, with the first model.
        let reportsProblems = isFirst
        isFirst = false
        defer { progress?.clear() }
        try classifier.classify(
            images: images.lazy.map { ImageFile(path: $0.path) }, threads: threads,
            thumbnailSide: report.map { _ in ReportFile.thumbnailSide }
        ) { path, answer in
            let image = images[index]
            index += 1
            switch answer {
            case .success(let classification):
                evaluation.add(classification, truth: image.classIndex, others: image.others)
                read.append(image)
                if reportsProblems, let warning = classification.warning {
                    progress?.clear()
                    console.warn("\(path): \(warning)")
                }
            case .failure(let failure):
                progress?.clear()
                if reportsProblems {
                    console.report(failure, &hints)
                    unreadableCount += 1
                }
                failures.append(.init(image: image, failure: failure))
            }
            // Of several true labels, the most probable one counts.
            let truth = (try? answer.get()).map { _ in Int(evaluation.outcomes.last!.truth) }
            try report?.add(path, answer, truth: truth ?? image.classIndex)
            progress?.advance()
            try cancellation.check()
        }
        return (evaluation, read, failures)
    }

    /// Evaluates the baseline on the photos that the model was evaluated on.
    func compare(
        _ evaluation: Evaluation, _ images: [GroundTruth.Image], with baseline: BaselineModel
    ) throws -> EvaluationResult.Baseline {
        let other = try evaluate(baseline.classifier, images.map { baseline.image($0) })
        guard other.images.count == images.count else { throw Failure.readablePhotosDiffer() }
        let unknown = other.evaluation.outcomes.count { $0.confidence.isNaN }
        if unknown > 0 { console.warn("\(baseline.path): \(grouped(unknown)) of its predictions are NaN") }
        let comparison = PairedComparison(evaluation, other.evaluation) { $0 == baseline.translate($1) }
        return EvaluationResult.Baseline(
            model: baseline.path, evaluation: other.evaluation, comparison: comparison, translate: baseline.translate)
    }
}
