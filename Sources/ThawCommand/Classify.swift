import Thaw

/// `thaw classify`: prints results as they come, in the order of the images. Images that cannot be read do not stop it.
func runClassify(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let names = Array(arguments.positional.dropFirst())
    try arguments.checkOutputs()
    let conversion = try arguments.model(at: path)
    if conversion.isGraph { console.tell(of: conversion) } else { conversion.warnings.forEach(console.warn) }
    if conversion.model.labelsAreIndependent {
        console.note("this is a multi-label model: the probabilities need not add up to 1")
    }
    let origin = try arguments[Options.resume].map { _ in try ResultOrigin(path, arguments) }
    let resumed = try arguments[Options.resume].map { try ResumedFile($0, origin!) }
    let cancellation = Interruption.watch()
    let source = ImageSource(names, cancellation, resumed, maximumBytes: arguments.decoding.maximumBytes)
    let threads = arguments.threads
    // One image per thread; with fewer images than threads, each image uses several. A list may arrive slowly.
    let isListed = names.contains("-")
    let first = source.first(isListed ? 1 : threads)
    let isSingle = names == ["-"] && first.first?.content != nil
    if first.isEmpty, cancellation.isCancelled { return .interrupted }
    guard !first.isEmpty || source.passedOver > 0 else {
        throw (names == ["-"] ? Failure.emptyList() : Failure.noImages()).inFile(names[0])
    }
    let classifier = try blaming(path) {
        // For a report, images are decoded together with their thumbnails.
        try arguments.classifier(
            conversion.model, threads: isListed && !isSingle ? 1 : max(1, threads / max(first.count, 1)),
            first: threads > 1 && arguments[Options.report] == nil && !isSingle ? first.first?.path : nil)
    }
    let labelCount = min(arguments[Options.top], conversion.model.classCount)
    if let resumed, let other = resumed.labelCounts.subtracting([labelCount]).sorted().first {
        let file = arguments[Options.resume]!
        console.warn("\(file) has results of \(other) labels; the added ones have \(labelCount), as --top says")
    }
    let report = try arguments[Options.report].map { try ReportFile($0, conversion.model, top: arguments[Options.top]) }
    let printer = ResultPrinter(
        format: resumed == nil ? arguments[Options.resultFormat] : .json, top: arguments[Options.top],
        isColored: console.isColored, origin: origin)
    var work = Work(console: console, printer: printer, resumed: resumed, report: report)
    work.progress = Progress(
        console, total: isListed ? nil : ImageSource.count(names), before: source.passedOver)
    if resumed == nil { try console.print(printer.header) }
    defer { work.progress?.clear() }
    do {
        try classifier.classify(
            images: source, threads: threads, thumbnailSide: report.map { _ in ReportFile.thumbnailSide }
        ) { image, answer in
            try work.take(image, answer)
            if cancellation.isCancelled { throw Interrupted() }
        }
    } catch is Interrupted {
    } catch {
        // A thread may be waiting for the next line of the list.
        cancellation.cancel()
        throw error
    }
    work.progress?.clear()
    source.changedFolders.forEach(console.warn)
    // Without new results, keep the earlier report.
    let added = work.done - work.failures
    if added > 0 || source.passedOver == 0 {
        let title = "\(grouped(work.done)) \(work.done == 1 ? "photo" : "photos")"
        try report?.finish(title: title, subtitle: path, summary: nil)
    }
    if let page = arguments[Options.report], source.passedOver > 0 {
        console.note(
            added > 0
                ? "\(page) shows only the added results; without --resume it shows all"
                : "nothing was added, and \(page) was not written")
    }
    if let resumed, source.passedOver > 0 {
        let failed = work.failures == 0 ? "" : "; could not be read: \(grouped(work.failures))"
        console.note(
            "existing results: \(grouped(resumed.count)); added: \(grouped(added))\(failed)")
    }
    if work.done > 1, !cancellation.isCancelled, let summary = work.progress?.summary(failures: work.failures) {
        console.note(summary)
    }
    if cancellation.isCancelled {
        console.note("interrupted after \(grouped(work.done)) \(work.done == 1 ? "image" : "images")")
        return .interrupted
    }
    return work.failures == 0 ? .done : work.failures < work.done + source.passedOver ? .someInputsFailed : .failed
}

