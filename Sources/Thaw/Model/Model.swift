/// A network with what is known of its use: the image it takes, the classes it tells apart or the image it gives, who made
/// it.
public struct Model: Sendable {
    /// The network, in TensorFlow's order of axes. Where `image` is set, its first input is that image: float32, batch,
    /// height, width, channel, already scaled.
    public var graph: Graph
    public var image: ImageInput?
    /// Further images that go in, by their positions among the graph's inputs, which are like the first in everything.
    public var otherImages: [Int: ImageInput] = [:]
    /// The output that is shown as an image, where there is one; the graph gives the network's own numbers there.
    public var imageOutput: ImageOutput?
    public var classifier: ClassifierConfiguration?
    public var metadata: Metadata
    /// Makes the model for images of another size, where `image.sizes` are several.
    var inSize: (@Sendable (ImageSize) throws -> Model)?

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

    /// The image that an input of the graph is; nil for an array.
    public func image(at index: Int) -> ImageInput? { index == 0 ? image : otherImages[index] }

    /// The image of a model that takes nothing else.
    /// - Throws: `Failure` for a model that takes arrays, and for one that takes more than an image.
    func onlyImage() throws -> ImageInput {
        guard graph.inputs.count <= 1 else { throw Failure.takesSeveral(graph.inputs.map(\.name)) }
        guard let image else { throw Failure.takesNoImage() }
        return image
    }

    /// All images that go in, in the order of the graph's inputs.
    public var images: [ImageInput] { graph.inputs.indices.compactMap { image(at: $0) } }

    /// Makes it the model for images of this size, where it takes several sizes.
    /// - Throws: `Failure` where that is none of them.
    public mutating func take(_ size: ImageSize) throws {
        guard let inSize, let image, ImageSize(width: image.width, height: image.height) != size else { return }
        guard image.sizes.contains(size) else { throw Failure.sizeOutside(size, image.sizes) }
        self = try inSize(size)
    }

    /// Makes it the model for images of the size that an array has: its last axes are height, width and channels, or channels,
    /// height and width.
    /// - Throws: `Failure` where the model takes several sizes, and that is none of them.
    public mutating func takeSize(of array: [Int]) throws {
        guard let image, array.count >= 3 else { return }
        let axes = Array(array.suffix(3))
        if axes[2] == image.color.channels {
            try take(ImageSize(width: axes[1], height: axes[0]))
        } else if axes[0] == image.color.channels {
            try take(ImageSize(width: axes[2], height: axes[1]))
        }
    }

    /// How many values the first output has for one image: the number of classes of a classifier.
    public var classCount: Int {
        guard let output = graph.outputs.first else { return 0 }
        return graph[output.value].shape.elementCount / batch
    }

    /// The images that one run takes.
    public var batch: Int { graph.inputs.first.map { graph[$0.value].shape.first ?? 1 } ?? 1 }

    /// Whether the classes do not exclude each other: the network ends in a sigmoid, and probabilities do not sum to 1.
    public var labelsAreIndependent: Bool {
        guard let output = graph.outputs.first else { return false }
        var value = output.value
        while let node = graph.nodes.last(where: { $0.outputs.contains(value) }) {
            if let unary = node.operation as? Unary { return unary.function == .sigmoid }
            guard node.operation is Reshape else { return false }
            value = node.inputs[0]
        }
        return false
    }
}

/// What makes a model a classifier.
public struct ClassifierConfiguration: Hashable, Sendable {
    /// One name a class, in the order of the network's output; all distinct.
    public var labels: [String]
    /// Whether the model gives its labels as whole numbers of 64 bits, which all of them are then.
    public var hasIntegerLabels: Bool
    /// The name of the output that holds the best label.
    public var predictedFeature: String
    /// The name of the output that holds the probability of every label.
    public var probabilities: String

    public init(
        labels: [String], hasIntegerLabels: Bool = false, predictedFeature: String = "classLabel", probabilities: String
    ) {
        self.labels = labels
        self.hasIntegerLabels = hasIntegerLabels
        self.predictedFeature = predictedFeature
        self.probabilities = probabilities
    }
}

/// What people are told of a model.
public struct Metadata: Hashable, Sendable {
    public var description = ""
    public var author = ""
    public var license = ""
    public var version = ""
    /// Further keys, each with its value. Those that begin with `thaw.` are Thaw's own.
    public var userDefined: [String: String] = [:]
    /// What inputs and outputs are, by their names as Core ML has them.
    public var features: [String: String] = [:]

    public init() {}
}
