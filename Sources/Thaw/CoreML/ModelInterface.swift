/// The inputs and outputs of a Core ML model according to its description, and the construction of the model from them
/// and a graph. Both dialects share this part of the reader.
struct ModelInterface {
    private let description: Message
    /// The images, in the order of the description.
    private(set) var images: [ImageInput] = []
    private var imageOutput: ImageOutput?
    /// The requested size, for an image of several sizes.
    private let size: ImageSize?
    private var classifier: ClassifierConfiguration?

    init(_ description: Message, size: ImageSize? = nil) { (self.description, self.size) = (description, size) }

    // MARK: Inputs

    /// Adds an input, which is an image or an array according to the description.
    /// - Parameter sizes: Batch, channel, height, width for an image; −1 for sizes that are left open.
    /// - Returns: The shape of the input.
    mutating func addInput(_ name: String, _ sizes: [Int]) throws -> Shape {
        guard let feature = (description.input as [Message]).first(where: { $0.name as String == name }) else {
            throw Failure.inputNotDescribed(name)
        }
        let type: Message = feature["type"]
        switch type.choice {
        case "imageType":
            let read = try setImage(name, type["imageType"])
            let shape: Shape = [1, read.color.channels, read.height, read.width]
            guard sizes.count == 4, zip(sizes, shape).allSatisfy({ $0 == -1 || $0 == $1 }) else {
                throw Failure.badFeature(
                    name,
                    "is an image of \(read.width)×\(read.height) pixels, but the program takes a tensor of shape \(Shape(sizes))"
                )
            }
            return shape
        case "multiArrayType":
            // For sizes that the program leaves open, the description has the defaults.
            let defaultShape: [Int] = type["multiArrayType"].shape
            guard defaultShape.count == sizes.count else { return Shape(sizes) }
            guard zip(sizes, defaultShape).allSatisfy({ $0 == -1 || $0 == $1 }) else {
                let (described, taken) = (Shape(defaultShape), Shape(sizes))
                throw Failure.badFeature(
                    name, "is an array of shape \(described), but the program takes a tensor of shape \(taken)")
            }
            return Shape(zip(sizes, defaultShape).map { $0 == -1 ? $1 : $0 })
        case let kind: throw Failure.featureKind(name, kind)
        }
    }

    /// The image that a feature's type describes.
    static func image(_ name: String, _ type: Message) throws -> ImageInput {
        let colors: [String: ColorLayout] = ["RGB": .rgb, "BGR": .bgr, "GRAYSCALE": .gray, "GRAYSCALE_FLOAT16": .gray]
        guard let color = colors[type.colorSpace as String] else {
            throw Failure.badFeature(name, "has no known color space")
        }
        let (width, height): (Int, Int) = (type.width, type.height)
        guard 1...ImageSizes.longestFixedSide ~= width, 1...ImageSizes.longestFixedSide ~= height else {
            throw Failure.badFeature(name, "is an image of \(width)×\(height) pixels")
        }
        return ImageInput(name: name, width: width, height: height, color: color)
    }

    /// Adds an image, in the requested size.
    mutating func setImage(_ name: String, _ type: Message) throws -> ImageInput {
        var image = try ModelInterface.image(name, type)
        image.sizes = try ImageSizes(type, of: name)
        if let size, images.isEmpty {
            guard image.sizes.contains(size) else { throw Failure.otherSize(name, size, image.sizes) }
            (image.width, image.height) = (size.width, size.height)
        }
        images.append(image)
        return image
    }

    /// Checks that the model takes all inputs of the description.
    func checkInputs(_ names: [String]) throws {
        for feature in description.input as [Message] where !names.contains(feature.name) {
            throw Failure.inputUnused(feature.name)
        }
    }

    mutating func setScaling(_ scaling: PixelScaling, of name: String) {
        for index in images.indices where images[index].name == name { images[index].scaling = scaling }
    }

    // MARK: Image outputs

    /// The channels-last tensor of an image output, as the graph needs it; nil if the description has no image of this
    /// name.
    mutating func imageOutput(
        _ name: String, _ value: Graph.Value, _ builder: inout GraphBuilder
    ) throws -> Graph.Value? {
        guard let feature = (description.output as [Message]).first(where: { $0.name as String == name }) else {
            return nil
        }
        let type: Message = feature["type"]
        guard type.choice == "imageType" else { return nil }
        let read = try ModelInterface.image(name, type["imageType"])
        var shape: Shape = [1, read.color.channels, read.height, read.width]
        guard imageOutput == nil else { throw Failure.badFeature(name, "is a second image; one is supported") }
        let given = builder.graph[value].shape
        // If the input has several sizes, the description gives the output's size for only one of them.
        if images.first?.sizes != .fixed, given.rank == 4 { (shape[2], shape[3]) = (given[2], given[3]) }
        guard given.filter({ $0 != 1 }) == shape.filter({ $0 != 1 }),
            let form = ImageForm(shape.permuted(Graph.toLast), mayBeLine: true)
        else {
            throw Failure.badFeature(
                name, "is an image of \(read.width)×\(read.height) pixels made from a tensor of shape \(given)")
        }
        // Only 8-bit pixels are clamped.
        imageOutput = ImageOutput(
            index: builder.graph.outputs.count, form: form, color: read.color,
            exceedsPixels: !type["imageType"].isFloat16Image)
        var value = value
        if given != shape { value = try builder.add(Reshape(shape), [value], name: name + "/shape")[0] }
        return try builder.add(Transpose(Graph.toLast), [value], name: name + "/order")[0]
    }