extension Arguments {
    /// - Throws: `Failure` if results are to go to two places, or two kinds of them to one.
    fileprivate func checkOutputs() throws {
        guard let resumed = self[Options.resume] else { return }
        if isGiven(Options.resultFormat), self[Options.resultFormat] != .json {
            throw Failure.exclude("--resume, which writes JSON,", "another --format")
        }
        if isGiven(Options.results) { throw Failure.exclude("--resume", "--out") }
        if let report = self[Options.report], place(of: resumed) == place(of: report) {
            throw Failure.sameFile("--resume", "--report").inFile(resumed)
        }
    }
}

/// Thrown to stop when the user interrupts the command.
struct Interrupted: Error {}

/// Writes and counts the results as they come.
private struct Work {
    let console: Console
    let printer: ResultPrinter
    let resumed: ResumedFile?
    let report: ReportFile?
    var progress: Progress?
    private(set) var done = 0
    private(set) var failures = 0
    private var hasToldOfNumbers = false
    private var hints: Set<String> = []
    /// Whether the reader of the results is gone.
    private var isClosed = false

    init(console: Console, printer: ResultPrinter, resumed: ResumedFile?, report: ReportFile?) {
        (self.console, self.printer, self.resumed, self.report) = (console, printer, resumed, report)
    }

    mutating func take(_ image: String, _ answer: Result<Classification, Failure>) throws {
        done += 1
        switch answer {
        case .success(let classification):
            if let warning = classification.warning {
                progress?.clear()
                console.warn("\(image): \(warning)")
            }
            if !hasToldOfNumbers, let best = classification.top(1).first,
                !Evaluation.mayBeProbability(best.probability)
            {
                hasToldOfNumbers = true
                progress?.clear()
                console.note("the model's outputs are not probabilities: they are outside 0 to 1")
            }
            try put(printer.text(image, classification))
        case .failure(let failure):
            failures += 1
            if let row = printer.text(image, failure) {
                try put(row)
            } else {
                progress?.clear()
                console.report(failure, &hints)
            }
        }
        try report?.add(image, answer)
        progress?.advance()
    }

    private mutating func put(_ text: String) throws {
        if let resumed { return try resumed.append(text, console) }
        if isClosed { return }
        // On a terminal, results and progress line would overlap.
        if console.results == nil, Console.isTerminal(1) { progress?.clear() }
        do {
            try console.print(text, restoringNames: printer.format != .json)
        } catch let closed as ClosedPipe {
            // The report is still to be written.
            if report == nil { throw closed }
            isClosed = true
        }
    }
}

/// The images to classify: those that the names refer to, without those that an earlier run has done.
final class ImageSource: Sequence, IteratorProtocol {
    private let files: ImageFiles
    private let cancellation: Cancellation
    private let resumed: ResumedFile?
    private var waiting: ArraySlice<FoundImage> = []
    /// How many an earlier run has done.
    private(set) var passedOver = 0

    init(_ names: [String], _ cancellation: Cancellation, _ resumed: ResumedFile? = nil, maximumBytes: Int) {
        let lines = InputLines(cancellation, maximumBytes: maximumBytes)
        files = ImageFiles(names, list: names.contains("-") ? { lines.next() } : nil)
        (self.cancellation, self.resumed) = (cancellation, resumed)
    }

    /// The folders whose images have changed since they were listed.
    var changedFolders: [ChangedFolder] { files.changedFolders }

    /// The first images, up to `count`. `next` returns them again.
    func first(_ count: Int) -> [FoundImage] {
        var images: [FoundImage] = []
        while images.count < count, let image = next() { images.append(image) }
        waiting = images[...]
        return images
    }

    func next() -> FoundImage? {
        if let image = waiting.popFirst() { return image }
        while !cancellation.isCancelled, let image = files.next() {
            // What is on standard input is another image each time.
            if image.content != nil || resumed?.contains(image.path) != true { return image }
            passedOver += 1
        }
        return nil
    }

    /// How many images `names` refer to; nil if no progress is shown.
    static func count(_ names: [String]) -> Int? {
        Console.isTerminal(2) ? ImageFiles(names).reduce(0) { count, _ in count + 1 } : nil
    }
}
