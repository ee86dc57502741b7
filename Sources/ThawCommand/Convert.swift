import Thaw

/// `thaw convert`: writes the model to a file, and messages to standard error.
func runConvert(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let source = arguments.positional[0]
    let weights = arguments.weightStorage(Options.weights)
    let verification = try Verification(arguments, weights)
    let options = try arguments.optionsOfWrittenModel()
    let target = arguments[Options.target]
    let result = arguments[Options.convertedModel] ?? defaultResult(of: source, for: target)
    try Model.requireWritable(toFile: result, target: target, mayReplace: !arguments[Options.noClobber])

    let conversion = try Converter(options).convert(contentsOfFile: source, labels: arguments.labels())
    console.report(conversion)
    try naming(file: source) { try verification?.check(conversion) }
    if conversion.model.classifier == nil, conversion.model.imageOutput == nil {
        console.note("without \(Options.labels.spelling) the model is not a classifier: its outputs are multi-arrays")
    }
    let precision = arguments.precision(of: conversion.model, console)
    let written = try naming(file: source) {
        try conversion.model.write(
            toFile: result, weights: weights, target: target, precision: precision,
            mayReplace: !arguments[Options.noClobber])
    }
    console.note(
        "wrote \(result): \(megabytes(written.bytes)), Core ML version \(written.version.rawValue), "
            + "for \(written.version.systems) and later")
    console.noteSharedWeights(of: conversion.model, writtenTo: result, byteCount: written.bytes, weights)
    console.report(written, weights, isVerified: verification != nil)
    return try verification?.run(conversion, asWrittenTo: result, console) ?? .done
}

extension Console {
    /// Reports how much of a neural network's file consists of copies of weights shared by several layers, if it is a
    /// significant part.
    func noteSharedWeights(
        of model: Model, writtenTo path: String, byteCount: Int, _ storage: WeightStorage?
    ) {
        guard ModelFormat(extensionOf: path) == .coreML else { return }
        let bits = (storage?.type ?? .float32).bits
        let copies = model.graph.repeatedParameterCount * bits / 8
        guard copies >= 100_000, copies >= byteCount / 20 else { return }
        note(
            "several layers use the same weights, and a neural network stores them once per layer: \(megabytes(copies)) of "
                + "the \(megabytes(byteCount)) are copies; a .mlpackage stores shared weights once")
    }
}

extension Console {
    /// Reports which layers were compressed, if weights are compressed.
    func report(_ written: WrittenModel, _ storage: WeightStorage?, isVerified: Bool) {
        guard let report = written.compression, let storage else { return }
        let option = "--weights \(storage.type.rawValue)"
        guard report.layerCount > 0 else {
            return note(
                "\(option) compressed nothing: no convolution and no dense layer has \(storage.minimumCount) weights or more; "
                    + "--min-elements lowers that limit, --depthwise includes depthwise convolutions")
        }
        for reason in CompressionReport.Reason.allCases {
            let names = report.atEightBits.filter { $0.reason == reason }.map(\.name)
            guard !names.isEmpty else { continue }
            note(
                "\(names.count) of \(report.layerCount) layers are stored as int8, because \(text(reason)): "
                    + "\(names.joined(separator: ", "))")
        }
        if storage.type != .int8, !isVerified {
            note("to see how a palette affects the results, compare the top labels with --verify PHOTOS")
        }
    }

    private func text(_ reason: CompressionReport.Reason) -> String {
        switch reason {
        case .feedsDepthwise: "they feed depthwise convolutions, in which errors do not average out"
        case .unevenChannels: "their output channels differ too much in scale for one palette"
        }
    }
}

extension Arguments {
    /// The options of the conversion, with those for the names and the metadata of a model that is written.
    /// - Throws: `Failure` for options of classifiers if there are no labels.
    fileprivate func optionsOfWrittenModel() throws -> Converter.Options {
        let forClassifiers: [any AnyOption] = [Options.classLabel, Options.probabilities, Options.integerLabels]
        var options = try converterOptions()
        if !isGiven(Options.labels), let option = forClassifiers.first(where: { isGiven($0) }) {
            throw Failure.needsOption(option.spelling, Options.labels.spelling)
        }
        options.predictedFeature = self[Options.classLabel]
        options.probabilities = self[Options.probabilities]
        options.hasIntegerLabels = self[Options.integerLabels]
        options.renamings = all(Options.rename).compactMap { $0.map { ($0.key, $0.value) } }
        options.metadata = try metadata()
        return options
    }

    /// The types of an ML Program according to the options, without those that do not apply to the model.
    fileprivate func precision(of model: Model, _ console: Console) -> ProgramPrecision {
        var precision = ProgramPrecision(
            compute: self[Options.computePrecision], inputs: self[Options.inputType], outputs: self[Options.outputType])
        if precision.inputs == .float16, model.images.count == model.graph.inputs.count,
            model.images.allSatisfy({ $0.color != .gray })
        {
            console.note("--input-type float16 changes nothing: color images have 8 bits")
            precision.inputs = .float32
        }
        if precision.outputs == .float16, model.classifier != nil, model.graph.outputs.count == 1 {
            console.note("--output-type float16 changes nothing: a classifier outputs a label and probabilities")
            precision.outputs = .float32
        }
        return precision
    }

    /// The metadata given by options.
    fileprivate func metadata() throws -> Metadata {
        var metadata = Metadata()
        metadata.author = self[Options.author] ?? ""
        metadata.license = self[Options.license] ?? ""
        metadata.description = self[Options.description] ?? ""
        metadata.version = self[Options.modelVersion] ?? ""
        metadata.userDefined = try dictionary(Options.metadata)
        metadata.features = try dictionary(Options.describe)
        return metadata
    }

    /// The pairs of a repeatable option, whose keys must differ.
    private func dictionary(_ option: Option<Pair?>) throws -> [String: String] {
        try all(option).compactMap { $0 }.reduce(into: [:]) { result, pair in
            guard result.updateValue(pair.value, forKey: pair.key) == nil else {
                throw Failure.duplicateMetadata(pair.key).at(option.spelling)
            }
        }
    }
}

/// `NAME.mlmodel` in the current folder, or `NAME.mlpackage` if all targeted systems can load it.
private func defaultResult(of source: String, for target: CoreMLVersion?) -> String {
    let ending = target.map { $0 >= .iOS15 } ?? false ? ".mlpackage" : ".mlmodel"
    let file = source.split(separator: "/").last.map(String.init) ?? source
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file + ending }
    return file[..<dot] + ending
}

func megabytes(_ bytes: Int) -> String {
    bytes < 100_000 ? "\(fixed(Double(bytes) / 1e3, 1)) KB" : "\(fixed(Double(bytes) / 1e6, 1)) MB"
}
