/// The stages after the network of a pipeline from images to labels.
protocol LaterStages: Sendable {
    /// The probabilities of the classes for the outputs of the network's graph.
    func probabilities(_ outputs: [Tensor]) throws -> [Float]
}

/// A network with its interface: its image input, its classes or its image output, and its metadata.
public struct Model: Sendable {
    /// The network, in TensorFlow's axis order. If `image` is set, the first input is that image: float32, batch,
    /// height, width, channel, already scaled.
    public var graph: Graph
    /// The first input, if it is an image.
    public var image: ImageInput?
    /// Further image inputs, by their index among the graph's inputs.
    public var otherImages: [Int: ImageInput] = [:]
    /// The image output, if there is one. The graph returns the network's own values there.
    public var imageOutput: ImageOutput?
    /// The labels and outputs of a classifier; nil for other models.
    public var classifier: ClassifierConfiguration?
    /// The description, the author, the license and the version.
    public var metadata: Metadata
    /// The record of the model's quantization; nil if it is not quantized, or was quantized by another program.
    public var quantization: QuantizationRecord?
    /// Creates the model for images of another size, if there are several `image.sizes`.
    var resizer: (any ModelResizer)?
    /// The state that the model keeps between runs.
    var states: [StateTensor] = []
    /// The facts about flexible or optional array inputs, by name.
    var arrays: [String: ArrayInput] = [:]
    /// Creates the model for arrays of other shapes, if an input is flexible.
    var reshaper: (any ModelReshaper)?
    /// The stages after the network, if it is the first stage of a pipeline that classifies images.
    var laterStages: (any LaterStages)?

    /// Creates a model for a program's own graph.
    public init(
        graph: Graph, image: ImageInput? = nil, imageOutput: ImageOutput? = nil,
        classifier: ClassifierConfiguration? = nil, metadata: Metadata = Metadata()
    ) {
        self.graph = graph
        self.image = image
        self.imageOutput = imageOutput
        self.classifier = classifier
        self.metadata = metadata
    }

    /// The image input at an index among the graph's inputs; nil for an array.
    public func image(at index: Int) -> ImageInput? { index == 0 ? image : otherImages[index] }

    /// The only input of a model, which must be an image.
    /// - Throws: `Failure` for a model that takes arrays, and for one that takes several inputs.
    func onlyImage() throws -> ImageInput {
        try requireStateless()
        guard graph.inputs.count <= 1 else { throw Failure.notOneInput(graph.inputs.map(\.name)) }
        guard let image else { throw Failure.noImageInput() }
        return image
    }

    /// All image inputs, in the order of the graph's inputs.
    public var images: [ImageInput] { graph.inputs.indices.compactMap { image(at: $0) } }

    /// Changes a model of several image sizes to this size. A model of a fixed size stays unchanged.
    /// - Throws: `Failure` if it does not take this size.
    public mutating func setImageSize(_ size: ImageSize) throws {
        guard let resizer, let image, image.size != size else { return }
        guard image.sizes.contains(size) else { throw Failure.sizeOutside(size, image.sizes) }
        self = try resizer.model(at: size)
    }

    /// Changes a model of several image sizes to that of an array of this shape, whose last axes are height, width and
    /// channels, or channels, height and width.
    /// - Throws: `Failure` if the model takes several sizes, but not this one.
    package mutating func setImageSize(fromArrayShape shape: [Int]) throws {
        guard let image, shape.count >= 3 else { return }
        let axes = Array(shape.suffix(3))
        if axes[2] == image.color.channels {
            try setImageSize(ImageSize(width: axes[1], height: axes[0]))
        } else if axes[0] == image.color.channels {
            try setImageSize(ImageSize(width: axes[2], height: axes[1]))
        }
    }

    /// The number of values of the first output for one image: the number of classes of a classifier.
    public var classCount: Int {
        if laterStages != nil, let classifier { return classifier.labels.count }
        guard let output = graph.outputs.first else { return 0 }
        return graph[output.value].shape.elementCount / imagesPerRun
    }

    /// The length of the first axis of the first input, which is the batch size of an image input.
    public var batchSize: Int { graph.inputs.first.map { graph[$0.value].shape.first ?? 1 } ?? 1 }

    /// The number of images in one run. It is at least 1, although the first axis of an array may have no elements.
    public var imagesPerRun: Int { max(1, batchSize) }

    /// Whether this is a multi-label model: it ends in a sigmoid, and probabilities do not sum to 1.
    public var labelsAreIndependent: Bool {
        guard laterStages == nil, let output = graph.outputs.first else { return false }
        return graph.isSigmoid(output.value)
    }
}

/// Creates a model for images of other sizes, from the model's source.
protocol ModelResizer: Sendable {
    /// - Throws: `Failure` if the network does not work at this size.
    func model(at size: ImageSize) throws -> Model
}

/// Creates the model for arrays of other shapes, from the model's source.
protocol ModelReshaper: Sendable {
    /// - Parameters:
    ///   - shapes: The shapes by the names of the inputs; others keep their defaults.
    ///   - size: The size of the image; nil for its default size.
    /// - Throws: `Failure` if the network does not work with these shapes.
    func model(at shapes: [String: [Int]], _ size: ImageSize?) throws -> Model
}

/// The labels and outputs of a classifier.
public struct ClassifierConfiguration: Hashable, Sendable {
    /// One unique label per class, in the order of the network's output.
    public var labels: [String]
    /// Whether labels are returned as 64-bit integers. All of them must be integers then.
    public var hasIntegerLabels: Bool
    /// The name of the top-label output.
    public var predictedFeature: String
    /// The name of the class-probability output.
    public var probabilities: String
    /// Warnings of labels that were not unique in the file.
    var warnings: [Note] = []

    /// A classifier's labels and the names of its outputs.
    public init(
        labels: [String], hasIntegerLabels: Bool = false, predictedFeature: String = "classLabel", probabilities: String
    ) {
        self.labels = labels
        self.hasIntegerLabels = hasIntegerLabels
        self.predictedFeature = predictedFeature
        self.probabilities = probabilities
    }
}
