import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `thaw classify`: prints results as they arrive, in the order of the images. It continues after images that cannot be
/// read.
func runClassify(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let names = Array(arguments.positional.dropFirst())
    try arguments.checkOutputs()
    let conversion = try arguments.model(at: path, takesPipelines: true)
    console.report(conversion)
    if conversion.model.labelsAreIndependent {
        console.note("this is a multi-label model: the probabilities need not add up to 1")
    }
    let origin = try arguments[Options.resume].map { _ in try ResultOrigin(path, arguments) }
    let resumed = try arguments[Options.resume].map { try ResumedFile($0, origin!) }
    let cancellation = Interruption.watch()
    let source = ImageSource(names, cancellation, resumed, maximumBytes: arguments.decoding.maximumBytes)
    // A list may arrive slowly.
    let first = source.first(names.contains("-") ? 1 : arguments.threads)
    if first.isEmpty, cancellation.isCanceled { return .interrupted }
    guard !first.isEmpty || source.skippedCount > 0 else {
        throw (names == ["-"] ? Failure.emptyList() : Failure.noImages()).inFile(names[0])
    }
    let classifier = try naming(file: path) { try arguments.classifier(conversion.model, first: first, names) }
    console.report(arguments[Options.precision])
    if let resumed { console.warn(of: resumed, arguments, classCount: conversion.model.classCount) }
    let report = try arguments[Options.report].map { try ReportFile($0, conversion.model, top: arguments[Options.top]) }
    let printer = ResultPrinter(
        format: resumed == nil ? arguments[Options.resultFormat] : .json, top: arguments[Options.top],
        isColored: console.isColored, origin: origin)
    let total = names.contains("-") ? nil : ImageSource.count(names)
    let work = ClassificationWork(
        console: console, printer: printer, resumed: resumed, report: report, cancellation: cancellation,
        tally: ImageTally(console, total: total, before: source.skippedCount))
    if resumed == nil { try console.print(printer.header) }
    try work.classify(source, with: classifier, threads: arguments.threads)
    source.changedFolders.forEach(console.warn)
    return try work.finish(source, arguments)
}

extension Console {
    /// Warns if results in the file have a different number of labels than the added ones.
    fileprivate func warn(of resumed: ResumedFile, _ arguments: Arguments, classCount: Int) {
        let count = min(arguments[Options.top], classCount)
        guard let other = resumed.labelCounts.subtracting([count]).sorted().first else { return }
        let file = arguments[Options.resume]!
        warn(
            "\(file) has results of \(other) labels; the added results have \(count), as set by \(Options.top.spelling)"
        )
    }
}

extension Arguments {
    /// A classifier for the images that begin with `first`. Each image uses one thread, or several if there are fewer
    /// images than threads.
    fileprivate func classifier(_ model: Model, first: [ImageFile], _ names: [String]) throws -> Classifier {
        let isSingle = names == ["-"] && first.first?.content != nil
        let isListed = names.contains("-") && !isSingle
        // For a report, images are decoded together with their thumbnails.
        let readsAhead = threads > 1 && self[Options.report] == nil && !isSingle
        return try classifier(
            model, threads: isListed ? 1 : max(1, threads / max(first.count, 1)),
            first: readsAhead ? first.first?.path : nil)
    }

    /// - Throws: `Failure` if results are to be written to two files, or results and report to the same one.
    fileprivate func checkOutputs() throws {
        guard let resumed = self[Options.resume] else { return }
        if isGiven(Options.resultFormat), self[Options.resultFormat] != .json {
            throw Failure.cannotCombine(
                Options.resume.spelling + ", which writes JSON,", "another " + Options.resultFormat.spelling)
        }
        if isGiven(Options.resultFile) {
            throw Failure.cannotCombine(Options.resume.spelling, Options.resultFile.spelling)
        }
        if let report = self[Options.report], canonicalPath(of: resumed) == canonicalPath(of: report) {
            throw Failure.sameFile(Options.resume.spelling, Options.report.spelling).inFile(resumed)
        }
    }
}

/// Writes and counts the results as they come.
private final class ClassificationWork {
    private let console: Console
    private let printer: ResultPrinter
    private let resumed: ResumedFile?
    private let report: ReportFile?
    private let cancellation: Cancellation
    private let tally: ImageTally
    private var hasNotedNonProbabilities = false
    private var labelsAreIndependent = false
    /// Whether the reader of the results has closed the pipe.
    private var isClosed = false

