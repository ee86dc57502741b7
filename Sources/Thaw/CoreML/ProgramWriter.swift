/// Writes a model as a Core ML ML Program, the dialect of `.mlpackage` folders.
///
/// The image arrives in float32, is scaled, and is then cast to the compute precision, by default float16. Input and
/// output arrays are float32 or int32 regardless of it, unless the precision options say otherwise.
struct ProgramWriter {
    private var model: Model
    private var graph: Graph
    private let precision: ProgramPrecision
    private var block: MILBlock
    private var values: [Graph.Value: MILValue] = [:]
    /// Values in float32, for operations that are computed in it.
    private var float32Values: [Graph.Value: MILValue] = [:]
    /// Values that are needed only in float32, by value index.
    private var isFloat32: [Bool] = []
    private var inputs: [Message] = []
    /// Whether quantized values are 8-bit integers in the program, not integers like others.
    private let hasQuantization: Bool

    /// - Parameters:
    ///   - weights: How weights are stored, which also determines the default compute precision.
    ///   - target: The newest version that may be used; nil means the lowest that suffices.
    ///   - precision: The types of inputs, computation and outputs.
    /// - Throws: `Failure` naming a node that no operation can compute.
    static func run(
        _ model: Model, weights: WeightStorage = WeightStorage(.float16), target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision()
    ) throws -> EncodedProgram {
        if weights.type.isSelective, let target, target < .iOS16 {
            throw Failure.targetTooOld(
                "\(option: .weights) \(weights.type.rawValue)", needs: .iOS16, target)
        }
        if let target, target < .iOS16, let what = precision.needingHalf(weights) {
            throw Failure.targetTooOld(what, needs: .iOS16, target)
        }
        if let image = model.image, model.batchSize != 1 { throw Failure.fixedBatch(image.name, model.batchSize) }
        func single(_ model: Model) throws -> EncodedProgram {
            var writer = try ProgramWriter(model, weights, target, precision)
            return try writer.run()
        }
        let variants = try SizeVariants(model)
        var result = try single(variants?.base ?? model)
        if let variants {
            var sizes = FlexibleSizes(result.message)
            for size in variants.sizes { try sizes.add(single(variants.model(at: size)), to: result, at: size) }
            sizes.loosen(&result.message)
            sizes.describe(model.image!.sizes, in: &result.message)
        }
        guard weights.type.isSelective else { return result }
        let compressed = try CompressedProgram.run(result.message, .memory(result.weights), weights, target: target)
        if compressed.report.layerCount > 0 { result = compressed.program }
        result.report = compressed.report
        return result
    }

    private init(
        _ model: Model, _ weights: WeightStorage, _ target: CoreMLVersion?, _ precision: ProgramPrecision
    ) throws {
        var model = model
        // Only 8-bit pixels have bounds.
        if precision.outputs == .float16, model.imageOutput?.color == .gray { model.imageOutput?.exceedsPixels = false }
        self.model = model
        self.precision = precision
        let channelsFirst = try model.channelsFirst()
        hasQuantization = target.map { $0 >= .iOS17 } ?? false && channelsFirst.hasPairedQuantization
        graph = try channelsFirst.legalized(for: hasQuantization ? .quantizedProgram : .program)
        block = MILBlock(weights, target: target, compute: precision.compute)
        block.quantizesWeights = model.isQuantized && block.version >= .iOS16
        if precision.hasHalfFeatures { block.version = max(block.version, .iOS16) }
        isFloat32 = graph.areFloat32
        for (index, port) in graph.outputs.enumerated() where output(graph[port.value].element, index) != .float32 {
            isFloat32[port.value.index] = false
        }
    }

