/// The part of a Core ML model that says what goes in, what comes out, and who made it.
struct ModelDescription {
    /// The keys under which it stands in the model which arithmetic was lifted out of the graph, numbers by commas.
    static let liftedScaleKey = "thaw.lifted.scale"
    static let liftedBiasKey = "thaw.lifted.bias"
    /// Xcode shows a preview for models that say what they are for.
    private static let previewKey = "com.apple.coreml.model.preview.type"

    let message: Message

    /// - Parameter element: The format's name of what an array is made of; neural networks know one kind.
    init(
        _ model: Model, _ graph: Graph, arrays: NeuralArrays, element: (ElementType) -> String = { _ in "FLOAT32" }
    ) {
        let type = MessageType.model.type(of: "description")
        var message = Message(type)
        func feature(_ name: String, _ text: String) -> Message {
            var feature = Message(type.type(of: "input"))
            feature.name = name
            feature.shortDescription = text
            return feature
        }
        func array(_ shape: Shape) -> (inout Message) -> Void {
            // The older form has one axis or three, and no batch.
            let sizes =
                arrays == .images
                ? (shape.rank == 4 ? Array(shape.dropFirst()) : [shape.elementCount]) : shape.dimensions
            return { $0.type.multiArrayType.shape = sizes.isEmpty ? [1] : sizes }
        }
        func arrayFeature(_ port: Graph.Port) -> Message {
            var result = feature(featureName(port.name), "")
            array(graph[port.value].shape)(&result)
            result.type.multiArrayType.dataType = element(graph[port.value].element)
            return result
        }
        message.input = graph.inputs.enumerated().map { index, port in
            guard index == 0, let image = model.image else { return arrayFeature(port) }
            var result = feature(featureName(port.name), "An image, \(image.width)×\(image.height) pixels")
            result.type.imageType.width = image.width
            result.type.imageType.height = image.height
            result.type.imageType.colorSpace = ["rgb": "RGB", "bgr": "BGR", "gray": "GRAYSCALE"][image.color.rawValue]!
            return result
        }
        if let classifier = model.classifier {
            let probabilities = featureName(graph.outputs[0].name)
            var dictionary = feature(probabilities, "The probability of every label")
            dictionary.type.dictionaryType.choose("stringKeyType")
            var label = feature(classifier.predictedFeature, "The most likely label")
            label.type.choose("stringType")
            message.output = [dictionary, label] + graph.outputs.dropFirst().map(arrayFeature)
            message.predictedFeatureName = classifier.predictedFeature
            message.predictedProbabilitiesName = probabilities
        } else {
            message.output = graph.outputs.map(arrayFeature)
        }
        let metadata = model.metadata
        var userDefined = metadata.userDefined
        if let lifted = model.image?.lifted {
            userDefined[ModelDescription.liftedScaleKey] = lifted.scale.map { "\($0)" }.joined(separator: ",")
            userDefined[ModelDescription.liftedBiasKey] = lifted.bias.map { "\($0)" }.joined(separator: ",")
        }
        if model.classifier != nil, model.image != nil { userDefined[ModelDescription.previewKey] = "imageClassifier" }
        message.metadata.shortDescription = metadata.description
        message.metadata.author = metadata.author
        message.metadata.license = metadata.license
        message.metadata.versionString = metadata.version
        message.metadata.userDefined = userDefined
        self.message = message
    }

    /// The metadata of a model that is read, without the keys that Thaw keeps for itself, and the lifted arithmetic they hold.
    static func metadata(_ description: Message, channels: Int?) -> (Metadata, lifted: PixelScaling?) {
        let message: Message = description["metadata"]
        var metadata = Metadata()
        metadata.description = message.shortDescription
        metadata.author = message.author
        metadata.license = message.license
        metadata.version = message.versionString
        metadata.userDefined = message.userDefined
        func numbers(_ key: String) -> [Double]? {
            let texts = metadata.userDefined.removeValue(forKey: key)?.split(separator: ",") ?? []
            let numbers = texts.compactMap { Double($0) }
            return numbers.count == texts.count && numbers.count == channels ? numbers : nil
        }
        let scale = numbers(liftedScaleKey)
        let bias = numbers(liftedBiasKey)
        metadata.userDefined[previewKey] = nil
        guard let scale, let bias else { return (metadata, nil) }
        return (metadata, PixelScaling(scale: scale, bias: bias))
    }
}
