import Thaw

/// `thaw apply`: runs an image-to-image model on images in turn. It continues after images that cannot be read.
func runApply(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let paths = Array(arguments.positional.dropFirst())
    guard let target = arguments[Options.outputImages] else { throw Failure.missingArgument("-o OUT.png or -o FOLDER") }
    let files = paths.map { ImageFiles([$0]) }
    let jobs = try ImageJob.all(of: paths, files, to: target)

    let network = try arguments.imageToImage(at: path)
    if let conversion = network.conversion { console.report(conversion) }
    console.report(arguments[Options.precision])
    let work = ApplyWork(network, arguments, console, count: jobs.count)
    try work.apply(to: jobs)
    // Results change the folders that contain them.
    let written = jobs.map { canonicalPath(of: $0.target) }
    for folder in files.flatMap(\.changedFolders) {
        let path = canonicalPath(of: folder.path) + "/"
        if !written.contains(where: { $0.hasPrefix(path) }) { console.warn(folder) }
    }
    return work.tally.finish()
}

/// Applies the network to the images in turn, and prints the results.
private struct ApplyWork {
    let tally: ImageTally
    private let network: ImageToImage
    private let console: Console
    private let format: ResultFormat
    private let quality: Int
    private let mayReplace: Bool

    init(_ network: ImageToImage, _ arguments: Arguments, _ console: Console, count: Int) {
        (self.network, self.console) = (network, console)
        format = arguments[Options.resultFormat]
        quality = arguments[Options.quality]
        mayReplace = !arguments[Options.noClobber]
        tally = ImageTally(console, total: count)
    }

    func apply(to jobs: [ImageJob]) throws {
        if format == .csv { try console.print("image,output,width,height,error\n") }
        defer { tally.clear() }
        for job in jobs {
            do {
                try apply(to: job)
            } catch let failure as Failure {
                try add(failure, job)
            }
            tally.advance()
        }
    }

    private func apply(to job: ImageJob) throws {
        try job.prepare(mayReplace: mayReplace)
        let result = try network.apply(toImageAt: job.source)
        tally.clear()
        tally.warn(job.source, result.warning)
        try result.pixels.write(toFile: job.target, quality: quality, mayReplace: mayReplace)
        try console.print(rows(format, job, result.pixels), restoringNames: format != .json)
    }

    private func add(_ failure: Failure, _ job: ImageJob) throws {
        tally.countFailure()
        tally.clear()
        if let rows = rows(format, job, failure) {
            try console.print(rows, restoringNames: format != .json)
        } else {
            tally.report(failure)
        }
    }
}

extension Arguments {
    /// The image-to-image network, with the given options.
    fileprivate func imageToImage(at path: String) throws -> ImageToImage {
        var options = ImageToImage.Options()
        options.crop = crop
        options.decoding = decoding
        options.longestSide = self[Options.maxSide]
        options.tile = self[Options.tile]
        options.precision = self[Options.precision]
        options.threads = threads
        let network = try ImageToImage(contentsOfFile: path, graphOptions: converterOptions(), options: options)
        if let conversion = network.conversion { try checkOptions(forModelAt: path, isGraph: conversion.isGraph) }
        return network
    }
}

/// The result for an image.
private func rows(_ format: ResultFormat, _ job: ImageJob, _ pixels: Pixels) -> String {
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
private func rows(_ format: ResultFormat, _ job: ImageJob, _ failure: Failure) -> String? {
    var failure = failure
    if failure.file == job.source { failure.file = nil }
    failure.hint = nil
    let problem = failure.phrase.forCommand
    return switch format {
    case .text: nil
    case .json: ResultPrinter.line(job.source, problem, failure.code)
    case .csv: "\(csv(job.source)),,,,\(csv(problem))\n"
    }
}
