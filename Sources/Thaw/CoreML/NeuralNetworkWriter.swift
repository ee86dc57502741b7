/// Writes a model as a Core ML neural network, the dialect of `.mlmodel` files.
///
/// The version is the lowest that supports all the layers. Unless the target is one whose tensors keep their rank (iOS
/// 13), the layers of the older form are used if they can compute all operations. In it, every tensor is an image with
/// five axes, and every version supports it.
struct NeuralNetworkWriter {
    private let model: Model
    private let graph: Graph
    private let target: CoreMLVersion?
    private var names: [Graph.Value: String] = [:]
    private var layers: NeuralLayers
    /// The node that is being written, for messages.
    private var location = ""

    /// The model as the format's outermost message.
    /// - Throws: `Failure` naming a node that no layer can compute.
    static func message(
        _ model: Model, weights: WeightStorage = WeightStorage(.float32), target: CoreMLVersion? = nil
    ) throws -> Message {
        var message = try flexible(model, target)
        if weights.type != .float32 { try message.storeWeights(as: weights, target: target) }
        return message
    }

    /// The network for all sizes that its image may have.
    private static func flexible(_ model: Model, _ target: CoreMLVersion?) throws -> Message {
        guard let variants = try SizeVariants(model) else { return try float32(model, target) }
        if let target, target < .iOS12 {
            throw Failure.targetTooOld("an image of several sizes", needs: .iOS12, target)
        }
        var message = try float32(variants.base, target)
        var sizes = FlexibleSizes(message)
        for size in variants.sizes { try sizes.add(float32(variants.model(at: size), target), to: &message, at: size) }
        sizes.describe(model.image!.sizes, in: &message)
        return message
    }

    private static func float32(_ model: Model, _ target: CoreMLVersion?) throws -> Message {
        // A Core ML image input is a single image; a graph with a larger batch would need another graph.
        if let image = model.image, model.batchSize != 1 { throw Failure.fixedBatch(image.name, model.batchSize) }
        let graph = try model.channelsFirst()
        if target.map({ $0 < .iOS13 }) ?? true {
            var obstacle: Phrase = "the model, which has tensors that are not images,"
            if graph.types.allSatisfy({ $0.shape.first == 1 && [2, 4].contains($0.shape.rank) }) {
                let images = try graph.legalized(for: .neuralNetwork(.images, target: target))
                guard let node = images.firstNodeBeyondImages(of: graph) else {
                    var writer = NeuralNetworkWriter(model, images, .images, target)
                    return try writer.run()
                }
                obstacle = "\(node.name) (\(node.operation.kind))"
            }
            if let target { throw Failure.targetTooOld(obstacle, needs: .iOS13, target) }
        }
        let exact = try graph.legalized(for: .neuralNetwork(.exact, target: target))
        var writer = NeuralNetworkWriter(model, exact, .exact, target)
        return try writer.run()
    }

    private init(_ model: Model, _ graph: Graph, _ arrays: NeuralArrays, _ target: CoreMLVersion?) {
        (self.model, self.target) = (model, target)
        self.graph = graph
        layers = NeuralLayers(arrays)
    }

    private mutating func run() throws -> Message {
        nameValues()
        try writeScaling()
        for node in graph.nodes {
            guard let operation = node.operation as? any NeuralOperation else {
                throw Failure.cannotWriteLayer(node.name, node.operation.kind)
            }
            for output in node.outputs where graph[output].shape.rank > CoreMLDialect.maximumRank {
                throw Failure.tooManyAxes(node.name, node.operation.kind, graph[output].shape.rank)
            }
            let neural = NeuralNode(name: node.name, inputs: node.inputs.map(blob), outputs: node.outputs.map(blob))
            location = "\(node.name) (\(node.operation.kind))"
            try naming(node: node.identity, location: node.name) {
                try operation.write(neural, to: &layers)
            }
            if let target, layers.version > target.rawValue {
                let needed = CoreMLVersion(rawValue: layers.version)!
                throw Failure.targetTooOld("\(location)", needs: needed, target)
            }
        }
        finishOutputs()
        return message()
    }

    // MARK: Names

    private func blob(_ value: Graph.Value) -> NeuralBlob {
        NeuralBlob(name: names[value]!, shape: graph[value].shape, element: graph[value].element)
    }

    /// Gives every value a unique name: inputs and outputs have the names of the model's features, the others their
    /// node's.
    private mutating func nameValues() {
        var taken = Set<String>()
        for port in graph.inputs { names[port.value] = taken.insertUnique(featureName(port.name)) }
        for port in graph.outputs where names[port.value] == nil {
            names[port.value] = taken.insertUnique(featureName(port.name))
        }
        for node in graph.nodes {
            for (index, output) in node.outputs.enumerated() where names[output] == nil {
                names[output] = taken.insertUnique(index == 0 ? node.name : "\(node.name):\(index)")
            }
        }
    }