    private mutating func run() throws -> EncodedProgram {
        for index in graph.inputs.indices { graph.inputs[index].name = block.unique(graph.inputs[index].name) }
        for index in graph.outputs.indices { graph.outputs[index].name = block.unique(graph.outputs[index].name) }
        if let label = model.classifier?.predictedFeature { model.classifier?.predictedFeature = block.unique(label) }
        for (index, port) in graph.inputs.enumerated() { addInput(port, model.image(at: index)) }
        nameOutputs()
        for node in graph.nodes { try add(node) }
        let outputs = finishOutputs()
        return EncodedProgram(message: message(outputs), weights: block.weights, version: block.version)
    }

    // MARK: Types

    /// The element type of a tensor inside the program.
    private func element(_ element: ElementType) -> ElementType {
        if hasQuantization, element == .int8 || element == .uint8 { return element }
        return element.isFloatingPoint ? block.float : element == .bool ? .bool : .int32
    }

    private func type(_ value: Graph.Value) -> TensorType {
        TensorType(graph[value].shape, isFloat32[value.index] ? .float32 : element(graph[value].element))
    }

    /// The element type of an input or output.
    private func outside(_ element: ElementType, _ precision: ComputePrecision) -> ElementType {
        element.isFloatingPoint ? precision.element : element == .bool ? .float32 : .int32
    }

    /// The element type of an input. The pixels of a color image have 8 bits and arrive as float32.
    private func input(_ element: ElementType, _ image: ImageInput?) -> ElementType {
        outside(element, image.map { $0.color != .gray } ?? false ? .float32 : precision.inputs)
    }

    /// The element type of an output.
    private func output(_ element: ElementType, _ index: Int) -> ElementType {
        let isColored = model.imageOutput.map { $0.index == index && $0.color != .gray } ?? false
        return outside(element, isColored ? .float32 : precision.outputs)
    }

    /// The shape of an input or output, which has at least one axis.
    private func outside(_ shape: Shape) -> Shape { shape.rank == 0 ? [1] : shape }

    // MARK: Inputs

    private mutating func addInput(_ port: Graph.Port, _ image: ImageInput?) {
        let inner = type(port.value)
        var value = MILValue(
            name: port.name, type: TensorType(outside(inner.shape), input(inner.element, image)))
        inputs.append(Message.named(value.name, .tensorType(value.type)))
        if let image { value = block.scaled(block.cast(value, to: .float32), image.scaling) }
        if value.shape != inner.shape {
            let whole = MILValue(
                name: block.unique(port.name + "_number"), type: TensorType(inner.shape, value.element))
            block.add("squeeze", [whole], ["x": .value(value), "axes": .integers([0])])
            value = whole
        }
        if value.element == .float32 { float32Values[port.value] = value }
        values[port.value] = block.cast(value, to: inner.element)
    }

    // MARK: Nodes

    private mutating func add(_ node: Graph.Node) throws {
        let float32Operation = node.operation as? InFloat32
        guard let operation = (float32Operation?.operation ?? node.operation) as? any MILOperation else {
            throw Failure.cannotWriteOperation(node.name, node.operation.kind)
        }
        for (index, output) in node.outputs.enumerated() where values[output] == nil {
            guard graph[output].shape.rank <= CoreMLDialect.maximumRank else {
                throw Failure.tooManyAxes(node.name, node.operation.kind, graph[output].shape.rank)
            }
            let name = block.unique(index == 0 ? node.name : "\(node.name)_\(index)")
            values[output] = MILValue(name: name, type: type(output))
        }
        let inputs = node.inputs.map { float32Operation == nil ? values[$0]! : wideValue($0) }
        let mil = MILNode(inputs: inputs, outputs: node.outputs.map { values[$0]! })
        try naming(node: node.identity) {
            if float32Operation != nil || block.float == .float16 && operation.needsFloat32 {
                let results = try block.inFloat32(mil) { try operation.write($0, to: &$1) }
                for (output, result) in zip(node.outputs, results) where result.element == .float32 {
                    float32Values[output] = result
                }
            } else {
                try operation.write(mil, to: &block)
            }
        }
    }

