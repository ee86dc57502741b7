/// The weights of an ML Program stored anew in less. All else stays as it is, but that an older program is said to be written in
/// the operations of iOS 16, the first that know such weights and that have kept all older ones.
struct CompressedProgram {
    private let package: ModelPackage
    private let version: CoreMLVersion
    private var block: MILBlock
    private var files: [String: WeightFile] = [:]
    /// Where arrays of the old file of weights stand in the new one.
    private var moved: [BlobPlace: Message] = [:]
    private var isChanged = false

    private struct BlobPlace: Hashable {
        var file: String
        var offset: Int
    }

    /// The operations whose argument `weight` is what a network has learned.
    private static let kinds: Set<String> = ["conv", "conv_transpose", "linear"]

    /// - Parameters:
    ///   - message: A program that can be read.
    ///   - target: The newest version that may be used.
    /// - Returns: Nil where nothing is to be compressed.
    static func run(
        _ message: Message, _ package: ModelPackage, _ storage: WeightStorage, target: CoreMLVersion?
    ) throws -> ProgramWriter.Result? {
        let version = version(of: message)
        if let target, target < version {
            throw Failure.targetTooOld(
                target < .iOS16 ? "--weights \(storage.type.rawValue)" : "the model", needs: version.systems,
                target.name)
        }
        // What an operation takes goes by the set of operations, not by the version of the file.
        let opsets = (message.mlProgram.functions as [Message]).map { raised($0.value.opset) }
        let known = CoreMLVersion.allCases.first { opsets.contains($0.opset) }
        var program = CompressedProgram(
            package: package, version: version, block: MILBlock(storage, target: known ?? .iOS16))
        return try program.run(message)
    }

    /// The version that a program has when its weights are compressed.
    static func version(of message: Message) -> CoreMLVersion { max(.iOS16, message.knownVersion) }

    private static func raised(_ opset: String) -> String {
        opset == CoreMLVersion.iOS15.opset ? CoreMLVersion.iOS16.opset : opset
    }

    private init(package: ModelPackage, version: CoreMLVersion, block: MILBlock) {
        (self.package, self.version, self.block) = (package, version, block)
    }

    private mutating func run(_ model: Message) throws -> ProgramWriter.Result? {
        var model = model
        var functions: [Message] = model.mlProgram.functions
        for index in functions.indices {
            let opset: String = functions[index].value.opset
            var bodies: [Message] = functions[index].value.block_specializations
            bodies.removeAll { $0.key as String != opset }
            for place in bodies.indices {
                bodies[place].key = Self.raised(opset)
                bodies[place].value.operations = try compressed(bodies[place].value.operations)
            }
            functions[index].value.opset = Self.raised(opset)
            functions[index].value.block_specializations = bodies
        }
        model.mlProgram.functions = functions
        model.specificationVersion = max(version.rawValue, model.specificationVersion as Int)
        return isChanged ? ProgramWriter.Result(message: model, weights: block.weights, version: version) : nil
    }

    private mutating func compressed(_ operations: [Message]) throws -> [Message] {
        let names = Set(
            operations.filter { Self.kinds.contains($0.type) }.flatMap { operation -> [String] in
                let inputs: [Message] = operation.inputs
                return inputs.filter { $0.key as String == "weight" }.flatMap { entry -> [String] in
                    (entry.value.arguments as [Message]).map { $0.name }
                }
            })
        return try operations.map { operation in
            let name = (operation.outputs as [Message]).first?.name as String? ?? ""
            if operation.type as String == "const", names.contains(name), let weights = try weights(operation),
                block.storage.compresses(weights)
            {
                isChanged = true
                block.float = weights.element
                block.addCompressed(weights, as: name)
                return block.operations.last!
            }
            var operation = operation
            try move(&operation)
            return operation
        }
    }

    /// The numbers of a constant in the file of weights, where they have fractions.
    private mutating func weights(_ operation: Message) throws -> Tensor? {
        let attributes: [Message] = operation.attributes
        guard let value = attributes.first(where: { $0.key as String == "val" })?["value"] as Message?,
            value.has("blobFileValue")
        else { return nil }
        let tensor = try array(value)
        return [.float16, .float32].contains(tensor.element) ? tensor : nil
    }

    private mutating func array(_ value: Message) throws -> Tensor {
        let file: String = value.blobFileValue.fileName
        if files[file] == nil { files[file] = try package.weights(file) }
        let name: String = value.type.tensorType.dataType
        // Numbers of less than 8 bits are for compressed weights.
        guard let element = MILElement(name), element.kind.bits >= 8 else { throw Failure.valueElement(file, name) }
        let dimensions: [Message] = value.type.tensorType.dimensions
        return try files[file]!.array(
            at: value.blobFileValue.offset, Shape(dimensions.map { $0.constant.size }), element)
    }

    /// Puts all arrays of the old file that are read somewhere in `message` into the new one.
    private mutating func move(_ message: inout Message) throws {
        guard message.messageType == .value, message.has("blobFileValue") else {
            return try message.mapMessages { try move(&$0) }
        }
        let place = BlobPlace(file: message.blobFileValue.fileName, offset: message.blobFileValue.offset)
        if let there = moved[place] {
            message.blobFileValue = there["blobFileValue"]
            return
        }
        let type: Message = message["type"]
        message = block.inFile(try array(message), MILElement(type.tensorType.dataType)!.kind, type)
        moved[place] = message
    }
}
