/// Reads a Core ML neural network into a model.
///
/// It also checks what Apple's validation does not: labels that are duplicate or do not match the classes, layers with
/// the same name, and preprocessing for something that is not an input.
struct NeuralNetworkReader {
    let network: Message
    let isClassifier: Bool
    let description: Message
    private let arrays: NeuralArrays
    var reading = ImportContext(channelOrder: .channelsFirst)
    /// The tensors that are known so far, by name.
    var values: [String: Operand] = [:]
    /// The values that have five axes in Core ML: sequence, batch, channel, height, width. Here they have no sequence axis.
    private var sequences: Set<String> = []
    /// The nesting depth of networks of branches and loops at the current layer.
    var depth = 0
    var interface: ModelInterface

    /// - Parameters:
    ///   - kind: The field of the network in the outermost message.
    ///   - size: The size of the image; nil for its default size.
    /// - Throws: `Failure` naming the layer or the feature that cannot be read.
    static func run(_ message: Message, _ kind: String, _ size: ImageSize? = nil) throws -> Model {
        var reader = NeuralNetworkReader(
            message[kind], isClassifier: kind == "neuralNetworkClassifier", message["description"], size)
        return try reader.model()
    }

    private init(_ network: Message, isClassifier: Bool, _ description: Message, _ size: ImageSize?) {
        self.network = network
        self.isClassifier = isClassifier
        self.description = description
        interface = ModelInterface(description, size: size)
        arrays = NeuralArrays(network)
    }

    private mutating func model() throws -> Model {
        try checkShapeMappings()
        for feature in description.input as [Message] { try addInput(feature) }
        try readPreprocessing()
        try readLayers(of: network)
        try interface.checkOutputs(isClassifier: isClassifier)
        let outputs: [Message] = description.output
        if isClassifier {
            try addProbabilities(outputs.filter { $0["type"].choice == "dictionaryType" })
            // The label and the probabilities have different types.
            let arrays: [String?] = ["multiArrayType", "imageType"]
            try addOutputs(outputs.filter { arrays.contains($0["type"].choice) })
        } else {
            try addOutputs(outputs)
        }
        // Scaling in the network belongs to the network unless our writer added it.
        let layers = Set((network.layers as [Message]).map { $0.name as String })
        return try interface.model(reading.builder.graph) { image in
            !layers.contains(NeuralNetworkWriter.scalingLayer(of: image.name))
        }
    }

    // MARK: Inputs

    private mutating func addInput(_ feature: Message) throws {
        let name: String = feature.name
        let type: Message = feature["type"]
        switch type.choice {
        case "imageType":
            let image = try interface.setImage(name, type["imageType"])
            try addInput(name, [1, image.color.channels, image.height, image.width])
            if network.imageInputShapeMapping as String == "RANK5_IMAGE_MAPPING" { sequences.insert(name) }
        case "multiArrayType":
            let arrayType: Message = type["multiArrayType"]
            let sizes: [Int] = arrayType.shape
            guard let count = Shape(sizes).declaredCount, count > 0 else {
                throw Failure.badFeature(name, "is an array of shape \(Shape(sizes))")
            }
            var shape = Shape(sizes)
            if arrays == .images {
                guard sizes.count == 1 || sizes.count == 3 else {
                    throw Failure.badFeature(name, "has \(sizes.count) axes; one or three are possible")
                }
                shape = sizes.count == 1 ? [1, sizes[0], 1, 1] : Shape([1] + sizes)
            }
            try addInput(name, shape)
        case let kind: throw Failure.featureKind(name, kind)
        }
    }

    private mutating func addInput(_ name: String, _ shape: Shape) throws {
        let type = TensorType(shape)
        try define(name, .edge(reading.builder.input(name, type), type), "input")
    }

    // MARK: Layers

    private mutating func define(
        _ name: String, _ value: Operand, _ layer: String, isCopy: Bool = false
    ) throws {
        // Layers of branches and loops replace values. Elsewhere, Core ML's validation accepts that only of copies.
        guard values.updateValue(value, forKey: name) == nil || depth > 0 || isCopy else {
            throw Failure.duplicateBlob(layer, name)
        }
    }

    mutating func readLayers(of network: Message) throws {
        var names = Set<String>()
        for (index, message) in (network.layers as [Message]).enumerated() {
            let name: String = message.name
            guard names.insert(name).inserted else { throw Failure.duplicateLayerName(name) }
            guard let kind = message.choice, let build = build(kind) else {
                throw Failure.unknownLayer(name, message.choice, index + 1)
            }
            let inputs = try (message.input as [String]).map { blob in
                guard let value = values[blob] else { throw Failure.blobMissing(name, blob) }
                return value
            }
            let outputs: [String] = message.output
            let layer = NeuralLayer(
                name: name, kind: kind, parameters: message[kind], inputs: inputs, outputCount: outputs.count)
            let results = try naming(node: Failure.Node(name: name, op: kind), location: layer.location) {
                // The layers in branches and loops are checked when these are read.
                if !Self.ownKinds.contains(kind), let (field, number) = layer.parameters.unknownEnumerationValue {
                    throw layer.refused("the value \(number) of '\(field)' is unknown")
                }
                return try read(layer, message.input, outputs, build)
            }
            guard results.count == outputs.count else {
                throw Failure.outputCountDiffers(name, kind, outputs.count, results.count)
            }
            for (output, value) in zip(outputs, results) { try define(output, value, name, isCopy: kind == "copy") }
        }
    }

