extension Model {
    /// Reads a Core ML model (`.mlmodel`, `.mlpackage`), or converts a TensorFlow graph in memory.
    ///
    /// - Parameters:
    ///   - options: Options for converting a graph; of these, a Core ML model needs only `mapsFiles` and `function`.
    ///   - labels: The labels of a graph's classes; a Core ML classifier has its own.
    /// - Throws: `Failure` naming the file and what is wrong with it.
    public static func load(
        contentsOfFile path: String, options: Converter.Options = .init(), labels: Labels? = nil
    ) throws -> Conversion {
        let format = try ModelFormat(of: path, isMapped: options.mapsFiles)
        return try naming(file: path) {
            switch format {
            case .frozenGraph, .savedModel, .checkpoint:
                return try Converter(options).convert(contentsOfFile: path, labels: labels)
            case .coreML, .coreMLPackage:
                let file = try CoreMLFile(path, format, isMapped: options.mapsFiles)
                return try Conversion(reading: file.message(), file.weights, function: options.function)
            }
        }
    }

    /// Reads a Core ML model in memory, as `ModelDocument(decoding:)` does.
    /// - Parameters:
    ///   - weights: For an ML Program: the content of a package's `weights/weight.bin`.
    ///   - function: The function of an ML Program with several; nil for its default.
    /// - Throws: `Failure` if it is not a readable Core ML model.
    public static func load(
        decoding bytes: UnsafeRawBufferPointer, weights: UnsafeRawBufferPointer? = nil, function: String? = nil
    ) throws -> Conversion {
        try ModelDocument(decoding: bytes, weights: weights, function: function).conversion
    }

    /// Writes the model atomically: as a Core ML neural network if `path` ends in `.mlmodel`, as an ML Program if it ends in
    /// `.mlpackage`. The same model gives the same bytes.
    ///
    /// - Parameters:
    ///   - weights: How weights are stored. By default float32 for a neural network, and float16 for a program, which then
    ///     also computes in float16.
    ///   - target: The oldest systems that must load it; nil means whatever the model needs.
    ///   - precision: The types that an ML Program takes, computes in and returns; a neural network has no such choice.
    ///   - mayReplace: Whether an existing file may be replaced.
    /// - Returns: What was written. The version of the format is the lowest that suffices.
    /// - Throws: `Failure` for an operation that the format cannot express, and if the file cannot be written.
    @discardableResult
    public func write(
        toFile path: String, weights: WeightStorage? = nil, target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision(), mayReplace: Bool = true
    ) throws -> WrittenModel {
        let format = try ModelFormat(pathToWrite: path)
        try naming(file: path) { try Model.require(format, allows: target, precision) }
        return try encoded(as: format, weights: weights, target: target, precision: precision)
            .write(to: path, mayReplace: mayReplace)
    }

    /// Checks what is known before a conversion, which may take long.
    /// - Throws: `Failure` if the folder does not exist, if the file exists and must not be replaced, or if the target system
    ///   or the format does not fit the other options.
    package static func requireWritable(
        toFile path: String, target: CoreMLVersion?, precision: ProgramPrecision = ProgramPrecision(),
        mayReplace: Bool = true
    ) throws {
        try naming(file: path) { try require(ModelFormat(pathToWrite: path), allows: target, precision) }
        try requireFolder(around: path)
        if !mayReplace, pathExists(path) { throw Failure.alreadyExists(path) }
    }

    /// The model in Core ML's format.
    /// - Parameter format: `.coreMLPackage` makes an ML Program, all others a neural network.
    func encoded(
        as format: ModelFormat, weights: WeightStorage? = nil, target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision()
    ) throws -> EncodedModel {
        guard laterStages == nil else { throw Failure.cannotWriteStage() }
        try requireStateless()
        try requireLayers()
        try Model.require(format, allows: target, precision)
        var encoded: EncodedModel
        if format == .coreMLPackage {
            encoded = EncodedModel(
                try ProgramWriter.run(
                    self, weights: weights ?? WeightStorage(.float16), target: target, precision: precision))
        } else {
            encoded = try encodedNetwork(weights: weights, target: target)
        }
        try encoded.nameRanges(of: self)
        return encoded
    }

    private func encodedNetwork(weights: WeightStorage?, target: CoreMLVersion?) throws -> EncodedModel {
        var message = try NeuralNetworkWriter.message(self, target: target)
        var report: CompressionReport?
        if weights == nil, isQuantized { try message.storeQuantizedWeights(target: target) }
        if let weights, weights.type != .float32 {
            report = try message.storeWeights(as: weights, target: target).report
        }
        return EncodedModel(message, report)
    }

    private static func require(
        _ format: ModelFormat, allows target: CoreMLVersion?, _ precision: ProgramPrecision
    ) throws {
        if format == .coreMLPackage {
            if let target, target < .firstProgram { throw Failure.packageNeedsTarget(target) }
        } else if !precision.isDefault {
            throw Failure.precisionOfNetwork()
        }
    }

    /// Core ML refuses a model without layers, and an output that is an input.
    private func requireLayers() throws {
        let inputs = graph.inputs.firstByKey(\.value)
        let isEmpty = graph.nodes.isEmpty && image?.scaling.isIdentity != false
        for output in graph.outputs {
            guard let input = inputs[output.value]?.name, isEmpty || input == output.name else { continue }
            throw Failure.outputIsInput(output.name, input)
        }
    }
}

extension EncodedModel {
    /// The model in memory as in a file.
    /// - Throws: `Failure` if there are several weight files.
    func file() throws -> CoreMLFile {
        let (model, weights) = try bytes()
        return CoreMLFile(
            model.withUnsafeBytes(ByteView.init(copying:)),
            weights: weights.map { $0.withUnsafeBytes(ByteView.init(copying:)) })
    }

    /// Writes the model, whole or not at all: as a package if it has ML Programs or `path` ends in `.mlpackage`, otherwise as a
    /// file.
    func write(to path: String, mayReplace: Bool) throws -> WrittenModel {
        var bytes = 0
        if isPackage || ModelFormat(extensionOf: path) == .coreMLPackage {
            bytes = try ModelPackage.write(self, to: path, mayReplace: mayReplace)
        } else {
            let file = try AtomicFile(path: path, mayReplace: mayReplace)
            try message.write {
                bytes += $0.count
                try file.write($0)
            }
            try file.commit()
        }
        return WrittenModel(bytes: bytes, version: version, compression: report)
    }
}

extension CoreMLSource {
    /// Reads the model. It shares the weights with the source, whose files are open already.
    /// - Parameter function: The function of an ML Program; nil for its default.
    func conversion(function: String? = nil) throws -> Conversion {
        try Conversion(reading: message, weights, function: function)
    }
}

extension Conversion {
    /// Reads a Core ML model from its outermost message.
    /// - Parameter function: The function of an ML Program; nil for its default.
    init(reading message: Message, _ weights: (any WeightFiles)?, function: String? = nil) throws {
        let (model, warnings) = try ModelReader.run(message, weights, function: function)
        self.init(model: model, notes: model.formulas.map(Note.formula), warnings: warnings, isGraph: false)
        // A program with short weights computes in float16, which also rounds the input.
        let isHalf = model.graph.nodes.contains { $0.operation.applies(.float16) }
        hasShortWeights = message.hasShortWeights || isHalf
    }
}
