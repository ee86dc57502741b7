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
    let target = arguments[Options.result] ?? standardTarget(of: source)
    let written = try blaming(source) {
        try conversion.model.write(to: target, mayReplace: !arguments[Options.noClobber])
    }
    console.note(
        "wrote \(target): \(megabytes(written.bytes)), Core ML version \(written.version), "
            + "for \(systems(ofVersion: written.version)) and later")
    return try verification?.run(conversion, asWrittenTo: target, console) ?? .done
}

/// `NAME.mlmodel` in the current folder.
private func standardTarget(of source: String) -> String {
    let file = source.split(separator: "/").last.map(String.init) ?? source
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file + ".mlmodel" }
    return file[..<dot] + ".mlmodel"
}

/// The first systems that load a version of the format. Source: coremltools' `specification/Model.proto`.
func systems(ofVersion version: Int) -> String {
    switch version {
    case ...1: "iOS 11 and macOS 10.13"
    case 2: "iOS 11.2 and macOS 10.13.2"
    case 3: "iOS 12 and macOS 10.14"
    case 4: "iOS 13 and macOS 10.15"
    case 5: "iOS 14 and macOS 11"
    case 6: "iOS 15 and macOS 12"
    case 7: "iOS 16 and macOS 13"
    case 8: "iOS 17 and macOS 14"
    case 9: "iOS 18 and macOS 15"
    default: "iOS 26 and macOS 26"
    }
}

func megabytes(_ bytes: Int) -> String {
    bytes < 100_000 ? "\(fixed(Double(bytes) / 1e3, 1)) KB" : "\(fixed(Double(bytes) / 1e6, 1)) MB"
}