    /// The results of a layer, some of whose inputs may have one more axis in Core ML. The axes of layers since iOS 13 count
    /// it; older layers compute with images.
    private mutating func read(
        _ layer: NeuralLayer, _ inputs: [String], _ outputs: [String],
        _ build: (NeuralLayer, inout NeuralNetworkReader) throws -> [Operand]
    ) throws -> [Operand] {
        guard !sequences.isEmpty else { return try build(layer, &self) }
        let isOfImages = Message.firstVersion(ofLayer: layer.kind) < .iOS13
        var (adapted, isSequence) = (layer, inputs.map(sequences.contains))
        if isOfImages {
            for (index, input) in layer.inputs.enumerated() where input.shape.rank == 5 && input.shape[0] == 1 {
                adapted.inputs[index] = try reading.reshaped(input, Shape(input.shape.dropFirst()), layer)
                isSequence[index] = true
            }
        } else if isSequence.contains(true) {
            // Elementwise layers have no axes.
            var trial = self
            let count = trial.reading.builder.graph.nodes.count
            if let results = try? build(layer, &trial),
                trial.reading.builder.graph.nodes.dropFirst(count).allSatisfy({ $0.operation.isElementwise })
            {
                self = trial
                sequences.formUnion(outputs)
                return results
            }
            for (index, input) in layer.inputs.enumerated() where isSequence[index] {
                adapted.inputs[index] = try reading.reshaped(input, Shape([1] + input.shape), layer)
            }
        }
        let results = try build(adapted, &self)
        if isOfImages && isSequence.contains(true) { sequences.formUnion(outputs) }
        return results
    }

    /// - Throws: `Failure` if the shapes of the inputs are unknown, or differ from those that the layers need.
    private func checkShapeMappings() throws {
        for (field, known) in [
            ("arrayInputShapeMapping", ["RANK5_ARRAY_MAPPING", "EXACT_ARRAY_MAPPING"]),
            ("imageInputShapeMapping", ["RANK5_IMAGE_MAPPING", "RANK4_IMAGE_MAPPING"]),
        ] where !known.contains(network[field] as String) {
            throw Failure.unknownShapeMapping(field, network[field])
        }
        // Core ML refuses such models, too.
        let takesArrays = (description.input as [Message]).contains { $0["type"].choice == "multiArrayType" }
        guard arrays == .images, takesArrays else { return }
        for layer in network.layers as [Message] {
            guard let kind = layer.choice, Message.firstVersion(ofLayer: kind) >= .iOS13 else { continue }
            throw Failure.arraysOfFiveAxes(layer.name, kind)
        }
    }

    /// The kinds of layers that have no rule, because they contain networks.
    static let ownKinds: Set = ["branch", "loop"]

    /// How layers of a kind are read.
    private func build(_ kind: String) -> ((NeuralLayer, inout NeuralNetworkReader) throws -> [Operand])? {
        switch kind {
        case "branch": return { try $1.branch($0) }
        case "loop": return { try $1.loop($0) }
        default:
            guard let rule = Operations.neural[kind] else { return nil }
            return { layer, reader in
                let results = try rule.build(layer, &reader.reading).map { result in
                    // Neural networks have no rank 0: one axis remains if all are removed.
                    try result.shape.rank == 0 ? reader.reading.reshaped(result, [1], layer) : result
                }
                try reader.reading.count(results, from: layer.inputs)
                return results
            }
        }
    }

    // MARK: Outputs

    /// The name of a classifier's probabilities.
    var probabilitiesName: String {
        let name: String = network.labelProbabilityLayerName
        return name.isEmpty ? ((network.layers as [Message]).last?.output as [String]?)?.first ?? "" : name
    }

    /// Adds the class probabilities as an output of one row.
    /// - Parameter dictionaries: The dictionary outputs.
    private mutating func addProbabilities(_ dictionaries: [Message]) throws {
        let name = probabilitiesName
        guard let value = values[name] else { throw Failure.outputMissing(name) }
        if let other = dictionaries.first(where: { $0.name as String != name }) {
            throw Failure.dictionaryWithoutBlob(other.name, name)
        }
        try reading.builder.output(name, row(value, [1, value.shape.elementCount], of: name))
        let integers: [Int] = network.int64ClassLabels.vector
        let hasIntegers = network.has("int64ClassLabels")
        interface.setClassifier(
            ClassifierConfiguration(
                labels: hasIntegers ? integers.map(String.init) : network.stringClassLabels.vector,
                hasIntegerLabels: hasIntegers, predictedFeature: description.predictedFeatureName, probabilities: name))
    }

    private mutating func addOutputs(_ features: [Message]) throws {
        for feature in features {
            let name: String = feature.name
            guard let operand = values[name] else { throw Failure.outputMissing(name) }
            var value = try reading.edge(operand, name: name)
            let shape = operand.shape
            if let pixels = try interface.imageOutput(name, value, &reading.builder) {
                value = pixels
            } else if arrays == .images, shape.rank == 4, shape[2] * shape[3] == 1 {
                // In the older form, a vector is the channels of an image of one pixel.
                value = try row(operand, [shape[0], shape[1]], of: name)
            }
            reading.builder.output(name, value)
        }
    }

    /// An output reshaped to a row.
    private mutating func row(_ operand: Operand, _ shape: Shape, of name: String) throws -> Graph.Value {
        let value = try reading.edge(operand, name: name)
        return operand.shape == shape
            ? value : try reading.builder.add(Reshape(shape), [value], name: name + "/row")[0]
    }
}

extension NeuralArrays {
    init(_ network: Message) {
        self = network.arrayInputShapeMapping as String == "EXACT_ARRAY_MAPPING" ? .exact : .images
    }
}