    /// Checks that the description has outputs, and that a classifier's predicted features are among them.
    /// - Parameter isClassifier: Only classifiers have predicted features.
    func checkOutputs(isClassifier: Bool) throws {
        let features: [Message] = description.output
        let outputs = features.map { $0.name as String }
        guard !outputs.isEmpty else { throw Failure.noOutputsDescribed() }
        if let name = outputs.firstRepeated { throw Failure.badFeature(name, "is described twice") }
        guard isClassifier else {
            for feature in features {
                let kind = feature["type"].choice
                guard kind == "multiArrayType" || kind == "imageType" else {
                    throw Failure.featureKind(feature.name, kind)
                }
            }
            return
        }
        let label: String = description.predictedFeatureName
        guard outputs.contains(label) else { throw Failure.predictedMissing("label", label, outputs) }
        let probabilities: String = description.predictedProbabilitiesName
        guard probabilities.isEmpty || outputs.contains(probabilities) else {
            throw Failure.predictedMissing("probabilities", probabilities, outputs)
        }
    }

    // MARK: The classifier

    mutating func setClassifier(_ configuration: ClassifierConfiguration) { classifier = configuration }

    private func configuration(_ classes: Int) throws -> ClassifierConfiguration? {
        guard var classifier else { return nil }
        let labels = classifier.labels
        guard !labels.isEmpty else { throw Failure.classifierWithoutLabels() }
        guard labels.count == classes else { throw Failure.labelsAndClasses(labels.count, classes) }
        guard classifier.hasIntegerLabels else {
            (classifier.labels, classifier.warnings) = Labels.unique(labels)
            return classifier
        }
        if let duplicate = labels.firstRepeated { throw Failure.duplicateLabel(duplicate) }
        if let other = labels.first(where: { Int64($0) == nil }) { throw Failure.labelOfOtherType(other) }
        return classifier
    }

    // MARK: The model

    /// The model for a channels-first graph: simplified, and with arithmetic at its head lifted into the image's
    /// scaling.
    ///
    /// - Parameter ownsHead: Whether the arithmetic after an image belongs to the network rather than to the
    ///   preprocessing, if the metadata do not say.
    func model(_ graph: Graph, ownsHead: (ImageInput) -> Bool = { _ in false }) throws -> Model {
        var ordered = graph
        // Images become the graph's first inputs.
        let names = images.map(\.name)
        ordered.inputs =
            names.compactMap { name in graph.inputs.first { $0.name == name } }
            + graph.inputs.filter { !names.contains($0.name) }
        let channelsLast = try ordered.withoutRegrouping().reordered(
            to: .channelsLast, imageInputs: Set(images.indices))
        let declared = ModelDescription.Reading(
            description, inputs: images, outputChannels: imageOutput?.color.channels)
        let withScalars =
            declared.scalarOutputs.isEmpty
            ? channelsLast
            : try channelsLast.rebuiltOutputs { index, value, builder in
                guard declared.scalarOutputs.contains(index), builder[value].shape == [1] else { return value }
                return try builder.add(Reshape([]), [value], name: channelsLast.outputs[index].name + "/number")[0]
            }
        // This must come before a pass folds the output's scaling into the preceding layers.
        var model = try Model(graph: withScalars, imageOutput: imageOutput, metadata: declared.metadata)
            .withoutPixels(declared.pixels, hasBounds: declared.hasPixelBounds)
        model.graph = try Passes.run(Passes.simplification, on: model.graph)
        for index in images.indices { try addImage(index, declared, to: &model, ownsHead: ownsHead) }
        model.classifier = try configuration(model.classCount)
        return model
    }

    /// Makes the input at `index` an image, and moves the arithmetic at its head into the image's scaling.
    private func addImage(
        _ index: Int, _ declared: ModelDescription.Reading, to model: inout Model, ownsHead: (ImageInput) -> Bool
    ) throws {
        let read = images[index]
        var image = read
        var lifted = declared.images[index].lifted
        let lifting = try model.graph.withLiftedPreprocessing(ofInput: index)
        let head = lifting.map { PixelScaling($0.lifted) }
        model.graph = lifting?.graph ?? model.graph
        image.scaling = head.map { read.scaling.followed(by: $0) } ?? read.scaling
        // The arithmetic of a program may also have become part of another operation, such as a hard sigmoid. Then the
        // inverse of the written scaling is left.
        if head != nil || read.scaling.isIdentity {
            let graphScaling =
                declared.images[index].scaling.map { image.scaling.after($0) } ?? (ownsHead(image) ? head : nil)
            if let graphScaling, !graphScaling.isNearlyIdentity {
                lifted = lifted?.followed(by: graphScaling) ?? graphScaling
            }
        }
        image.lifted = lifted
        image.isChannelsFirst = declared.images[index].isChannelsFirst
        if index == 0 { model.image = image } else { model.otherImages[index] = image }
    }
}

extension Message {
    /// Whether this input or output is an array or a grayscale image of float16.
    var isHalfFeature: Bool {
        let type: Message = self["type"]
        return type["imageType"].isFloat16Image || type.multiArrayType.dataType as String == "FLOAT16"
    }

    /// Whether this type of an image stores half-precision numbers instead of 8-bit pixels.
    var isFloat16Image: Bool { self.colorSpace as String == "GRAYSCALE_FLOAT16" }
}
