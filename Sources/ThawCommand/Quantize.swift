import Thaw

/// `thaw quantize`: quantizes the weights and activations of a model to 8-bit integers. Messages go to standard error, the
/// report to standard output.
func runQuantize(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let source = arguments.positional[0]
    guard let result = arguments[Options.quantized] else { throw Failure.missingOption(Options.quantized) }
    let files = try ImageFiles.under(Array(arguments.positional.dropFirst()))
    guard !files.isEmpty else { throw Failure.noImages().inFile(arguments.positional[1]) }
    var precision = ProgramPrecision()
    precision.compute = arguments[Options.quantizedPrecision]
    let (target, mayReplace) = (arguments[Options.quantizedTarget], !arguments[Options.noClobber])
    try Model.requireWritable(toFile: result, target: target, precision: precision, mayReplace: mayReplace)
    let conversion = try arguments.model(at: source)
    console.report(conversion)
    let quantization = try naming(file: source) {
        try Quantization(conversion.model, imagesAt: files, options: arguments.quantizationOptions)
    }
    let format = arguments[Options.reportFormat]
    if format == .text { quantization.failures.forEach(console.report) }
    quantization.warnings.forEach(console.warn)
    let written = try naming(file: source) {
        try quantization.write(
            toFile: result, target: target, precision: precision, mayReplace: mayReplace)
    }
    let before = 4 * conversion.model.graph.parameterCount
    console.note(
        "wrote \(result): \(megabytes(written.bytes)), \(fixed(100 * Double(written.bytes) / Double(max(1, before)), 1))% of "
            + "the size of the float32 weights, Core ML version \(written.version.rawValue), for \(written.version.systems) and later"
    )
    let precisions = quantization.agreeingCount == nil ? "int8" : "int8 or auto"
    console.note(
        "with \(Options.precision.spelling) \(precisions) it runs in 8-bit integers, otherwise in floating point")
    switch format {
    case .text: try console.print(text(of: quantization))
    case .json: try console.print(json(of: quantization, written).text + "\n", restoringNames: false)
    }
    return quantization.failures.isEmpty ? .done : .someInputsFailed
}

extension Arguments {
    fileprivate var quantizationOptions: Quantization.Options {
        var options = Quantization.Options()
        options.statistic = self[Options.statistic]
        options.maximumChangedShare = self[Options.keepAccuracy].map { $0 / 100 }
        options.crop = crop
        options.resize = self[Options.resize]
        options.decoding = decoding
        options.threads = threads
        return options
    }
}

/// The summary: the photos, the top labels that stay the same, and the layers.
private func text(of quantization: Quantization) -> String {
    let count = quantization.photoCount
    var lines = [("photos", "\(count)")]
    if let agreeing = quantization.agreeingCount {
        lines.append(
            (
                "same top label",
                "\(agreeing) of \(count) (\(fixed(100 * Double(agreeing) / Double(count), 1))%), measured before writing"
            ))
    }
    let kept = quantization.keptLayers
    lines.append(("layers in int8", "\(quantization.layerCount - kept.count) of \(quantization.layerCount)"))
    lines += kept.map { ("in floating point", $0) }
    return lines.map { padded($0.0, 18) + $0.1 + "\n" }.joined()
}

/// The report as JSON.
private func json(of quantization: Quantization, _ written: WrittenModel) -> JSON {
    .object([
        ("photos", JSON(quantization.photoCount)),
        ("labels_agreeing", quantization.agreeingCount.map(JSON.init) ?? .null),
        ("layers", JSON(quantization.layerCount)),
        ("floating_point_layers", .array(quantization.keptLayers.map(JSON.string))),
        ("bytes", JSON(written.bytes)), ("version", JSON(written.version.rawValue)),
        ("warnings", .array(quantization.warnings.map { .string($0.text.forCommand) })),
        ("errors", .array(quantization.failures.map { ResultPrinter.json($0.file ?? "", $0) })),
    ])
}
