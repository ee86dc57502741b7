import Thaw

/// `thaw detect`: prints the objects in images, in the order of the images. It continues after images that cannot be
/// read.
func runDetect(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let names = Array(arguments.positional.dropFirst())
    let targets = try arguments.drawings(of: names)
    let cancellation = Interruption.watch()
    let source = ImageSource(
        targets?.map(\.source) ?? names, cancellation, maximumBytes: arguments.decoding.maximumBytes)
    // A list may arrive slowly.
    let isListed = targets == nil && names.contains("-")
    let first = source.first(isListed ? 1 : arguments.threads)
    if first.isEmpty, cancellation.isCanceled { return .interrupted }
    guard !first.isEmpty else { throw (names == ["-"] ? Failure.emptyList() : Failure.noImages()).inFile(names[0]) }
    let detector = try arguments.detector(at: path, threads: isListed ? 1 : max(1, arguments.threads / first.count))
    console.report(arguments[Options.precision])
    console.note("\(arguments.crop.description(to: detector.image))")
    let total = targets?.count ?? (isListed ? nil : ImageSource.count(names))
    let work = DetectionWork(arguments, console, cancellation, total: total)
    try work.detect(source, with: detector, targets, arguments)
    source.changedFolders.forEach(console.warn)
    return work.finish()
}

extension Arguments {
    /// A detector that reads and fits images with the given options.
    func detector(at path: String, threads: Int) throws -> Detector {
        var options = Detector.Options()
        (options.crop, options.resize, options.decoding) = (crop, self[Options.resize], decoding)
        (options.confidenceThreshold, options.iouThreshold) = (self[Options.confidence], self[Options.iou])
        return try Detector(
            contentsOfFile: path, options: options, precision: self[Options.precision], threads: threads)
    }

    /// The images with the files for drawings of their boxes; nil if none are requested.
    fileprivate func drawings(of names: [String]) throws -> [ImageJob]? {
        guard let target = self[Options.drawings] else {
            for option in [Options.noClobber as any AnyOption, Options.quality] where isGiven(option) {
                throw Failure.needsOption(option.spelling, "-o")
            }
            return nil
        }
        guard !names.contains("-") else { throw Failure.cannotCombine("-o", "standard input") }
        return try ImageJob.all(of: names, names.map { ImageFiles([$0]) }, to: target)
    }
}

extension Crop {
    /// A note on how photos are fitted to the model's image.
    fileprivate func description(to image: ImageInput) -> String {
        let size = "\(image.size.optionText) pixels"
        return switch self {
        case .fill: "photos are stretched to \(size); \(Options.crop.spelling) fit keeps their aspect ratio"
        case .center: "only the central square of photos is used, resized to \(size)"
        case .fit: "photos are letterboxed to \(size)"
        }
    }
}

/// Writes and counts the results as they come.
private struct DetectionWork {
    private let console: Console
    private let format: ResultFormat
    private let cancellation: Cancellation
    private let tally: ImageTally

    init(_ arguments: Arguments, _ console: Console, _ cancellation: Cancellation, total: Int?) {
        (self.console, self.cancellation, format) = (console, cancellation, arguments[Options.resultFormat])
        tally = ImageTally(console, total: total)
    }

    func detect(
        _ source: ImageSource, with detector: Detector, _ targets: [ImageJob]?, _ arguments: Arguments
    ) throws {
        if format == .csv { try console.print(DetectionRows.header) }
        let (quality, mayReplace) = (arguments[Options.quality], !arguments[Options.noClobber])
        let jobs = targets.map { Dictionary($0.map { ($0.source, $0) }, uniquingKeysWith: { first, _ in first }) }
        var draw: (@Sendable (String, Pixels, Detection) throws -> Void)?
        if let jobs {
            draw = { path, pixels, detection in
                guard let job = jobs[path] else { return }
                try job.prepare(mayReplace: mayReplace)
                try pixels.drawing(detection.marks)
                    .write(toFile: job.target, quality: quality, mayReplace: mayReplace)
            }
        }
        defer { tally.clear() }
        try cancellation.stoppable {
            try detector.detect(images: source, threads: arguments.threads, inspecting: draw) { image, result in
                try take(image, result)
                try cancellation.check()
            }
        }
    }

    private func take(_ image: String, _ result: Result<Detection, Failure>) throws {
        // On a terminal, results and progress line would overlap.
        tally.clear()
        switch result {
        case .success(let detection):
            tally.warn(image, detection.warning)
            try console.print(DetectionRows.text(format, image, detection), restoringNames: format != .json)
        case .failure(let failure):
            tally.countFailure()
            if let row = DetectionRows.text(format, image, failure) {
                try console.print(row, restoringNames: format != .json)
            } else {
                tally.report(failure)
            }
        }
        tally.advance()
    }

    func finish() -> ExitStatus { tally.finish(cancellation) }
}

extension Detection {
    /// The objects as boxes to draw, with label and confidence.
    fileprivate var marks: [BoxMark] {
        objects.map { object in
            BoxMark(
                x: object.box.x, y: object.box.y, width: object.box.width, height: object.box.height,
                text: "\(object.label) \(fixed(Double(object.confidence), 2))",
                color: BoxMark.color(ofClass: object.index))
        }
    }
}

/// Formats the objects in an image: a block, line or rows.
enum DetectionRows {
    static let header = "image,rank,label,index,confidence,x,y,width,height,error\n"

    static func text(_ format: ResultFormat, _ image: String, _ detection: Detection) -> String {
        switch format {
        case .text:
            let width = detection.objects.map { shown($0.label).columns }.max() ?? 0
            let lines = detection.objects.map { object in
                let box = [object.box.x, object.box.y, object.box.width, object.box.height].map { fixed($0, 1) }
                let label = padded(shown(object.label), width)
                return "  \(padded(fixed(Double(object.confidence), 4), 7, left: true))  \(label)  "
                    + "x \(box[0]), y \(box[1]), \(box[2]) × \(box[3])\n"
            }
            return Console.named(image) + "\n" + (lines.isEmpty ? "  no objects\n" : lines.joined())
        case .json:
            return JSON.object([
                ("image", .string(image)), ("width", JSON(detection.width)), ("height", JSON(detection.height)),
                ("objects", .array(detection.objects.map(json))),
            ]).text + "\n"
        case .csv:
            return detection.objects.enumerated().map { rank, object in
                let box = [object.box.x, object.box.y, object.box.width, object.box.height]
                let fields = ["\(rank + 1)", csv(object.label), "\(object.index)", object.confidence.description]
                return ([csv(image)] + fields + box.map { fixed($0, 4) } + [""]).joined(separator: ",") + "\n"
            }.joined()
        }
    }

    private static func json(_ object: Detection.Object) -> JSON {
        .object([
            ("label", .string(object.label)), ("index", JSON(object.index)),
            ("confidence", JSON(floating: object.confidence)), ("x", JSON(object.box.x, digits: 4)),
            ("y", JSON(object.box.y, digits: 4)), ("width", JSON(object.box.width, digits: 4)),
            ("height", JSON(object.box.height, digits: 4)),
        ])
    }

    /// The result for an image that failed; nil if the format has none.
    static func text(_ format: ResultFormat, _ image: String, _ failure: Failure) -> String? {
        var failure = failure
        if failure.file == image { failure.file = nil }
        failure.hint = nil
        let problem = failure.phrase.forCommand
        return switch format {
        case .text: nil
        case .json: ResultPrinter.line(image, problem, failure.code)
        case .csv: "\(csv(image)),,,,,,,,,\(csv(problem))\n"
        }
    }
}
