/// Reads a Core ML ML Program into a model.
///
/// The compute precision of a program is not kept: weights become float32, and casts between float16 and float32
/// disappear.
struct ProgramReader {
    let weightFiles: (any WeightFiles)?
    private let description: Message
    private let function: Message
    private let block: Message
    var reading = ImportContext(channelOrder: .channelsFirst)
    /// The values that are known so far.
    var names: [String: MILRead.Argument] = [:]
    var files: [String: WeightFile] = [:]
    /// The constants of nested blocks, which may be read several times, by the path of the block and their name. (Other blocks
    /// may have constants of the same name.)
    private var innerConstants: [[String]: MILRead.Argument] = [:]
    /// The nested blocks around the current operation, from the outside in.
    var path: [String] = []
    /// The names of lists without a fixed length.
    var growingLists: Set<String> = []
    private var interface: ModelInterface
    /// The operation at the end of a classifier.
    private var end: ClassifierEnd?
    /// The states with their current values, and whether they were written.
    var states: [(name: String, value: Operand, isWritten: Bool)] = []

    private struct ClassifierEnd {
        var probabilities: Operand
        var configuration: ClassifierConfiguration

        var label: String { configuration.predictedFeature }
        var dictionary: String { configuration.probabilities }
    }

    /// - Parameters:
    ///   - weights: The weight files; nil for a program without one.
    ///   - size: The size of the image; nil for its default size.
    /// - Throws: `Failure` naming the operation or the feature that cannot be read.
    static func run(_ message: Message, _ weights: (any WeightFiles)?, _ size: ImageSize? = nil) throws -> Model {
        var reader = try ProgramReader(message, weights, size)
        return try reader.model()
    }

    private init(_ message: Message, _ weights: (any WeightFiles)?, _ size: ImageSize? = nil) throws {
        weightFiles = weights
        description = message["description"]
        interface = ModelInterface(description, size: size)
        let functions: [Message] = message.mlProgram.functions
        // If several functions can be called, each has its own description of inputs and outputs.
        if functions.count > 1, (description.input as [Message]).isEmpty {
            throw Failure.severalFunctions(functions.map { $0.key })
        }
        guard let main = functions.first(where: { $0.key == "main" }) ?? (functions.count == 1 ? functions[0] : nil)
        else { throw Failure.noFunction(functions.map { $0.key }) }
        function = main["value"]
        guard let body = function.body else { throw Failure.noBlock(function.opset) }
        block = body
    }

    /// The kinds of a program's operations, without its constants.
    static func kinds(_ message: Message) throws -> [String] {
        try (ProgramReader(message, nil).block.operations as [Message]).map { $0.type }.filter { $0 != "const" }
    }

    private mutating func model() throws -> Model {
        try addInputs()
        try addOperations(of: block)
        try addOutputs()
        let outputs = try addStates()
        var model = try interface.model(reading.builder.graph)
        model.states = states.map { state in
            let ports = model.graph.inputs
            return StateTensor(
                name: state.name, type: model.graph[ports.first { $0.name == state.name }!.value],
                input: ports.firstIndex { $0.name == state.name }!,
                output: outputs[state.name].flatMap { name in model.graph.outputs.firstIndex { $0.name == name } })
        }
        return model
    }

    // MARK: Inputs

    private mutating func addInputs() throws {
        for input in function.inputs as [Message] {
            let name: String = input.name
            let declaration: Message = input["type"]
            if declaration.has("stateType") {
                try addState(name, declaration.stateType["wrappedType"])
                continue
            }
            let (declared, element) = try openType(declaration, of: name)
            let shape = try interface.addInput(name, declared)
            guard !interface.images.contains(where: { $0.name == name }) || element.isFloatingPoint else {
                throw Failure.imageElement(name, element.rawValue)
            }
            guard shape.declaredCount != nil else {
                throw Failure.valueShape(name, declared)
            }
            let type = TensorType(shape, element.isFloatingPoint ? .float32 : element == .bool ? .bool : .int32)
            try define(name, .operand(.edge(reading.builder.input(name, type), type)))
        }
        try interface.checkInputs((function.inputs as [Message]).map { $0.name })
    }

    mutating func define(_ name: String, _ binding: MILRead.Argument) throws {
        guard names.updateValue(binding, forKey: name) == nil else { throw Failure.duplicateValue(name) }
    }

    // MARK: Operations

    mutating func addOperations(of block: Message) throws {
        for (index, operation) in (block.operations as [Message]).enumerated() {
            let node = Failure.Node(name: operation.outputNames.first ?? "", op: operation.type)
            try naming(node: node, location: "operation \(index + 1) '\(node.name)'") { try add(operation) }
        }
    }

