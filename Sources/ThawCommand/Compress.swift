import Thaw

/// `thaw compress`: quantizes or palettizes the weights of a Core ML model. Messages go to standard error, the
/// comparison with the original to standard output.
func runCompress(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let source = arguments.positional[0]
    guard let result = arguments[Options.compressed] else { throw Failure.missingOption(Options.compressed) }
    guard let weights = arguments.weightStorage(Options.shorterWeights) else {
        throw Failure.missingOption(Options.shorterWeights)
    }
    let verification = try Verification(arguments, weights, function: arguments[Options.function])
    let compression = try Compression(
        contentsOfFile: source, weights: weights, function: arguments[Options.function])
    compression.original.warnings.forEach(console.warn)
    try naming(file: source) { try verification?.check(compression.original) }
    let written = try naming(file: source) {
        try compression.write(
            toFile: result, target: arguments[Options.target], mayReplace: !arguments[Options.noClobber])
    }
    let share = fixed(100 * Double(written.bytes) / Double(compression.byteCount), 1)
    console.note(
        "wrote \(result): \(megabytes(written.bytes)), \(share)% of the \(megabytes(compression.byteCount)) before, "
            + "Core ML version \(written.version.rawValue), for \(written.version.systems) and later")
    console.noteSharedWeights(of: compression.original.model, writtenTo: result, byteCount: written.bytes, weights)
    console.report(written, weights, isVerified: verification != nil)
    return try verification?.run(compression.original, asWrittenTo: result, console) ?? .done
}
