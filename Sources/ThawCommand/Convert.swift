import Thaw

/// `thaw convert`: the model goes to a file, all that is said of it to standard error.
func runConvert(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    guard let source = arguments.positional.first else { throw Failure.missingArgument("the graph") }
    let verification = try Verification(arguments)
    var options = try arguments.converterOptions()
    options.predictedFeature = arguments[Options.classLabel]
    options.metadata.author = arguments[Options.author] ?? ""
    options.metadata.license = arguments[Options.license] ?? ""
    options.metadata.description = arguments[Options.description] ?? ""
    options.metadata.version = arguments[Options.modelVersion] ?? ""

    let conversion = try Converter(options).convert(contentsOf: source, labels: arguments.labels())
    console.tell(of: conversion)
    try blaming(source) { try verification?.check(conversion) }
    if conversion.model.classifier == nil, conversion.model.imageOutput == nil {
        console.note("without --labels it is a plain model with arrays as outputs, no classifier")
    }
    let target = arguments[Options.target]
    let result = arguments[Options.result] ?? standardResult(of: source, for: target)
    let written = try blaming(source) {
        try conversion.model.write(
            to: result, weights: arguments.weightStorage, target: target, mayReplace: !arguments[Options.noClobber])
    }
    console.note(
        "wrote \(result): \(megabytes(written.bytes)), Core ML version \(written.version.rawValue), "
            + "for \(written.version.systems) and later")
    return try verification?.run(conversion, asWrittenTo: result, console) ?? .done
}

/// `NAME.mlmodel` in the current folder, or `NAME.mlpackage` where all systems that are aimed at load that.
private func standardResult(of source: String, for target: CoreMLVersion?) -> String {
    let ending = target.map { $0 >= .iOS15 } ?? false ? ".mlpackage" : ".mlmodel"
    let file = source.split(separator: "/").last.map(String.init) ?? source
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file + ending }
    return file[..<dot] + ending
}

func megabytes(_ bytes: Int) -> String {
    bytes < 100_000 ? "\(fixed(Double(bytes) / 1e3, 1)) KB" : "\(fixed(Double(bytes) / 1e6, 1)) MB"
}
