import Thaw

/// `convert --verify` and `compress --verify`: reads the written model back and compares it with its source on images.
/// If the preprocessing was assumed, a table shows the network's confidence with each candidate.
///
/// Compressing weights to less than 16 bits always changes results. Without `--tolerance`, the differences are reported, and
/// the verdict depends on the top labels alone, of which nine in ten must be kept.
struct Verification {
    private let files: [String]
    private let crop: Crop
    private let decoding: DecodingOptions
    private let tolerance: Double?
    private let precision: Precision
    private let threads: Int
    private let color: ColorLayout?
    private let function: String?
    private let hasVerdict: Bool
    /// Whether most top labels must be the same.
    private let isHeldToLabels: Bool

    /// The fraction of top labels that a compressed model must keep.
    private static let minimumKept = 0.9

    /// Nil if `--verify` is not given.
    /// - Parameters:
    ///   - weights: How the weights are stored; nil for float32.
    ///   - function: The function of a program to compare.
    /// - Throws: `Failure` for an option that has no effect without `--verify`, and if there are no images.
    init?(_ arguments: Arguments, _ weights: WeightStorage?, function: String? = nil) throws {
        let further = arguments.positional.dropFirst()
        let images = arguments.all(Options.verify).compactMap { $0 } + further
        guard arguments.isGiven(Options.verify) else {
            let options: [any AnyOption] = [Options.tolerance] + OptionGroups.images
            if let option = options.first(where: { arguments.isGiven($0) }) {
                throw Failure.needsOption(option.spelling, Options.verify.spelling)
            }
            return nil
        }
        let files = try ImageFiles.under(images)
        let decoding = arguments.decoding
        guard !files.isEmpty else { throw Failure.noImages().inFile(images[0]) }
        // Fail now if no image can be read. If only some cannot, the others are compared.
        if !files.contains(where: { (try? DecodedImage(contentsOfFile: $0, options: decoding)) != nil }) {
            _ = try naming(file: files[0]) { try DecodedImage(contentsOfFile: files[0], options: decoding) }
        }
        self.files = files
        self.decoding = decoding
        crop = arguments.crop
        let isLossy = weights?.type.isSelective ?? false
        isHeldToLabels = isLossy
        hasVerdict = arguments.isGiven(Options.tolerance) || !isLossy
        tolerance = hasVerdict ? arguments[Options.tolerance] : .infinity
        precision = arguments[Options.precision]
        threads = arguments.threads
        self.function = function
        color = arguments.unnamed(Options.color)
    }

    /// Checks that the models can be compared, before anything is written.
    /// - Throws: `Failure` if the graph takes no image.
    func check(_ conversion: Conversion) throws {
        if conversion.model.image == nil || conversion.model.graph.inputs.count > 1 { throw Failure.verifyNeedsImage() }
    }

    func run(_ conversion: Conversion, asWrittenTo path: String, _ console: Console) throws -> ExitStatus {
        var options = Converter.Options()
        // A model that is written anew has only that function.
        if let function, try FileContents(contentsOfFile: path).functions.contains(function) {
            options.function = function
        }
        let written = try Model.load(contentsOfFile: path, options: options)
        let report = try naming(file: path) {
            try Comparison(
                conversion, written, tolerance: tolerance, precision: precision, crop: crop, decoding: decoding
            ).report(imagesAt: files, threads: threads)
        }
        console.report(precision)
        for (image, warning) in report.warnings { console.warn("\(image): \(warning)") }
        for (_, failure) in report.failures { console.report(failure) }
        try console.print(text(of: report, hasVerdict: hasVerdict))
        if !conversion.isPreprocessingCertain, report.labelsCompared > 0 {
            try console.print(
                table(
                    PreprocessingTrial.all(
                        for: conversion.model, color: color, imagesAt: files, crop: crop, decoding: decoding,
                        threads: threads)))
        }
        let kept = report.labelsCompared - report.differingLabels.count
        if isHeldToLabels, Double(kept) < Self.minimumKept * Double(report.labelsCompared) {
            try console.print(
                padded("", 21) + "fewer than \(fixed(100 * Self.minimumKept, 0))% of the top labels are kept\n")
            return .someInputsFailed
        }
        return report.status
    }

    /// A line for each kind of preprocessing.
    private func table(_ trials: [PreprocessingTrial]) -> String {
        let width = trials.map { name($0).count }.max()! + 2
        var text = "\n" + padded("preprocessing", width) + "confidence  top labels\n"
        for trial in trials {
            // Labels may contain commas.
            let labels = trial.labels.prefix(3).map { $0.count > 1 ? "\($0.label) (\($0.count))" : $0.label }
            let others = trial.labels.count - labels.count
            text +=
                padded(name(trial), width) + padded(fixed(trial.confidence, 4), 10, left: true) + "  "
                + labels.joined(separator: "; ") + (others > 0 ? "; and \(others) more" : "") + "\n"
        }
        return text
    }

    private func name(_ trial: PreprocessingTrial) -> String {
        (trial.preprocessing?.rawValue ?? "assumed") + (trial.image.color == .bgr ? ", bgr" : "")
            + (trial.isPresent && trial.preprocessing != nil ? ", assumed" : "")
    }
}
