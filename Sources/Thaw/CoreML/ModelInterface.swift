/// What goes into a Core ML model and what comes out, as its description says, and the model made of that and a graph:
/// the part of reading that both dialects share.
struct ModelInterface {
    private let description: Message
    /// In the order of the description.
    private(set) var images: [ImageInput] = []
    private var imageOutput: ImageOutput?
    /// The size that the image is wanted in, where it may have several.
    private let size: ImageSize?
    private var classifier: ClassifierConfiguration?

    init(_ description: Message, size: ImageSize? = nil) { (self.description, self.size) = (description, size) }

    // MARK: Inputs

    /// Takes in an input that the description calls an image of this size, or an array.
    /// - Parameter sizes: Batch, channel, height, width for an image, −1 where they are left open.
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
                    "is an image of \(read.width)×\(read.height) pixels, the program takes an array of shape \(Shape(sizes))"
                )
            }
            return shape
        case "multiArrayType":
            // What the program leaves open has a size of its own where none is asked for.
            let standard: [Int] = type["multiArrayType"].shape
            guard standard.count == sizes.count else { return Shape(sizes) }
            return Shape(zip(sizes, standard).map { $0 == -1 ? $1 : $0 })
        case let kind: throw Failure.inputKind(name, kind ?? "none")
        }
    }

    /// An image as a feature's type describes it.
    static func image(_ name: String, _ type: Message) throws -> ImageInput {
        let colors: [String: ColorLayout] = ["RGB": .rgb, "BGR": .bgr, "GRAYSCALE": .gray, "GRAYSCALE_FLOAT16": .gray]
        guard let color = colors[type.colorSpace as String] else {
            throw Failure.badFeature(name, "has no known color space")
        }
        let (width, height): (Int, Int) = (type.width, type.height)
        guard (1...1 << 16).contains(width), (1...1 << 16).contains(height) else {
            throw Failure.badFeature(name, "is an image of \(width)×\(height) pixels")
        }
        return ImageInput(name: name, width: width, height: height, color: color)
    }

    /// Takes in the image, in the size that is wanted.
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

    /// Whatever is described must go in.
    func checkInputs(_ names: [String]) throws {
        for feature in description.input as [Message] where !names.contains(feature.name) {
            throw Failure.inputUnused(feature.name)
        }
    }

    mutating func setScaling(_ scaling: PixelScaling, of name: String) {
        for place in images.indices where images[place].name == name { images[place].scaling = scaling }
    }

    // MARK: Image outputs

    /// The array that an output shows as an image, with its channels behind, as in the graph to come; nil for an output that
    /// is described as something else.
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
        // What is as large as the image that goes in is described for one size of it.
        if images.first?.sizes != .fixed, given.rank == 4 { (shape[2], shape[3]) = (given[2], given[3]) }
        guard given.filter({ $0 != 1 }) == shape.filter({ $0 != 1 }),
            let form = ImageForm(shape.permuted(Graph.toLast), mayBeLine: true)
        else {
            throw Failure.badFeature(
                name, "is an image of \(read.width)×\(read.height) pixels made of an array of \(given)")
        }
        imageOutput = ImageOutput(index: builder.graph.outputs.count, form: form, color: read.color)
        var value = value
        if given != shape { value = try builder.add(Reshape(shape), [value], name: name + "/shape")[0] }
        return try builder.add(Transpose(Graph.toLast), [value], name: name + "/order")[0]
    }

    /// Something must be described to come out, and what the description says is predicted must be among it.
    /// - Parameter isClassifier: Other models predict by no name.
    func checkOutputs(isClassifier: Bool) throws {
        let outputs = (description.output as [Message]).map { $0.name as String }
        guard !outputs.isEmpty else { throw Failure.noOutputsDescribed() }
        guard isClassifier else { return }
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
        guard let classifier else { return nil }
        let labels = classifier.labels
        guard !labels.isEmpty else { throw Failure.classifierWithoutLabels() }
        guard labels.count == classes else { throw Failure.labelsAndClasses(labels.count, classes) }
        var seen = Set<String>(minimumCapacity: labels.count)
        if let twice = labels.first(where: { !seen.insert($0).inserted }) { throw Failure.duplicateLabel(twice) }
        if classifier.hasIntegerLabels, let other = labels.first(where: { Int64($0) == nil }) {
            throw Failure.labelOfOtherType(other)
        }
        return classifier
    }

    // MARK: The model

    /// The model of a graph whose channels stand first: simplified, and arithmetic at its head taken for the image's scaling.
    ///
    /// - Parameter ownsHead: Whether that arithmetic at an image is the network's own, and not a part of how its images are prepared, where
    ///   the model does not say.
    func model(_ graph: Graph, ownsHead: (ImageInput) -> Bool = { _ in false }) throws -> Model {
        var ordered = graph
        // Images are the graph's first inputs, whatever goes in beside them.
        let names = images.map(\.name)
        ordered.inputs =
            names.compactMap { name in graph.inputs.first { $0.name == name } }
            + graph.inputs.filter { !names.contains($0.name) }
        let channelsLast = try ordered.withoutRegrouping().reordered(
            to: .last, imageInputs: Set(images.indices))
        let said = ModelDescription.Reading(
            description, inputs: images, outputChannels: imageOutput?.color.channels)
        let numbered =
            said.bareNumbers.isEmpty
            ? channelsLast
            : try channelsLast.rebuiltOutputs { place, value, builder in
                guard said.bareNumbers.contains(place), builder[value].shape == [1] else { return value }
                return try builder.add(Reshape([]), [value], name: channelsLast.outputs[place].name + "/number")[0]
            }
        // Before what makes pixels is folded into the layers before it.
        var model = try Model(graph: numbered, imageOutput: imageOutput, metadata: said.metadata)
            .withoutPixels(said.pixels, hasBounds: said.hasPixelBounds)
        model.graph = try Passes.run(Passes.simplification, on: model.graph)
        for (place, read) in images.enumerated() {
            var image = read
            var lifted = said.images[place].lifted
            if let scaling = try model.graph.withLiftedPreprocessing(ofInput: place) {
                model.graph = scaling.graph
                let head = PixelScaling(scale: scaling.lifted.scale, bias: scaling.lifted.offset)
                let whole = read.scaling.followed(by: head)
                image.scaling = whole
                let own = said.images[place].scaling.map { whole.after($0) } ?? (ownsHead(image) ? head : nil)
                if let own, !own.isNearlyIdentity { lifted = lifted?.followed(by: own) ?? own }
            }
            image.lifted = lifted
            image.isChannelsFirst = said.images[place].isChannelsFirst
            if place == 0 { model.image = image } else { model.otherImages[place] = image }
        }
        model.classifier = try configuration(model.classCount)
        return model
    }
}