    // MARK: Scaling

    /// The name of the layer that scales an image if the format's scaler cannot.
    static func scalingLayer(of input: String) -> String { "scaling of " + input }

    /// The scale of all channels, as required by the format's scaler; nil if the channels differ, or if the scale is 0,
    /// which the format treats as missing.
    private static func scale(_ scaling: PixelScaling) -> Double? {
        scaling.uniformScale.flatMap { Float($0) == 0 ? nil : $0 }
    }

    /// Adds a scaling layer for each image that the format's scaler cannot scale.
    private mutating func writeScaling() throws {
        for (index, port) in graph.inputs.enumerated() {
            if let image = model.image(at: index), Self.scale(image.scaling) == nil { try scale(port.value, of: image) }
        }
    }

    private mutating func scale(_ input: Graph.Value, of image: ImageInput) throws {
        let raw = blob(input)
        let scaled = NeuralBlob(name: raw.name + "/scaled", shape: raw.shape)
        let arithmetic = ChannelArithmetic(scale: image.scaling.scale, offset: image.scaling.bias)
        try BatchNormalization(arithmetic).write(
            NeuralNode(name: Self.scalingLayer(of: raw.name), inputs: [raw], outputs: [scaled]), to: &layers)
        names[input] = scaled.name
    }

    // MARK: Outputs

    /// The name of an output in the layers.
    private func outputName(_ port: Graph.Port) -> String { featureName(port.name) }

    /// Makes sure that every output is computed by a layer under the output's name.
    private mutating func finishOutputs() {
        for port in graph.outputs {
            let name = outputName(port)
            let computed = layers.name(blob(port.value))
            guard computed != name else { continue }
            let isOwn =
                graph.inputs.contains { featureName($0.name) == computed }
                || graph.outputs.contains { outputName($0) == computed }
            let isUsed = layers.layers.contains { ($0.output as [String]).contains(name) }
            if !isOwn, !isUsed {
                layers.rename(computed, to: name)
            } else if !isUsed {
                let shape = graph[port.value].shape
                layers.add(name, [NeuralBlob(name: computed, shape: shape)], [NeuralBlob(name: name, shape: shape)]) {
                    $0.activation.linear.alpha = 1.0 as Float
                }
            }
        }
    }

    // MARK: The message

    private func message() -> Message {
        var message = Message(.model)
        message.specificationVersion = layers.version
        let field = model.classifier == nil ? "neuralNetwork" : "neuralNetworkClassifier"
        var network = Message(MessageType.model.type(of: field))
        network.layers = layers.layers
        if layers.arrays == .exact {
            network.arrayInputShapeMapping = "EXACT_ARRAY_MAPPING"
            network.imageInputShapeMapping = "RANK4_IMAGE_MAPPING"
        }
        // coremltools writes one for each image, too, even if it changes nothing: scripts rename its input.
        let scalers = model.images.compactMap { image in
            Self.scale(image.scaling).map { scale in
                scaler(image, scale, MessageType.model.type(of: field).type(of: "preprocessing"))
            }
        }
        if !scalers.isEmpty { network.preprocessing = scalers }
        if let classifier = model.classifier {
            if classifier.hasIntegerLabels {
                network.int64ClassLabels.vector = classifier.labels.map { Int($0)! }
            } else {
                network.stringClassLabels.vector = classifier.labels
            }
            network.labelProbabilityLayerName = outputName(graph.outputs[0])
        }
        message[field] = network
        message.description = ModelDescription(model, graph, arrays: layers.arrays).message
        return message
    }

    private func scaler(_ image: ImageInput, _ scale: Double, _ type: MessageType) -> Message {
        var preprocessing = Message(type)
        preprocessing.featureName = featureName(image.name)
        preprocessing.scaler.channelScale = scale
        for (channel, bias) in zip(image.color.channelNames, image.scaling.bias) {
            preprocessing.scaler[channel + "Bias"] = bias
        }
        return preprocessing
    }
}

extension Graph {
    /// The first node that layers for five-axis images cannot compute, or nil if they can compute all.
    /// - Parameter original: The graph before its operations were decomposed, whose node is returned.
    fileprivate func firstNodeBeyondImages(of original: Graph) -> Node? {
        let first = nodes.firstIndex { node in
            guard let operation = node.operation as? any NeuralOperation else { return false }
            return !operation.fitsImages(node.inputs.map { self[$0] }, self[node.outputs[0]])
        }
        guard let first else { return nil }
        // The last part of a decomposed node has the node's name.
        let names = Dictionary(original.nodes.map { ($0.name, $0) }) { first, _ in first }
        return nodes[first...].lazy.compactMap { names[$0.name] }.first
    }
}
