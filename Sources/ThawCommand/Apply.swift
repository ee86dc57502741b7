import Thaw

/// `thaw apply`: runs an image-to-image model on one image after the other. Images that cannot be read do not stop it.
func runApply(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let words = Array(arguments.positional.dropFirst())
    guard let target = arguments[Options.pictures] else { throw Failure.missingArgument("-o OUT.png or -o FOLDER") }
    let files = words.map { ImageFiles([$0]) }
    let jobs = try PictureJob.all(of: words, files, to: target)

    let network = try arguments.imageToImage(at: path)
    if let conversion = network.conversion {
        if conversion.isGraph { console.tell(of: conversion) } else { conversion.warnings.forEach(console.warn) }
    }
    let format = arguments[Options.resultFormat]
    var (failures, hints) = (0, Set<String>())
    if format == .csv { try console.print("image,output,width,height,error\n") }
    let progress = Progress(console, total: jobs.count)
    defer { progress?.clear() }
    for job in jobs {
        defer { progress?.advance() }
        do {
            try job.prepare(mayReplace: !arguments[Options.noClobber])
            let result = try network.apply(toImageAt: job.source)
            progress?.clear()
            if let warning = result.warning { console.warn("\(job.source): \(warning)") }
            try result.pixels.write(
                to: job.target, quality: arguments[Options.quality], mayReplace: !arguments[Options.noClobber])
            try console.print(rows(format, job, result.pixels), restoringNames: format != .json)
        } catch let failure as Failure {
            failures += 1
            progress?.clear()
            if let rows = rows(format, job, failure) {
                try console.print(rows, restoringNames: format != .json)
            } else {
                console.report(failure, &hints)
            }
        }
    }
    progress?.clear()
    // The folder that the results are in, or are below, changes by them.
    let written = jobs.map { place(of: $0.target) }
    for folder in files.flatMap(\.changedFolders) {
        let path = place(of: folder.path) + "/"
        if !written.contains(where: { $0.hasPrefix(path) }) { console.warn(folder) }
    }
    if jobs.count > 1, let summary = progress?.summary(failures: failures) { console.note(summary) }
    return failures == 0 ? .done : failures < jobs.count ? .someInputsFailed : .failed
}

extension Arguments {
    /// The image-to-image network, as the options say.
    fileprivate func imageToImage(at path: String) throws -> ImageToImage {
        var options = ImageToImage.Options()
        options.crop = self[Options.crop].crop(on: self[Options.background] ?? .black)
        options.decoding = decoding
        options.longestSide = self[Options.maxSide]
        options.tile = self[Options.tile]
        options.threads = threads
        let network = try ImageToImage(contentsOf: path, graphOptions: converterOptions(), options)
        if network.conversion?.isGraph == false, let option = Commands.whatGoesIn.first(where: { isGiven($0) }) {
            throw Failure.optionForGraphs(option.spelling).inFile(path)
        }
        return network
    }
}

/// The result for an image.
private func rows(_ format: ResultFormat, _ job: PictureJob, _ pixels: Pixels) -> String {
    switch format {
    case .text:
        "\(Console.named(job.source)) -> \(Console.named(job.target)), \(pixels.width) × \(pixels.height) pixels\n"
    case .json:
        JSON.object([
            ("image", .string(job.source)), ("output", .string(job.target)), ("width", JSON(pixels.width)),
            ("height", JSON(pixels.height)),
        ]).text + "\n"
    case .csv: "\(csv(job.source)),\(csv(job.target)),\(pixels.width),\(pixels.height),\n"
    }
}

/// The result for an image that failed; nil if the format has none.
private func rows(_ format: ResultFormat, _ job: PictureJob, _ failure: Failure) -> String? {
    var failure = failure
    if failure.file == job.source { failure.file = nil }
    failure.hint = nil
    let problem = failure.description
    return switch format {
    case .text: nil
    case .json: ResultPrinter.line(job.source, problem, failure.code)
    case .csv: "\(csv(job.source)),,,,\(csv(problem))\n"
    }
}