    private mutating func add(_ operation: Message) throws {
        let kind: String = operation.type
        let outputs: [Message] = operation.outputs
        if ["read_state", "write_state", "coreml_update_state"].contains(kind) {
            if let name = outputs.first?.name as String? {
                try define(name, .operand(accessState(operation)))
            } else {
                _ = try accessState(operation)
            }
            return
        }
        let name = operation.outputNames.first ?? ""
        guard !outputs.isEmpty else { throw Failure.operationWithoutOutput(kind) }
        let attributes: [Message] = operation.attributes
        if kind == "const" {
            guard let value = operation.constantValue else { throw Failure.constantWithoutValue() }
            return try define(name, constant(value, named: name))
        }
        let arguments = try arguments(operation, attributes)
        let read = MILRead(name: name, kind: kind, arguments: arguments, outputCount: outputs.count)
        try read.checkArguments((operation.inputs as [Message]).map { $0.key })
        try noteLists(read, operation)
        if kind == "classify", path.isEmpty { return try addClassification(read, outputs) }
        let results = try results(of: read, operation.blocks)
        guard results.count >= outputs.count else {
            throw Failure.operationOutputs(kind, outputs.count, results.count)
        }
        for (output, result) in zip(outputs, results) {
            if !(output["type"] as Message).has("listType") { try checkShape(of: result, output) }
            try define(output.name, .operand(result))
        }
    }

    /// Checks that a result has the declared shape, in which sizes may be open.
    private func checkShape(of result: Operand, _ output: Message) throws {
        let (sizes, _) = try openType(output["type"], of: output.name)
        guard sizes.count == result.shape.rank, zip(sizes, result.shape).allSatisfy({ $0 == -1 || $0 == $1 }) else {
            throw Failure.declaredShape(output.name, Shape(sizes), result.shape)
        }
    }

    /// The kinds of operations that have no rule, because the reader must do more than add operations.
    static let ownKinds: Set = ["const", "classify", "cond", "while_loop", "read_state"]

    private mutating func results(of read: MILRead, _ blocks: [Message]) throws -> [Operand] {
        switch read.kind {
        case "cond": return try branches(read, blocks)
        case "while_loop": return try loop(read, blocks)
        default:
            guard let rule = Operations.mil[read.kind] else { throw Failure.unknownOperation(read.kind) }
            let results = try rule.build(read, &reading)
            let operands = read.arguments.values.joined().compactMap {
                if case .operand(let operand) = $0 { operand } else { nil }
            }
            try reading.count(results, from: operands)
            return results
        }
    }

    private mutating func constant(_ value: Message, named name: String) throws -> MILRead.Argument {
        if path.isEmpty { return try constant(value, of: name) }
        if let known = innerConstants[path + [name]] { return known }
        let read = try constant(value, of: name)
        innerConstants[path + [name]] = read
        return read
    }

    /// All arguments of an operation, by name. Constants may also be given as attributes.
    private mutating func arguments(
        _ operation: Message, _ attributes: [Message]
    ) throws -> [String: [MILRead.Argument]] {
        var arguments: [String: [MILRead.Argument]] = [:]
        for entry in operation.inputs as [Message] {
            let key: String = entry.key
            arguments[key] = try (entry.value.arguments as [Message]).map { binding in
                if binding.has("value") { return try constant(binding["value"], of: key) }
                let name: String = binding.name
                guard let value = names[name] else { throw Failure.valueMissing(name) }
                return value
            }
        }
        for entry in attributes where entry.key as String != "name" {
            let key: String = entry.key
            guard arguments[key] == nil else { continue }
            let value: Message = entry["value"]
            // Attributes may have other types, but weights must be readable.
            let read = value.has("blobFileValue") ? try constant(value, of: key) : try? constant(value, of: key)
            if let read { arguments[key] = [read] }
        }
        return arguments
    }

    private mutating func addClassification(_ read: MILRead, _ outputs: [Message]) throws {
        guard outputs.count == 2, case .texts(let labels)? = read.arguments["classes"]?.first else {
            throw read.refused("the classes are missing, or there are not two outputs")
        }
        end = ClassifierEnd(
            probabilities: try read.operand("probabilities"),
            configuration: ClassifierConfiguration(
                labels: labels, hasIntegerLabels: outputs[0].type.tensorType.dataType as String == "INT64",
                predictedFeature: outputs[0].name, probabilities: outputs[1].name))
    }

    // MARK: Outputs

    private mutating func addOutputs() throws {
        var outputs: [String] = block.outputs
        let described = (description.output as [Message]).map { $0.name as String }
        if let missing = described.first(where: { !outputs.contains($0) }) { throw Failure.outputMissing(missing) }
        try interface.checkOutputs(isClassifier: end != nil)
        if let classification = end,
            outputs.contains(classification.dictionary) || outputs.contains(classification.label)
        {
            let name = classification.dictionary
            let value = try reading.edge(classification.probabilities, name: name + "/constant")
            let count = reading.builder[value].shape.elementCount
            let row =
                reading.builder[value].shape == [1, count]
                ? value : try reading.builder.add(Reshape([1, count]), [value], name: name + "/row")[0]
            reading.builder.output(classification.dictionary, row)
            interface.setClassifier(classification.configuration)
            outputs.removeAll { $0 == classification.dictionary || $0 == classification.label }
        }
        for name in outputs {
            guard case .operand(let operand)? = names[name] else { throw Failure.outputMissing(name) }
            let value = try reading.edge(operand, name: name + "/constant")
            reading.builder.output(name, try interface.imageOutput(name, value, &reading.builder) ?? value)
        }
    }
}
