/// The description of a Core ML model: its inputs, its outputs, and its metadata.
struct ModelDescription {
    /// The metadata keys of the image's scale and bias, as values separated by commas. If the network itself begins
    /// with arithmetic, the layers alone do not show where the preprocessing ends.
    static let imageScaleKey = "thaw.image.scale"
    static let imageBiasKey = "thaw.image.bias"
    /// The metadata keys of the arithmetic that was lifted out of the graph.
    static let liftedScaleKey = "thaw.lifted.scale"
    static let liftedBiasKey = "thaw.lifted.bias"
    /// The metadata keys of an image output's scale and bias, and of the bounds to which its pixels are clamped.
    private static let pixelScaleKey = "thaw.pixels.scale"
    private static let pixelBiasKey = "thaw.pixels.bias"
    private static let pixelBoundsKey = "thaw.pixels.bounds"
    /// The metadata key and value for a network whose own graph takes images with channels first.
    private static let channelsKey = "thaw.channels"
    private static let channelsFirst = "first"
    /// The metadata key of the indices of scalar outputs, to which Core ML adds an axis.
    private static let numbersKey = "thaw.numbers"
    /// Xcode shows a preview for models that declare their purpose.
    private static let previewKey = "com.apple.coreml.model.preview.type"
    private static let classifierPreview = "imageClassifier"

    /// The default descriptions of inputs and outputs.
    private static let probabilitiesText = "The probability of every label"
    private static let labelText = "The most likely label"
    private static func imageText(_ width: Int, _ height: Int) -> String { "An image, \(width)×\(height) pixels" }

    /// The key of an image; all but the first have their name appended.
    private static func key(_ key: String, _ name: String?) -> String {
        name.map { key + "." + featureName($0) } ?? key
    }

    let message: Message

    /// - Parameter element: The format's name of an array's element type; neural networks have only one.
    init(
        _ model: Model, _ graph: Graph, arrays: NeuralArrays, precision: ProgramPrecision = ProgramPrecision(),
        element: (ElementType, ComputePrecision) -> String = { _, _ in "FLOAT32" }
    ) {
        var message = Message(MessageType.model.type(of: "description"))
        func array(_ port: Graph.Port, _ precision: ComputePrecision) -> Message {
            var result = Self.feature(featureName(port.name), "", model.metadata)
            result.type.multiArrayType.shape = arrays.described(graph[port.value].shape)
            result.type.multiArrayType.dataType = element(graph[port.value].element, precision)
            return result
        }
        message.input = graph.inputs.enumerated().map { index, port in
            guard let image = model.image(at: index) else { return array(port, precision.inputs) }
            return Self.imageFeature(
                port, image.width, image.height, image.color, precision.inputs, model.metadata)
        }
        if let classifier = model.classifier {
            let probabilities = featureName(graph.outputs[0].name)
            message.output =
                Self.features(of: classifier, probabilities: probabilities, model.metadata)
                + graph.outputs.dropFirst().map { array($0, precision.outputs) }
            message.predictedFeatureName = classifier.predictedFeature
            message.predictedProbabilitiesName = probabilities
        } else {
            message.output = graph.outputs.enumerated().map { index, port in
                guard let image = model.imageOutput, index == image.index else { return array(port, precision.outputs) }
                return Self.imageFeature(
                    port, image.form.width, image.form.height, image.color, precision.outputs, model.metadata)
            }
        }
        message.metadata.shortDescription = model.metadata.description
        message.metadata.author = model.metadata.author
        message.metadata.license = model.metadata.license
        message.metadata.versionString = model.metadata.version
        message.metadata.userDefined = Self.userDefined(model, graph)
        self.message = message
    }

    // MARK: Features

    /// - Parameter text: The default description.
    private static func feature(_ name: String, _ text: String, _ metadata: Metadata) -> Message {
        var feature = Message(MessageType.model.type(of: "description").type(of: "input"))
        feature.name = name
        feature.shortDescription = metadata.features[featureName(name)] ?? text
        return feature
    }

    private static func imageFeature(
        _ port: Graph.Port, _ width: Int, _ height: Int, _ color: ColorLayout, _ precision: ComputePrecision,
        _ metadata: Metadata
    ) -> Message {
        var result = feature(featureName(port.name), imageText(width, height), metadata)
        result.type.imageType.width = width
        result.type.imageType.height = height
        result.type.imageType.colorSpace =
            switch color {
            case .rgb: "RGB"
            case .bgr: "BGR"
            case .gray: precision == .float16 ? "GRAYSCALE_FLOAT16" : "GRAYSCALE"
            }
        return result
    }

    /// The probabilities and the top label.
    private static func features(
        of classifier: ClassifierConfiguration, probabilities: String, _ metadata: Metadata
    ) -> [Message] {
        var dictionary = feature(probabilities, probabilitiesText, metadata)
        dictionary.type.dictionaryType.choose(classifier.hasIntegerLabels ? "int64KeyType" : "stringKeyType")
        var label = feature(classifier.predictedFeature, labelText, metadata)
        label.type.choose(classifier.hasIntegerLabels ? "int64Type" : "stringType")
        return [dictionary, label]
    }

