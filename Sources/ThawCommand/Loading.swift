import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What several commands do with their words: a model made of a file and of the options that a graph takes.
extension Arguments {
    /// What the command line says of a graph.
    func converterOptions() throws -> Converter.Options {
        var options = Converter.Options()
        options.input = self[Options.input]
        options.outputs = all(Options.output).compactMap { $0 }
        if let choice = unnamed(Options.size) {
            options.sizes = choice.sizes
            if choice.sizes == .fixed { options.size = (choice.standard.width, choice.standard.height) }
        }
        options.color = unnamed(Options.color)
        try addInputs(to: &options)
        options.channels = self[Options.channels]?.order
        options.settings = all(Options.set).compactMap { $0 }
        options.batchNorm = self[Options.batchNorm]
        options.tag = self[Options.tag]
        options.signature = self[Options.signature]
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
                throw Failure.exclude(Options.noImageOutput.spelling, other.spelling)
            }
            options.imageOutput = false
        }
        if isGiven(Options.preprocess), let option = ([Options.scale, Options.bias].first { isGiven($0) }) {
            throw Failure.exclude("--preprocess", option.spelling)
        }
        return options
    }

    /// The value of an option that is said of no input by name.
    func unnamed<Value>(_ option: Option<Named<Value>?>) -> Value? {
        all(option).lazy.compactMap { $0 }.last { $0.name == nil }?.value
    }

    /// What is said of inputs by their names.
    /// - Throws: `Failure` for what is said twice.
    private func addInputs(to options: inout Converter.Options) throws {
        func add<Value>(_ option: Option<Named<Value>?>, _ set: (inout InputOptions, Value) throws -> Void) throws {
            var seen: Set<String?> = []
            for given in all(option).compactMap({ $0 }) {
                guard seen.insert(given.name).inserted else {
                    throw Failure.givenTwice(option.spelling + (given.name.map { " \($0)=" } ?? ""))
                }
                guard let name = given.name else { continue }
                try set(&options.inputs[name, default: InputOptions()], given.value)
            }
        }
        try add(Options.size) { input, choice in
            guard choice.sizes == .fixed else { throw Failure.severalSizesOfInput().at(Options.size.spelling) }
            input.size = (choice.standard.width, choice.standard.height)
        }
        try add(Options.color) { $0.color = $1 }
        try add(Options.scale) { $0.scale = $1 }
        try add(Options.bias) { $0.bias = $1 }
    }

    func labels() throws -> Labels? { try self[Options.labels].map { try Labels(contentsOf: $0) } }

    /// The model at `path`, converted where it is a graph.
    ///
    /// - Parameters:
    ///   - fed: The inputs that arrays are given for, as far as they are named.
    ///   - arrays: What is fed to a graph of several inputs, by their names; without it such a graph is refused.
    func model(
        at path: String, fed: Set<String> = [],
        arrays: (@Sendable ([String]) throws -> [(name: String?, shape: [Int])])? = nil
    ) throws -> Conversion {
        var options = try converterOptions()
        options.arrays = arrays
        options.fed = fed
        let conversion = try Model.load(contentsOf: path, options: options, labels: labels())
        let forGraphs = [Options.labels] + Commands.whatGoesIn
        if !conversion.isGraph, let option = forGraphs.first(where: { isGiven($0) }) {
            throw Failure.optionForGraphs(option.spelling).inFile(path)
        }
        return conversion
    }

    /// How the files of images are read.
    var decoding: DecodingOptions {
        DecodingOptions(
            background: self[Options.background], maximumPixels: self[Options.maxPixels], isStrict: self[Options.strict]
        )
    }

    /// How images come to the size of a network.
    var crop: Crop { self[Options.crop].crop(on: self[Options.background] ?? .black) }

    /// A classifier that prepares images as the options say.
    /// - Parameter first: The file of the image that will be the first.
    func classifier(_ model: Model, threads: Int, first: String? = nil) throws -> Classifier {
        try Classifier(
            model, crop: crop, resize: self[Options.resize],
            decoding: decoding, isFast: self[Options.fast], threads: threads, first: first)
    }

    /// How weights are to be stored; nil if `option`, which is a command's own, is not given.
    func weightStorage(_ option: Option<WeightType?>) -> WeightStorage? {
        self[option].map {
            WeightStorage($0, minimumCount: self[Options.minElements], includesDepthwise: self[Options.depthwise])
        }
    }

    /// The threads to use: all cores, unless said.
    var threads: Int { self[Options.threads] ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

extension Console {
    /// Says what was found out and assumed in a conversion, and what may be wrong with it.
    func tell(of conversion: Conversion) {
        for text in conversion.notes { note(text) }
        for text in conversion.warnings { warn(text) }
    }
}

/// Runs `body`, and names `file` in whatever `Failure` it throws without one.
func blaming<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.inFile(file) }
}