    init(
        console: Console, printer: ResultPrinter, resumed: ResumedFile?, report: ReportFile?,
        cancellation: Cancellation, tally: ImageTally
    ) {
        (self.console, self.printer, self.resumed, self.report) = (console, printer, resumed, report)
        (self.cancellation, self.tally) = (cancellation, tally)
    }

    /// Classifies the images until the user interrupts it.
    func classify(_ source: ImageSource, with classifier: Classifier, threads: Int) throws {
        defer { tally.clear() }
        labelsAreIndependent = classifier.model.labelsAreIndependent
        try cancellation.stoppable {
            try classifier.classify(
                images: source, threads: threads, thumbnailSide: report.map { _ in ReportFile.thumbnailSide }
            ) { image, result in
                try take(image, result)
                try cancellation.check()
            }
        }
    }

    private func take(_ image: String, _ result: Result<Classification, Failure>) throws {
        switch result {
        case .success(let classification):
            tally.warn(image, classification.warning)
            if !hasNotedNonProbabilities,
                let reason = Evaluation.whyNotProbabilities(
                    classification.probabilities, areIndependent: labelsAreIndependent)
            {
                hasNotedNonProbabilities = true
                tally.note("the model's outputs are not probabilities: \(reason)")
            }
            try put(printer.text(image, classification))
        case .failure(let failure):
            tally.countFailure()
            if let row = printer.text(image, failure) {
                try put(row)
            } else {
                tally.report(failure)
            }
        }
        try report?.add(image, result)
        tally.advance()
    }

    private func put(_ text: String) throws {
        if let resumed { return try resumed.append(text, console) }
        if isClosed { return }
        // On a terminal, results and progress line would overlap.
        if console.results == nil, Console.isTerminal(STDOUT_FILENO) { tally.clear() }
        do {
            try console.print(text, restoringNames: printer.format != .json)
        } catch let closed as ClosedPipe {
            // The report must still be written.
            if report == nil { throw closed }
            isClosed = true
        }
    }

    // MARK: The end

    /// Writes the report, and prints a summary.
    func finish(_ source: ImageSource, _ arguments: Arguments) throws -> ExitStatus {
        let added = tally.done - tally.failures
        // Without new results, keep the earlier report.
        if added > 0 || source.skippedCount == 0 {
            let title = "\(grouped(tally.done, "photo"))"
            try report?.finish(title: title, subtitle: arguments.positional[0], summary: nil)
        }
        if let page = arguments[Options.report], source.skippedCount > 0 {
            console.note(
                added > 0
                    ? "\(page) shows only the added results; without \(Options.resume.spelling) it shows all"
                    : "nothing was added, and \(page) was not written")
        }
        if let resumed, source.skippedCount > 0 {
            let failed = tally.failures == 0 ? "" : "; could not be read: \(grouped(tally.failures))"
            console.note("existing results: \(grouped(resumed.count)); added: \(grouped(added))\(failed)")
        }
        return tally.finish(cancellation, skippedCount: source.skippedCount)
    }
}

/// The images to classify: those that the names refer to, without those from an earlier run.
final class ImageSource: Sequence, IteratorProtocol {
    private let files: ImageFiles
    private let cancellation: Cancellation
    private let resumed: ResumedFile?
    private var waiting: ArraySlice<ImageFile> = []
    /// The number of images from an earlier run.
    private(set) var skippedCount = 0

    init(_ names: [String], _ cancellation: Cancellation, _ resumed: ResumedFile? = nil, maximumBytes: Int) {
        let lines = names.contains("-") ? InputLines(cancellation, maximumBytes: maximumBytes) : nil
        files = ImageFiles(names, list: lines)
        (self.cancellation, self.resumed) = (cancellation, resumed)
    }

    /// The folders whose images have changed since they were listed.
    var changedFolders: [ChangedFolder] { files.changedFolders }

    /// The first images, up to `count`. `next` returns them again.
    func first(_ count: Int) -> [ImageFile] {
        var images: [ImageFile] = []
        while images.count < count, let image = next() { images.append(image) }
        waiting = images[...]
        return images
    }

    func next() -> ImageFile? {
        if let image = waiting.popFirst() { return image }
        while !cancellation.isCanceled, let image = files.next() {
            // Standard input is a different image each time.
            if image.content != nil || resumed?.contains(image.path) != true { return image }
            skippedCount += 1
        }
        return nil
    }

    /// The number of images that `names` refer to; nil if no progress is shown.
    static func count(_ names: [String]) -> Int? {
        Console.isTerminal(STDERR_FILENO) ? ImageFiles(names).reduce(0) { count, _ in count + 1 } : nil
    }
}
