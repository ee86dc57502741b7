/// The constants of an ML Program, including those in its weight file.
struct ProgramConstants {
    /// The location of the weight file.
    enum Source {
        case files(any WeightFiles)
        /// A program that is about to be written.
        case memory(ProgramWeights)
    }

    private let source: Source
    private var files: [String: WeightFile] = [:]

    init(_ source: Source) { self.source = source }

    /// The tensor of a value.
    /// - Throws: `Failure` if the weight file has no such tensor.
    mutating func tensor(_ value: Message) throws -> Tensor {
        let name: String = value.type.tensorType.dataType
        let dimensions: [Message] = value.type.tensorType.dimensions
        let shape = Shape(dimensions.map { $0.constant.size })
        let file: String = value.blobFileValue.fileName
        // Types of fewer than 8 bits are only for compressed weights.
        guard let element = MILElement(name), element.kind.bits >= 8 else { throw Failure.valueElement(file, name) }
        guard value.has("blobFileValue") else {
            return try ProgramReader.immediate(
                value.immediateValue["tensor"], shape, element.element, name, of: "constant")
        }
        let offset: Int = value.blobFileValue.offset
        switch source {
        case .memory(let weights):
            guard let tensor = weights.tensors[offset] else { preconditionFailure("weights are written before") }
            return tensor
        case .files(let source):
            if files[file] == nil { files[file] = try source.weights(file) }
            return try files[file]!.tensor(at: offset, shape, element)
        }
    }
}
