import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Loading of models and interpretation of options, shared by several commands.
extension Arguments {
    /// The conversion options given on the command line.
    func converterOptions() throws -> Converter.Options {
        var options = Converter.Options()
        options.input = self[Options.input]
        options.outputs = all(Options.output).compactMap { $0 }
        if let choice = unnamed(Options.size) {
            options.sizes = choice.sizes
            if choice.sizes == .fixed { options.size = choice.defaultSize }
        }
        options.color = unnamed(Options.color)
        try addInputs(to: &options)
        options.channels = self[Options.channels]?.order
        options.placeholderValues = all(Options.set).compactMap { $0 }
        options.batchNorm = self[Options.batchNorm]
        options.usesMovingAverages = self[Options.movingAverages]
        options.tag = self[Options.tag]
        options.signature = self[Options.signature]
        options.function = self[Options.function]
        options.preprocessing = self[Options.preprocess].family
        options.scale = unnamed(Options.scale)
        options.bias = unnamed(Options.bias)
        options.outputScale = self[Options.outputScale]
        options.outputBias = self[Options.outputBias]
        options.outputColor = self[Options.outputColor]
        if self[Options.imageOutput] { options.imageOutput = true }
        if self[Options.noImageOutput] {
            let others = [
                Options.imageOutput as any AnyOption, Options.outputScale, Options.outputBias, Options.outputColor,
            ]
            if let other = others.first(where: { isGiven($0) }) {
                throw Failure.cannotCombine(Options.noImageOutput.spelling, other.spelling)
            }
            options.imageOutput = false
        }
        if isGiven(Options.preprocess), let option = ([Options.scale, Options.bias].first { isGiven($0) }) {
            throw Failure.cannotCombine(Options.preprocess.spelling, option.spelling)
        }
        return options
    }

    /// The value of an option that does not name an input.
    func unnamed<Value>(_ option: Option<Named<Value>?>) -> Value? {
        all(option).lazy.compactMap { $0 }.last { $0.name == nil }?.value
    }

    /// Adds the options that name an input.
    /// - Throws: `Failure` for an option that is given twice for an input.
    private func addInputs(to options: inout Converter.Options) throws {
        func add<Value>(_ option: Option<Named<Value>?>, _ set: (inout InputOptions, Value) throws -> Void) throws {
            var seen: Set<String?> = []
            for given in all(option).compactMap({ $0 }) {
                guard seen.insert(given.name).inserted else {
                    throw Failure.duplicateOption(option.spelling + (given.name.map { " \($0)=" } ?? ""))
                }
                guard let name = given.name else { continue }
                try set(&options.inputs[name, default: InputOptions()], given.value)
            }
        }
        try add(Options.size) { input, choice in
            guard choice.sizes == .fixed else { throw Failure.severalSizesOfInput().at(Options.size.spelling) }
            input.size = choice.defaultSize
        }
        try add(Options.color) { $0.color = $1 }
        try add(Options.scale) { $0.scale = $1 }
        try add(Options.bias) { $0.bias = $1 }
    }

    func labels() throws -> Labels? { try self[Options.labels].map { try Labels(contentsOfFile: $0) } }

    /// Loads the model at `path`, and converts it if it is a graph.
    ///
    /// - Parameters:
    ///   - takesPipelines: Whether a pipeline that classifies images is accepted.
    ///   - arrays: The arrays for a graph's inputs. If nil, a graph with several inputs is refused.
    func model(
        at path: String, takesPipelines: Bool = false, arrays: (any GivenArrays)? = nil
    ) throws -> Conversion {
        var options = try converterOptions()
        options.arrays = arrays
        let (conversion, isPipeline) = try load(path, options, takesPipelines: takesPipelines)
        try checkOptions(forModelAt: path, isGraph: conversion.isGraph, isPipeline: isPipeline)
        return conversion
    }

    /// Loads a model, or the network of a pipeline that classifies images, if pipelines are accepted.
    func load(
        _ path: String, _ options: Converter.Options, takesPipelines: Bool
    ) throws -> (conversion: Conversion, isPipeline: Bool) {
        guard try takesPipelines && Pipeline.isPipeline(contentsOfFile: path) else {
            return (try Model.load(contentsOfFile: path, options: options, labels: labels()), false)
        }
        return try naming(file: path) { (try Pipeline(contentsOfFile: path).imageClassifier(), true) }
    }

    /// - Throws: `Failure` if an option is given that does not apply to this kind of model.
    func checkOptions(forModelAt path: String, isGraph: Bool, isPipeline: Bool = false) throws {
        let forGraphs = [Options.labels] + OptionGroups.graphInput
        if !isGraph, let option = forGraphs.first(where: { isGiven($0) }) {
            throw Failure.optionForGraphs(option.spelling).inFile(path)
        }
        if isGraph || isPipeline, isGiven(Options.function) {
            throw Failure.optionForPrograms(Options.function.spelling).inFile(path)
        }
    }

    /// How image files are decoded.
    var decoding: DecodingOptions {
        DecodingOptions(
            background: self[Options.background], maximumPixels: self[Options.maxPixels], isStrict: self[Options.strict]
        )
    }

    /// How images are fitted to the network's size.
    /// The option's text was checked when it was read.
    var crop: Crop { Crop(self[Options.crop], background: self[Options.background] ?? .black)! }

    /// A classifier that preprocesses images with the given options.
    /// - Parameters:
    ///   - precision: By default, the requested one.
    ///   - first: The file of the first image.
    func classifier(
        _ model: Model, precision: Precision? = nil, threads: Int, first: String? = nil
    ) throws -> Classifier {
        try Classifier(
            model, crop: crop, resize: self[Options.resize],
            decoding: decoding, isFast: self[Options.fast], precision: precision ?? self[Options.precision],
            threads: threads, first: first)
    }

    /// The weight storage; nil if `option`, which depends on the command, is not given.
    func weightStorage(_ option: Option<WeightType?>) -> WeightStorage? {
        self[option].map {
            WeightStorage($0, minimumCount: self[Options.minElements], includesDepthwise: self[Options.depthwise])
        }
    }

    /// The number of threads to use: by default, the number of cores.
    var threads: Int { self[Options.threads] ?? Processors.count }
}

extension Console {
    /// Prints the warnings of a model, and the notes of a converted graph.
    func report(_ conversion: Conversion) {
        if conversion.isGraph { conversion.notes.forEach(note) }
        conversion.warnings.forEach(warn)
    }

    /// Prints the notes and warnings about a converted graph, without those about its image input.
    func reportGraph(_ conversion: Conversion) {
        conversion.assumptions.forEach(note)
        conversion.graphWarnings.forEach(warn)
    }

    /// Prints what prevents the machine from using the requested precision.
    func report(_ precision: Precision) { if let note = precision.note { warn(note) } }
}

/// Splits `NAME=FILE`. File names may contain equals signs too.
func nameAndFile(_ word: String, inputs: [String]) -> (name: String?, file: String) {
    guard let equals = word.firstIndex(of: "=") else { return (nil, word) }
    let name = String(word[..<equals])
    if !inputs.contains(name), access(word.fileName, F_OK) == 0 { return (nil, word) }
    return (name, String(word[word.index(after: equals)...]))
}