    // MARK: Metadata

    /// The user's metadata, and what Thaw records for its own reader.
    private static func userDefined(_ model: Model, _ graph: Graph) -> [String: String] {
        var userDefined = model.metadata.userDefined
        func record(_ values: [Double], _ key: String) {
            userDefined[key] = values.map { "\($0)" }.joined(separator: ",")
        }
        // The first image uses the plain keys; others have their names appended.
        for index in graph.inputs.indices {
            guard let image = model.image(at: index) else { continue }
            let name = index == 0 ? nil : image.name
            record(image.scaling.scale, key(imageScaleKey, name))
            record(image.scaling.bias, key(imageBiasKey, name))
            if let lifted = image.lifted {
                record(lifted.scale, key(liftedScaleKey, name))
                record(lifted.bias, key(liftedBiasKey, name))
            }
            if image.isChannelsFirst { userDefined[key(channelsKey, name)] = channelsFirst }
        }
        if let quantization = model.quantization { userDefined[QuantizationRecord.key] = quantization.json }
        let scalars = graph.outputs.indices.filter { graph[graph.outputs[$0].value].shape.rank == 0 }
        if !scalars.isEmpty { userDefined[numbersKey] = scalars.map { "\($0)" }.joined(separator: ",") }
        if let image = model.imageOutput {
            record(image.scaling.scale, pixelScaleKey)
            record(image.scaling.bias, pixelBiasKey)
            if image.exceedsPixels { record([0, 255], pixelBoundsKey) }
        }
        if model.classifier != nil, model.image != nil, userDefined[previewKey] == nil {
            userDefined[previewKey] = classifierPreview
        }
        return userDefined
    }

    /// The metadata of a model that is read.
    struct Reading {
        var metadata = Metadata()
        /// The metadata of an image.
        struct Image {
            /// The scaling of a pixel before the written network.
            var scaling: PixelScaling?
            /// The arithmetic that was lifted out of the graph into the scaling of the image.
            var lifted: PixelScaling?
            /// Whether the network's own graph takes images with channels first.
            var isChannelsFirst: Bool
        }
        /// The images, in the order of the inputs.
        var images: [Image] = []
        /// The indices of the scalar outputs.
        var scalarOutputs: Set<Int>
        /// The scaling from the network's values to pixels at the image output.
        var pixels: PixelScaling?
        /// Whether the pixels are clamped to 0 and 255 after the scaling.
        var hasPixelBounds: Bool

        /// Thaw's own keys are removed from the metadata. Values that do not fit the images' channels are ignored.
        /// - Parameter inputs: The images that are read.
        init(_ description: Message, inputs: [ImageInput], outputChannels: Int?) {
            let message: Message = description["metadata"]
            metadata.description = message.shortDescription
            metadata.author = message.author
            metadata.license = message.license
            metadata.version = message.versionString
            var userDefined: [String: String] = message.userDefined
            func numbers(_ key: String, _ count: Int?) -> [Double]? {
                let texts = userDefined.removeValue(forKey: key)?.split(separator: ",") ?? []
                let numbers = texts.compactMap { Double($0) }
                return numbers.count == texts.count && numbers.count == count ? numbers : nil
            }
            func scaling(_ scaleKey: String, _ biasKey: String, _ channels: Int?) -> PixelScaling? {
                let scale = numbers(scaleKey, channels)
                let bias = numbers(biasKey, channels)
                return scale.flatMap { scale in bias.map { PixelScaling(scale: scale, bias: $0) } }
            }
            for (index, input) in inputs.enumerated() {
                let name = index == 0 ? nil : input.name
                let channels = input.color.channels
                images.append(
                    Image(
                        scaling: scaling(key(imageScaleKey, name), key(imageBiasKey, name), channels),
                        lifted: scaling(key(liftedScaleKey, name), key(liftedBiasKey, name), channels),
                        isChannelsFirst: userDefined.removeValue(forKey: key(channelsKey, name)) == channelsFirst))
            }
            pixels = scaling(pixelScaleKey, pixelBiasKey, outputChannels)
            hasPixelBounds = numbers(pixelBoundsKey, 2) == [0, 255]
            scalarOutputs = Set(
                (userDefined.removeValue(forKey: numbersKey) ?? "").split(separator: ",").compactMap { Int($0) })
            userDefined[QuantizationRecord.key] = nil
            if userDefined[previewKey] == classifierPreview { userDefined[previewKey] = nil }
            metadata.userDefined = userDefined
            for feature in (description.input as [Message]) + (description.output as [Message]) {
                let text: String = feature.shortDescription
                let size: Message = feature.type.imageType
                let usual = ["", probabilitiesText, labelText, imageText(size.width, size.height)]
                if !usual.contains(text) { metadata.features[featureName(feature.name)] = text }
            }
        }
    }
}
