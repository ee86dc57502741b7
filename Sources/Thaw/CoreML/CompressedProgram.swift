/// Compresses the weights of an ML Program.
///
/// The rest of the program stays unchanged, with two exceptions. An older program is declared to use the opset of iOS
/// 16, the first that supports such weights; it contains all older operations. And if a layer's output channels differ
/// in scale, the layer is followed by a multiplication; from iOS 18 on, the weights themselves are multiplied.
struct CompressedProgram {
    private let storage: WeightStorage
    private let version: CoreMLVersion
    private var constants: ProgramConstants
    private var block: MILBlock
    /// The references to the new weight file that replace those to the old one.
    private var moved: [BlobLocation: Message] = [:]
    private var report = CompressionReport()

    private struct BlobLocation: Hashable {
        var file: String
        var offset: Int
    }

    /// The compressed program, and a report on its layers.
    typealias Result = (program: EncodedProgram, report: CompressionReport)

    /// - Parameters:
    ///   - message: A program that can be read.
    ///   - target: The newest version that may be used.
    /// - Returns: A report without layers if nothing can be compressed.
    static func run(
        _ message: Message, _ source: ProgramConstants.Source, _ storage: WeightStorage, target: CoreMLVersion?
    ) throws -> Result {
        let version = version(of: message)
        if let target, target < version {
            throw Failure.targetTooOld(
                target < .iOS16 ? "\(option: .weights) \(storage.type.rawValue)" : "the model", needs: version,
                target)
        }
        // The arguments of an operation depend on the opset, not on the version of the file.
        let opsets = (message.mlProgram.functions as [Message]).map { raised($0.value.opset) }
        let known = CoreMLVersion.allCases.first { opsets.contains($0.opset) }
        var program = CompressedProgram(
            storage: storage, version: version, constants: ProgramConstants(source),
            block: MILBlock(storage, target: known ?? .iOS16))
        return try program.run(message)
    }

    /// The version of a program after its weights have been compressed.
    static func version(of message: Message) -> CoreMLVersion { max(.iOS16, message.knownVersion) }

    private static func raised(_ opset: String) -> String {
        opset == CoreMLVersion.iOS15.opset ? CoreMLVersion.iOS16.opset : opset
    }

    private init(storage: WeightStorage, version: CoreMLVersion, constants: ProgramConstants, block: MILBlock) {
        (self.storage, self.version, self.constants, self.block) = (storage, version, constants, block)
    }

    private mutating func run(_ model: Message) throws -> Result {
        var model = model
        var functions: [Message] = model.mlProgram.functions
        for index in functions.indices {
            let opset: String = functions[index].value.opset
            var bodies: [Message] = functions[index].value.block_specializations
            bodies.removeAll { $0.key as String != opset }
            for body in bodies.indices {
                bodies[body].key = Self.raised(opset)
                bodies[body].value.operations = try compressed(bodies[body].value.operations)
            }
            functions[index].value.opset = Self.raised(opset)
            functions[index].value.block_specializations = bodies
        }
        model.mlProgram.functions = functions
        model.specificationVersion = max(version.rawValue, model.specificationVersion as Int)
        return (EncodedProgram(message: model, weights: block.weights, version: version), report)
    }

    // MARK: Operations

    private mutating func compressed(_ operations: [Message]) throws -> [Message] {
        // Weights may also be used inside blocks, which would have to be scaled alike.
        if let nested = operations.first(where: { !($0.blocks as [Message]).isEmpty }) {
            throw Failure.cannotCompressNestedBlocks(nested.type, nested.outputNames.first ?? "")
        }
        for operation in operations { for name in operation.outputNames { _ = block.unique(name) } }
        let uses = ProgramUses(operations)
        let plans = try plans(operations, uses)
        let isScaledAfterwards = block.version < .iOS18
        func scaling(_ operation: Message) -> (scales: [Float], element: ElementType)? {
            guard isScaledAfterwards, ProgramUses.layers.contains(operation.type),
                let name = operation.boundNames("weight").first,
                let plan = plans[name], let scales = plan.weights.scales
            else { return nil }
            return (scales, plan.type.element)
        }
        // Biases of scaled layers, which are added after the scale.
        let scaledLayers = operations.filter { scaling($0) != nil }
        let biases = Set(scaledLayers.flatMap { $0.boundNames("bias") }).filter { name in
            uses.consumers(name).allSatisfy { scaling(operations[$0]) != nil }
        }
        let values = Dictionary(
            operations.compactMap { operation in operation.constantValue.map { (operation.outputNames[0], $0) } },
            uniquingKeysWith: { first, _ in first })
        var result: [Message] = []
        for operation in operations {
            let name = operation.outputNames.first ?? ""
            if let plan = plans[name] {
                result += added { block in
                    block.float = plan.type.element
                    block.addCompressed(plan.weights, plan.type.shape, as: name)
                }
            } else if let (scales, element) = scaling(operation) {
                result += try scaledAfterwards(operation, scales, element, values)
            } else if operation.type as String != "const" || !biases.contains(name) {
                var operation = operation
                try move(&operation)
                result.append(operation)
            }
        }
        return result
    }