    /// The value in float32 if it is floating point, cast once for all nodes that are computed in that.
    private mutating func wideValue(_ value: Graph.Value) -> MILValue {
        let narrow = values[value]!
        guard narrow.element == .float16 else { return narrow }
        if let float32Value = float32Values[value] { return float32Value }
        let float32Value = block.cast(narrow, to: .float32)
        float32Values[value] = float32Value
        return float32Value
    }

    // MARK: Outputs

    /// Gives values that are outputs without a cast or reshape the outputs' names.
    private mutating func nameOutputs() {
        for (index, port) in graph.outputs.enumerated().dropFirst(model.classifier == nil ? 0 : 1)
        where values[port.value] == nil {
            let type = type(port.value)
            guard type.element == output(type.element, index), type.shape.rank > 0 else { continue }
            values[port.value] = MILValue(name: port.name, type: type)
        }
    }

    /// Adds the final casts, reshapes and the classification. Returns the outputs' names, each computed by an
    /// operation.
    private mutating func finishOutputs() -> [String] {
        var names: [String] = []
        for (index, port) in graph.outputs.enumerated() {
            var value = values[port.value]!
            if output(value.element, index) == .float32 { value = float32Values[port.value] ?? value }
            if index == 0, let classifier = model.classifier {
                value = block.cast(value, to: .float32)
                block.addClassify(
                    value, labels: classifier.labels, areIntegers: classifier.hasIntegerLabels,
                    label: classifier.predictedFeature, dictionary: port.name)
                names += [classifier.predictedFeature, port.name]
                continue
            }
            names.append(port.name)
            let type = TensorType(outside(value.shape), output(value.element, index))
            let result = MILValue(name: port.name, type: type)
            if value.shape != type.shape {
                value = block.cast(value, to: type.element)
                block.add("expand_dims", [result], ["x": .value(value), "axes": .integers([0])])
            } else if value.element != type.element {
                block.castInto(result, from: value)
            } else if block.name(value) != port.name {
                block.add("identity", [result], ["x": .value(value)])
            }
        }
        return names
    }

    // MARK: The message

    private func message(_ outputs: [String]) -> Message {
        let opset = block.version.opset
        var body = Message(.block)
        body.outputs = outputs
        body.operations = block.operations
        var specialization = Message(MessageType.function.type(of: "block_specializations"))
        specialization.key = opset
        specialization.value = body
        var main = Message(.function)
        main.inputs = inputs
        main.opset = opset
        main.block_specializations = [specialization]
        var entry = Message(MessageType.program.type(of: "functions"))
        entry.key = "main"
        entry.value = main
        var message = Message(.model)
        message.specificationVersion = block.version.rawValue
        message.mlProgram.version = 1
        message.mlProgram.functions = [entry]
        message.description =
            ModelDescription(model, graph, arrays: .exact, precision: precision) { element, precision in
                outside(element, precision).milName
            }.message
        return message
    }
}

extension Graph {
    /// Whether there are 8-bit quantized values, all of which are dequantized immediately.
    fileprivate var hasPairedQuantization: Bool {
        var areQuantized = [Bool](repeating: false, count: types.count)
        for node in nodes {
            guard node.operation.family == .quantization else {
                guard !node.inputs.contains(where: { areQuantized[$0.index] }) else { return false }
                continue
            }
            for output in node.outputs { areQuantized[output.index] = self[output].element != .float32 }
        }
        let types = (inputs + outputs).map { self[$0.value].element }
        return nodes.contains { $0.operation.family == .quantization }
            && !types.contains { $0 == .int8 || $0 == .uint8 }
    }

    /// Whether each value is an input or computed in float32, and only read by nodes that compute in float32; by value
    /// index.
    fileprivate var areFloat32: [Bool] {
        var result = [Bool](repeating: false, count: types.count)
        for port in inputs { result[port.value.index] = self[port.value].element.isFloatingPoint }
        for node in nodes {
            let isFloat32 = node.operation is InFloat32
            for output in node.outputs { result[output.index] = isFloat32 && self[output].element.isFloatingPoint }
            if !isFloat32 { for input in node.inputs { result[input.index] = false } }
        }
        return result
    }
}
