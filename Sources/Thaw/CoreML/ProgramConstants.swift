/// The constants of an ML Program, those in its file of weights included.
struct ProgramConstants {
    /// Where the file of weights is.
    enum Source {
        case package(ModelPackage)
        /// A program that is about to be written.
        case memory(ProgramWeights)
    }

    private let source: Source
    private var files: [String: WeightFile] = [:]

    init(_ source: Source) { self.source = source }

    /// The tensor that a value is.
    /// - Throws: `Failure` if the file of weights has no such tensor.
    mutating func tensor(_ value: Message) throws -> Tensor {
        let name: String = value.type.tensorType.dataType
        let dimensions: [Message] = value.type.tensorType.dimensions
        let shape = Shape(dimensions.map { $0.constant.size })
        let file: String = value.blobFileValue.fileName
        // Numbers of less than 8 bits are for compressed weights.
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
        case .package(let package):
            if files[file] == nil { files[file] = try package.weights(file) }
            return try files[file]!.array(at: offset, shape, element)
        }
    }
}
