/// A model in Core ML's format, before it is written to a file or to memory.
struct EncodedModel {
    var message: Message
    /// The files of weights of an ML Program, by their paths relative to the model's file.
    var weights: [(name: String, bytes: PendingBytes)] = []
    var version: CoreMLVersion
    /// Which weights were compressed, if they were to be.
    var report: CompressionReport?

    /// A package's only file of weights, as we and coremltools write it.
    static let weightFile = "weights/weight.bin"
    /// What the names of files of weights begin with.
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

    /// An ML Program with its files of weights as they are.
    init(_ program: Message, _ files: any WeightFiles) throws {
        self.init(program)
        for name in program.weightFileNames.sorted() {
            let file = try files.weights(name).file
            weights.append((String(name.dropFirst(EncodedModel.pathPrefix.count)), PendingBytes(file)))
        }
    }

    /// Whether it is a package: an ML Program, or a pipeline with one.
    var isPackage: Bool { message.hasProgram }

    /// The content of the model's file, and that of the file of weights.
    /// - Throws: `Failure` if the weights are in several files.
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
        return (try message.encoded(), weights)
    }
}

/// A file of weights in memory.
struct WeightBytes: WeightFiles {
    let bytes: ByteView?

    func weights(_ name: String) throws -> WeightFile {
        guard let bytes else { throw Failure.weightsNotGiven() }
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

    /// How the description of a Core ML model maps arrays to tensors.
    var arrays: NeuralArrays {
        guard let kind = choice, !isProgram else { return .exact }
        return NeuralArrays(self[kind])
    }

    /// The version of a Core ML model; the newest known for one that is newer.
    var knownVersion: CoreMLVersion {
        CoreMLVersion(rawValue: self.specificationVersion) ?? CoreMLVersion.allCases.last!
    }

    /// The names of the files of weights that a program refers to.
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
