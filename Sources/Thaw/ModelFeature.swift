/// An input or output of a model, as Core ML describes it.
public struct ModelFeature: Sendable, Equatable {
    /// What the feature contains.
    public enum Kind: Sendable, Equatable {
        case image(Image)
        case multiArray(shape: [Int], type: ElementType)
        /// The probability of each label, by strings or by integers.
        case probabilities(hasIntegerLabels: Bool)
        /// The top label, a string or an integer.
        case label(isInteger: Bool)
    }

    /// The image of an image feature.
    public struct Image: Sendable, Equatable {
        /// In pixels; the default if the model supports several sizes.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// The order of the color channels.
        public var color: ColorLayout
        /// Whether it is a grayscale image of 16-bit floating-point values.
        public var isFloat16: Bool
        /// The sizes that an image may have.
        public var sizes: ImageSizes
        /// The preprocessing of an input's pixels; nil for an output.
        public var scaling: PixelScaling?
    }

    /// The name of the input or output.
    public var name: String
    /// The model's description of it.
    public var text: String
    /// Its type.
    public var kind: Kind
    /// The shapes that a multi-array input may have.
    public var shapes = ArrayShapes.fixed
    /// The value of all elements of a multi-array input if it is omitted; nil if it is required.
    public var defaultValue: Double?
}

extension ModelFeature {
    /// - Parameter image: Facts about an image that its description lacks.
    init(_ message: Message, _ image: ImageInput?) throws {
        name = message.name
        text = message.shortDescription
        let type: Message = message["type"]
        switch type.choice {
        case "imageType":
            let read = try ModelInterface.image(name, type["imageType"])
            kind = .image(
                Image(
                    width: image?.width ?? read.width, height: image?.height ?? read.height, color: read.color,
                    isFloat16: type["imageType"].isFloat16Image,
                    sizes: image?.sizes ?? .fixed, scaling: image?.scaling))
        case "multiArrayType":
            kind = .multiArray(shape: type.multiArrayType.shape, type: ElementType(ofArray: type["multiArrayType"]))
            let array = try ArrayInput(message)
            (shapes, defaultValue) = (array?.shapes ?? .fixed, array?.defaultValue)
        case "dictionaryType":
            kind = .probabilities(hasIntegerLabels: type.dictionaryType.choice == "int64KeyType")
        case "int64Type": kind = .label(isInteger: true)
        case "stringType": kind = .label(isInteger: false)
        case let kind: throw Failure.featureKind(name, kind)
        }
    }
}

extension Model {
    /// The inputs and outputs in a description. An output without a shape gets the shape from the network.
    func features(
        _ description: Message, arrays: NeuralArrays
    ) throws -> (inputs: [ModelFeature], outputs: [ModelFeature]) {
        let inputs = try (description.input as [Message]).map { message in
            let name = featureName(message.name)
            return try ModelFeature(message, images.first { featureName($0.name) == name })
        }
        let outputs = try (description.output as [Message]).map { message in
            var feature = try ModelFeature(message, nil)
            let name = featureName(feature.name)
            if case .multiArray(let shape, let type) = feature.kind, shape.isEmpty,
                let port = graph.outputs.first(where: { featureName($0.name) == name })
            {
                feature.kind = .multiArray(shape: arrays.described(graph[port.value].shape), type: type)
            }
            return feature
        }
        return (inputs, outputs)
    }

    /// The description that the model would have as an ML Program.
    var programDescription: Message {
        ModelDescription(self, graph, arrays: .exact) { element, _ in
            (element.isFloatingPoint || element == .bool ? ElementType.float32 : .int32).milName
        }.message
    }
}
