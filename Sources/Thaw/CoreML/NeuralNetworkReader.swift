/// Reads a Core ML neural network into a model.
///
/// What Apple's own checks pass over is checked here: labels that do not match the classes or stand twice, layers of one
/// name, preprocessing for what is no input.
struct NeuralNetworkReader {
    /// The newest version that is known: that of iOS 26.
    static let newestVersion = 10

    private let network: Message
    private let description: Message
    private var reading: NeuralReading
    private var image: ImageInput?
    private var imageOutput: ImageOutput?

    /// - Throws: `Failure` naming the layer or the feature that cannot be read.
    static func run(_ message: Message) throws -> (model: Model, warnings: [String]) {
        guard let kind = message.choice else { throw Failure.noModelKind() }
        let version: Int = message.specificationVersion
        guard version > 0 else { throw Failure.noVersion() }
        guard kind == "neuralNetwork" || kind == "neuralNetworkClassifier" else { throw Failure.modelKind(kind) }
        var reader = NeuralNetworkReader(message[kind], message["description"])
        let model = try reader.model(isClassifier: kind == "neuralNetworkClassifier")
        return (model, version > newestVersion ? [Failure.newerVersion(version)] : [])
    }

    private init(_ network: Message, _ description: Message) {
        self.network = network
        self.description = description
        reading = NeuralReading(network.arrayInputShapeMapping as String == "EXACT_ARRAY_MAPPING" ? .exact : .images)
    }

    private mutating func model(isClassifier: Bool) throws -> Model {
        for feature in description.input as [Message] { try addInput(feature) }
        try readPreprocessing()
        try readLayers()
        let probabilities = isClassifier ? try addProbabilities() : nil
        if !isClassifier { try addOutputs() }

        let channelsLast = try reading.builder.graph.withoutRegrouping().reordered(
            to: .last, imageInput: image != nil)
        let said = ModelDescription.Reading(
            description, channels: image?.color.channels, outputChannels: imageOutput?.color.channels)
        var lifted = said.lifted
        // Before what makes pixels is folded into the layers before it.
        var model = try Model(graph: channelsLast, imageOutput: imageOutput, metadata: said.metadata)
            .withoutPixels(said.pixels, hasBounds: said.hasPixelBounds)
        var graph = try Passes.run(Passes.simplification, on: model.graph)
        if var image, let scaling = try graph.withLiftedPreprocessing() {
            graph = scaling.graph
            let head = PixelScaling(scale: scaling.lifted.scale, bias: scaling.lifted.offset)
            image.scaling = image.scaling.followed(by: head)
            // Unless we wrote it there, what scales the image in the network is the network's own.
            let ours = NeuralNetworkWriter.scalingLayer(of: image.name)
            if !(network.layers as [Message]).contains(where: { $0.name == ours }) { lifted = lifted ?? head }
            self.image = image
        }
        image?.lifted = lifted
        (model.graph, model.image) = (graph, image)
        if let probabilities { model.classifier = try classifier(model.classCount, probabilities) }
        return model
    }

    // MARK: Inputs

    /// The size and the colours of a feature that is an image.
    private func image(_ name: String, _ type: Message) throws -> (width: Int, height: Int, color: ColorLayout) {
        let imageType: Message = type["imageType"]
        let colors: [String: ColorLayout] = [
            "RGB": .rgb, "BGR": .bgr, "GRAYSCALE": .gray, "GRAYSCALE_FLOAT16": .gray,
        ]
        guard let color = colors[imageType.colorSpace as String] else {
            throw Failure.badFeature(name, "has no color space")
        }
        let width: Int = imageType.width
        let height: Int = imageType.height
        guard (1...1 << 16).contains(width), (1...1 << 16).contains(height) else {
            throw Failure.badFeature(name, "is an image of \(width)×\(height) pixels")
        }
        return (width, height, color)
    }

    private mutating func addInput(_ feature: Message) throws {
        let name: String = feature.name
        let type: Message = feature["type"]
        switch type.choice {
        case "imageType":
            let (width, height, color) = try image(name, type)
            guard image == nil else { throw Failure.badFeature(name, "is a second image; one is supported") }
            image = ImageInput(name: name, width: width, height: height, color: color)
            try define(name, reading.builder.input(name, TensorType([1, color.channels, height, width])), "input")
        case "multiArrayType":
            let arrayType: Message = type["multiArrayType"]
            let sizes: [Int] = arrayType.shape
            guard let count = Shape(sizes).checkedCount, count > 0, count < 1 << 31 else {
                throw Failure.badFeature(name, "is an array of shape \(Shape(sizes))")
            }
            var shape = Shape(sizes)
            if reading.arrays == .images {
                guard sizes.count == 1 || sizes.count == 3 else {
                    throw Failure.badFeature(name, "has \(sizes.count) axes; one or three are possible")
                }
                shape = sizes.count == 1 ? [1, sizes[0], 1, 1] : Shape([1] + sizes)
            }
            try define(name, reading.builder.input(name, TensorType(shape)), "input")
        case let kind: throw Failure.inputKind(name, kind ?? "none")
        }
    }