    /// The operations that `body` adds to the block.
    private mutating func added(_ body: (inout MILBlock) -> Void) -> [Message] {
        let count = block.operations.count
        body(&block)
        return Array(block.operations[count...])
    }

    private struct Plan {
        var weights: CompressedWeights
        var type: TensorType
    }

    /// The compressed constants, by name.
    private mutating func plans(_ operations: [Message], _ uses: ProgramUses) throws -> [String: Plan] {
        var plans: [String: Plan] = [:]
        for operation in operations where operation.type as String == "const" {
            guard let name = operation.outputNames.first, let value = operation.constantValue,
                value.has("blobFileValue")
            else { continue }
            let layers = uses.consumers(name).map { operations[$0] }.filter {
                ProgramUses.layers.contains($0.type) && $0.boundNames("weight").contains(name)
            }
            guard !layers.isEmpty else { continue }
            let weights = try constants.tensor(value)
            guard let element = MILElement(value.type.tensorType.dataType)?.element,
                [.float16, .float32].contains(element), storage.compresses(weights)
            else { continue }
            // Scaling output channels works only if all consumers of the weights do it, and if rows are output
            // channels.
            let allowsScales =
                layers.count == uses.consumers(name).count
                && layers.allSatisfy { $0.type as String != "conv_transpose" }
            let isNew = block.version >= .iOS18
            let use = LayerUse(
                feedsDepthwise: layers.contains { $0.outputNames.contains(where: uses.depthwiseInputs.contains) },
                allowsScales: isNew || allowsScales, allowsGroups: isNew)
            let (compressed, reason) = storage.compressed(weights, use, storedAs: element)
            plans[name] = Plan(weights: compressed, type: TensorType(weights.shape, element))
            report.add(layers[0].outputNames.first ?? name, reason)
        }
        return plans
    }

    /// The layer without its bias, followed by a multiplication by `scales` and an addition of the bias.
    private mutating func scaledAfterwards(
        _ operation: Message, _ scales: [Float], _ element: ElementType, _ values: [String: Message]
    ) throws -> [Message] {
        let output = (operation.outputs as [Message])[0]
        let name: String = output.name
        // Output channels are the second axis of a convolution, and the last one of a linear layer.
        let rank = (output.type.tensorType.dimensions as [Message]).count
        let shape =
            operation.type as String == "linear"
            ? Shape([scales.count]) : Shape([1, scales.count] + [Int](repeating: 1, count: max(0, rank - 2)))
        var steps: [(kind: String, operand: Tensor)] = [("mul", Tensor(scales, shape: shape))]
        if let bias = try bias(of: operation, values) { steps.append(("add", bias.reshaped(shape))) }

        var layer = operation
        layer.inputs = (operation.inputs as [Message]).filter { $0.key as String != "bias" }
        try move(&layer)
        let type = TensorType(shape, element)
        var value = MILValue(name: block.unique(name + "_unscaled"), type: type)
        var operations = [layer.withOutput(output, named: value.name)]
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            let next = MILValue(name: isLast ? name : block.unique(name + "_scaled"), type: type)
            operations += added { block in
                block.float = element
                block.add(step.kind, [next], ["x": .value(value), "y": .constant(step.operand)])
            }
            operations.append(operations.removeLast().withOutput(output, named: next.name))
            value = next
        }
        return operations
    }

    /// A layer's bias; nil if it has none, or only zeros.
    private mutating func bias(of operation: Message, _ values: [String: Message]) throws -> Tensor? {
        guard let binding = operation.bindings("bias").first,
            let value = binding.has("value") ? binding["value"] : values[binding.name]
        else { return nil }
        let bias = try constants.tensor(value)
        return bias.floats.allSatisfy { $0 == 0 } ? nil : bias
    }

    // MARK: The weight file

    /// Copies all tensors of the old weight file that `message` refers to into the new one.
    private mutating func move(_ message: inout Message) throws {
        guard message.messageType == .value, message.has("blobFileValue") else {
            return try message.mapMessages { try move(&$0) }
        }
        let location = BlobLocation(file: message.blobFileValue.fileName, offset: message.blobFileValue.offset)
        if let copy = moved[location] {
            message.blobFileValue = copy["blobFileValue"]
            return
        }
        let type: Message = message["type"]
        message = block.inFile(
            try constants.tensor(message), MILElement(type.tensorType.dataType)!.kind, type)
        moved[location] = message
    }
}

extension Message {
    /// An operation with `output` under another name as its only output.
    fileprivate func withOutput(_ output: Message, named name: String) -> Message {
        var (operation, output) = (self, output)
        output.name = name
        operation.outputs = [output]
        operation.attributes =
            (self.attributes as [Message]).filter { $0.key as String != "name" }
            + [Message.attribute("name", .text(name))]
        return operation
    }
}

extension Failure {
    fileprivate static func cannotCompressNestedBlocks(_ kind: String, _ node: String) -> Failure {
        Failure(
            .cannotCompress, "the operation '\(node)' (\(kind)) contains nested operations",
            remedy: "only models without branches and loops can be compressed",
            nodes: [Failure.Node(name: node, op: kind)])
    }
}
