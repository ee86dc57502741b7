/// A model in Core ML's format, before it is written to a file or to memory.
struct EncodedModel {
    var message: Message
    /// The weight files of an ML Program, by their paths relative to the model's file.
    var weights: [(name: String, bytes: PendingBytes)] = []
    var version: CoreMLVersion
    /// A report on the compressed weights, if compression was requested.
    var report: CompressionReport?

    /// The only weight file of a package, as written by Thaw and coremltools.
    static let weightFile = "weights/weight.bin"
    /// The prefix of the names of weight files.
    static let pathPrefix = "@model_path/"

    /// A neural network.
    init(_ message: Message, _ report: CompressionReport? = nil) {
        (self.message, self.report) = (message, report)
        version = message.knownVersion
    }

    /// An ML Program.
    init(_ program: EncodedProgram) {
        (message, version, report) = (program.message, program.version, program.report)
        let file = program.weights
        weights = [(EncodedModel.weightFile, PendingBytes(count: file.byteCount) { try file.write($0) })]
    }

    /// An ML Program with its weight files unchanged.
    init(_ program: Message, _ files: any WeightFiles) throws {
        self.init(program)
        for name in program.weightFileNames.sorted() {
            let file = try files.weights(name).file
            weights.append((String(name.dropFirst(EncodedModel.pathPrefix.count)), PendingBytes(file)))
        }
    }

    /// Whether it must be a package: an ML Program, or a pipeline with one.
    var isPackage: Bool { message.hasProgram }

    /// The content of the model's file.
    func modelBytes() throws -> [UInt8] { try message.encoded() }

    /// The contents of the model's file and of the weight file.
    /// - Throws: `Failure` if there are several weight files.
    func bytes() throws -> (model: [UInt8], weights: [UInt8]?) {
        guard weights.count <= 1, weights.first.map({ $0.name == EncodedModel.weightFile }) ?? true else {
            throw Failure.severalWeightFiles(weights.map(\.name))
        }
        let weights = weights.first.map { file in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(file.bytes.count)
            // Only the receiver throws.
            try! file.bytes.write { bytes.append(contentsOf: $0) }
            return bytes
        }
        return (try modelBytes(), weights)
    }
}

/// A weight file in memory.
struct WeightBytes: WeightFiles {
    let bytes: ByteView?

    func weights(_ name: String) throws -> WeightFile {
        guard let bytes else { throw Failure.weightsMissing() }
        guard name == EncodedModel.pathPrefix + EncodedModel.weightFile else {
            throw Failure.severalWeightFiles([name])
        }
        return try WeightFile(bytes, name: EncodedModel.weightFile)
    }
}

extension Message {
    var isProgram: Bool { choice == "mlProgram" }

    /// Whether it is an ML Program, or a pipeline with one.
    var hasProgram: Bool { isProgram || pipelineModels?.contains { $0.hasProgram } == true }

    /// The mapping of arrays to tensors in the description of a Core ML model.
    var arrays: NeuralArrays {
        guard let kind = choice, !isProgram else { return .exact }
        return NeuralArrays(self[kind])
    }

    /// The version of a Core ML model; the newest known one if it is newer.
    var knownVersion: CoreMLVersion {
        CoreMLVersion(rawValue: self.specificationVersion) ?? CoreMLVersion.allCases.last!
    }

    /// The names of the weight files that a program refers to.
    var weightFileNames: Set<String> {
        var names: Set<String> = []
        func visit(_ message: Message) {
            if message.messageType == .value, message.has("blobFileValue") {
                names.insert(message.blobFileValue.fileName)
            }
            message.forEachMessage(visit)
        }
        visit(self)
        return names
    }
}