    private mutating func readPreprocessing() throws {
        for preprocessing in network.preprocessing as [Message] {
            let name: String = preprocessing.featureName
            // An empty name stands for the only image.
            guard var image, name.isEmpty || name == image.name else { throw Failure.preprocessingWithoutInput(name) }
            guard preprocessing.has("scaler") else { throw Failure.meanImage(image.name) }
            let scaler: Message = preprocessing["scaler"]
            let scale: Double = scaler.channelScale
            image.scaling = PixelScaling(
                // A scale that is not set stands for 1.
                scale: Array(repeating: scale == 0 ? 1 : scale, count: image.color.channels),
                bias: image.color.channelNames.map { scaler[$0 + "Bias"] })
            self.image = image
        }
    }

    // MARK: Layers

    private mutating func define(_ name: String, _ value: Graph.Value, _ layer: String) throws {
        guard reading.values.updateValue(value, forKey: name) == nil else { throw Failure.blobTwice(layer, name) }
    }

    private mutating func readLayers() throws {
        var names = Set<String>()
        for (position, message) in (network.layers as [Message]).enumerated() {
            let name: String = message.name
            guard names.insert(name).inserted else { throw Failure.layerNameTwice(name) }
            guard let kind = message.choice, let rule = Operations.neural[kind] else {
                throw Failure.unknownLayer(name, message.choice, position + 1)
            }
            let inputs = try (message.input as [String]).map { blob in
                guard let value = reading.values[blob] else { throw Failure.blobMissing(name, blob) }
                return value
            }
            let outputs: [String] = message.output
            let layer = NeuralLayer(
                name: name, kind: kind, parameters: message[kind], inputs: inputs, outputCount: outputs.count)
            let values = try naming(place: "layer '\(name)' (\(kind))") { try rule.build(layer, &reading) }
            guard values.count == outputs.count else {
                throw Failure.outputCountDiffers(name, kind, outputs.count, values.count)
            }
            for (output, value) in zip(outputs, values) { try define(output, value, name) }
        }
    }

    // MARK: Outputs

    /// The probabilities as a row, one a class.
    private mutating func addProbabilities() throws -> String {
        let layers: [Message] = network.layers
        var name: String = network.labelProbabilityLayerName
        if name.isEmpty { name = (layers.last?.output as [String]?)?.first ?? "" }
        guard let value = reading.values[name] else { throw Failure.outputMissing(name) }
        let count = reading.shape(value).elementCount
        let row =
            reading.shape(value) == [1, count]
            ? value : try reading.builder.add(Reshape([1, count]), [value], name: name + "/row")[0]
        reading.builder.output(name, row)
        return name
    }

    private mutating func addOutputs() throws {
        for feature in description.output as [Message] {
            let name: String = feature.name
            guard var value = reading.values[name] else { throw Failure.outputMissing(name) }
            let shape = reading.shape(value)
            let type: Message = feature["type"]
            if type.choice == "imageType" {
                value = try imageOutput(name, value, image(name, type))
                reading.builder.output(name, value)
                continue
            }
            // In the older form a row stands along the channels of an image of one pixel.
            if reading.arrays == .images, shape.rank == 4, shape[2] * shape[3] == 1 {
                value = try reading.builder.add(Reshape([shape[0], shape[1]]), [value], name: name + "/row")[0]
            }
            reading.builder.output(name, value)
        }
    }

    /// The array that an output shows as an image, with its channels behind, as in the graph to come.
    private mutating func imageOutput(
        _ name: String, _ value: Graph.Value, _ image: (width: Int, height: Int, color: ColorLayout)
    ) throws -> Graph.Value {
        let shape: Shape = [1, image.color.channels, image.height, image.width]
        guard imageOutput == nil else { throw Failure.badFeature(name, "is a second image; one is supported") }
        guard reading.shape(value).filter({ $0 != 1 }) == shape.filter({ $0 != 1 }),
            let form = ImageForm(shape.permuted(Graph.toLast))
        else {
            throw Failure.badFeature(
                name, "is an image of \(image.width)×\(image.height) pixels made of an array of \(reading.shape(value))"
            )
        }
        imageOutput = ImageOutput(index: reading.builder.graph.outputs.count, form: form, color: image.color)
        var value = value
        if reading.shape(value) != shape {
            value = try reading.builder.add(Reshape(shape), [value], name: name + "/shape")[0]
        }
        return try reading.builder.add(Transpose(Graph.toLast), [value], name: name + "/order")[0]
    }

    private func classifier(_ classes: Int, _ probabilities: String) throws -> ClassifierConfiguration {
        let strings: Message = network["stringClassLabels"]
        let numbers: Message = network["int64ClassLabels"]
        let labels: [String] =
            network.has("int64ClassLabels") ? (numbers.vector as [Int]).map { "\($0)" } : strings.vector
        guard !labels.isEmpty else { throw Failure.classifierWithoutLabels() }
        guard labels.count == classes else { throw Failure.labelsAndClasses(labels.count, classes) }
        var seen = Set<String>()
        if let twice = labels.first(where: { !seen.insert($0).inserted }) { throw Failure.duplicateLabel(twice) }
        let predicted: String = description.predictedFeatureName
        return ClassifierConfiguration(labels: labels, predictedFeature: predicted, probabilities: probabilities)
    }
}
