/// Converts TensorFlow graphs to models.
///
///     let conversion = try Converter().convert(contentsOfFile: "inference.pb", labels: Labels(contentsOfFile: "labels.txt"))
///     try conversion.model.write(toFile: "inference.mlmodel")
public struct Converter: Sendable {
    /// Settings that a graph may leave open. Every option can be omitted.
    public struct Options: Sendable {
        /// The node that the image replaces.
        public var input: String?
        /// The nodes to compute.
        public var outputs: [String] = []
        /// The width and height of the image in pixels, if the graph leaves them open; with several `sizes`, the default.
        public var size: ImageSize?
        /// The sizes that the image may have, if the graph leaves them open. If `size` is nil, the default is the first of a
        /// list, or the size in a range that is nearest to 224×224.
        public var sizes = ImageSizes.fixed
        /// The size to use if neither the graph nor `size` determines one; without it, such a graph is refused.
        package var openSize: ImageSize?
        /// The shape of a single input that is to be a multi-array, even if it could be an image.
        public var shape: [Int]?
        /// Whether a single input is to be a multi-array of the graph's own shape, even if it could be an image.
        public var isTensor = false
        /// Whether a single multi-array is int32 if the graph's input has integers of 32 or 64 bits.
        public var keepsIntegers = false
        /// The order of the image's color channels; nil detects it.
        public var color: ColorLayout?
        /// The position of the channel axis in the graph's own input; nil detects it.
        public var channels: Graph.ChannelOrder?
        /// The arrays that a graph of several inputs will get; without them, such a graph is refused.
        package var arrays: (any GivenArrays)?
        /// How to convert batch normalization that was exported in training mode.
        public var batchNorm = BatchNormMode.graph
        /// Whether moving averages of variables, which training may have stored in a checkpoint
        /// (`tf.train.ExponentialMovingAverage`), replace their values.
        public var usesMovingAverages = false
        /// Values for placeholders other than the image's.
        public var placeholderValues: [PlaceholderValue] = []
        /// The tags of a SavedModel's graph, separated by commas; nil means `serve`.
        public var tag: String?
        /// The signature of a SavedModel; nil means `serving_default`, or the only one.
        public var signature: String?
        /// The function of an ML Program with several; nil means its default.
        public var function: String?
        /// The family whose preprocessing is used; nil detects it.
        public var preprocessing: Preprocessing?
        /// One value, or one per channel in the order of `color`: y = scale · x + bias. Not together with `preprocessing`.
        public var scale: [Double]?
        /// One value, or one per channel, added after the scaling.
        public var bias: [Double]?
        /// Options for one of several inputs, by its name; they take precedence over those for all.
        public var inputs: [String: InputOptions] = [:]
        /// Whether to write an image output: nil detects whether the output is an image, true requires it.
        public var imageOutput: Bool?
        /// The output that is to be the image, by its name in the graph or in `outputs`; nil means the first one with the shape
        /// of an image. An image output is then required.
        public var imageOutputName: String?
        /// The channel order of an image output; nil means that of the input.
        public var outputColor: ColorLayout?
        /// One value, or one per channel: pixel = scale · y + bias of the network's output y; nil detects it.
        public var outputScale: [Double]?
        /// One value, or one per channel, added after `outputScale`.
        public var outputBias: [Double]?
        /// The name of the top-label output.
        public var predictedFeature = "classLabel"
        /// The name of the class-probability output; nil keeps the graph's name.
        public var probabilities: String?
        /// Whether labels are integers, and are to be returned as such.
        public var hasIntegerLabels = false
        /// Other names for inputs and outputs.
        public var renamings: [(old: String, new: String)] = []
        /// The model's metadata. Descriptions of inputs and outputs use their new names.
        public var metadata = Metadata()
        /// Whether the model's files are mapped into memory, which is fast and shares memory between processes. The system ends
        /// a process that accesses a mapped file after another one has truncated it; without mapping, a file that changes
        /// while it is being read is an error, and later changes have no effect.
        public var mapsFiles = true

        /// Options that leave everything to the graph.
        public init() {}

        /// - Throws: `Failure` if a size is invalid.
        fileprivate func checkSizes() throws {
            try sizes.check()
            for size in [size] + inputs.values.map(\.size) { try size?.check() }
        }
    }

    /// The settings that graphs leave open.
    public var options: Options

    /// A converter with these options.
    public init(_ options: Options = Options()) { self.options = options }

    /// Converts the frozen graph, the SavedModel or the checkpoint at `path`.
    ///
    /// - Parameters:
    ///   - path: A graph's file (`.pb`), a SavedModel's folder, or a checkpoint: its folder, its `.meta` or `.index` file, or the
    ///     prefix of their names.
    ///   - labels: The labels of the classes; without them, the model is not a classifier.
    /// - Throws: `Failure` naming the file, and the nodes at fault.
    public func convert(contentsOfFile path: String, labels: Labels? = nil) throws -> Conversion {
        let source = try GraphSource(path, importOptions, tag: options.tag, signature: options.signature)
        return try naming(file: path) { try convert(source, labels: labels) }
    }

    /// Converts a graph that a program has created or loaded itself.
    ///
    ///     let graph = GraphDefinition(nodes: [
    ///         NodeDefinition(
    ///             name: "image", op: "Placeholder",
    ///             attributes: ["dtype": .type(.float), "shape": .shape([1, 32, 32, 3])]),
    ///         NodeDefinition(name: "gain", op: "VariableV2", attributes: ["dtype": .type(.float), "shape": .shape([3])]),
    ///         NodeDefinition(name: "answer", op: "Mul", inputs: ["image", "gain"]),
    ///     ])
    ///     let conversion = try Converter().convert(graph: graph, variables: ["gain": Tensor([1, 2, 3], shape: [3])])
    ///
    /// - Parameters:
    ///   - variables: The values of the graph's variables (VariableV2, VarHandleOp), by their names.
    ///   - labels: The labels of the classes; without them, the model is not a classifier.
    /// - Throws: `Failure` naming the nodes at fault, and the variables whose values are missing or of the wrong shape.
    public func convert(graph: GraphDefinition, variables: [String: Tensor] = [:], labels: Labels? = nil) throws
        -> Conversion
    {
        let source = try GraphSource(
            freezing: graph, outputs: options.outputs, arrayInputs: options.arrays?.names ?? [], file: nil,
            usesAverages: options.usesMovingAverages, hasValue: { variables[$0] != nil },
            value: { name, part in part == nil ? variables[name] : nil })
        return try convert(source, labels: labels)
    }

    /// Converts a serialized GraphDef.
    ///
    /// - Parameters:
    ///   - variables: The values of the graph's variables, by their names.
    ///   - labels: The labels of the classes; without them, the model is not a classifier.
    /// - Throws: `Failure` naming the nodes at fault, and the variables whose values are missing or of the wrong shape.
    public func convert(
        decoding bytes: UnsafeRawBufferPointer, variables: [String: Tensor] = [:], labels: Labels? = nil
    ) throws -> Conversion {
        let graph = try GraphDefinition(decoding: bytes)
        guard variables.isEmpty, !options.usesMovingAverages else {
            return try convert(graph: graph, variables: variables, labels: labels)
        }
        return try convert(GraphSource(definition: graph, outputs: []), labels: labels)
    }

    var importOptions: ImportOptions {
        var result = ImportOptions(
            input: options.input, outputs: options.outputs, size: options.size, color: options.color,
            channels: options.channels, placeholderValues: options.placeholderValues, openSize: options.openSize)
        result.mapsFiles = options.mapsFiles
        result.arrayInputs = options.arrays?.names ?? []
        result.shape = options.shape
        result.takesTensor = options.isTensor
        result.keepsIntegers = options.keepsIntegers
        result.batchNorm = options.batchNorm
        result.usesMovingAverages = options.usesMovingAverages
        result.ofInputs = options.inputs
        if let arrays = options.arrays {
            result.arrayShapes = { names in
                let given = try arrays.shapes(ofInputs: names)
                do {
                    return try ArrayRunner.inOrder(given, names) { $0.name }.map(\.shape)
                } catch let failure as Failure { throw failure.orSet(names) }
            }
        }
        return result
    }

    private func convert(_ source: GraphSource, labels: Labels?) throws -> Conversion {
        try options.checkSizes()
        guard let firstSize = options.sizes.defaultSize else { return try convertOneSize(source, labels: labels) }
        let defaultSize = options.size ?? firstSize
        let sizes = try options.sizes.withDefault(defaultSize)
        var resizer = Resizer(source: source, labels: labels, options: options)
        var conversion: Conversion
        do { conversion = try resizer.conversion(at: defaultSize) } catch let failure as Failure {
            throw failure.atSize(defaultSize)
        }
        guard conversion.model.images.count == 1 else {
            throw Failure.severalSizesNoImage(conversion.model.images.count)
        }
        conversion.model.image!.sizes = sizes
        resizer.options = options.settled(by: conversion)
        // At some sizes the output is slightly smaller than the image. It is an image output nevertheless.
        if conversion.model.classifier == nil {
            resizer.options.imageOutput = resizer.options.imageOutput ?? (conversion.model.imageOutput != nil)
        }
        conversion.model.resizer = resizer
        _ = try SizeVariants(conversion.model)
        conversion.notes.append(.flexibleSizes(sizes, defaultSize))
        return conversion
    }

    /// Converts the graph again at another size.
    struct Resizer: ModelResizer {
        let source: GraphSource
        let labels: Labels?
        var options: Options

        func model(at size: ImageSize) throws -> Model { try conversion(at: size).model }

        func conversion(at size: ImageSize) throws -> Conversion {
            var options = options
            options.sizes = .fixed
            options.size = size
            return try Converter(options).convertOneSize(source, labels: labels)
        }
    }
}

/// The arrays that the inputs of a graph will get.
package protocol GivenArrays: Sendable {
    /// The inputs that the arrays name.
    var names: Set<String> { get }

    /// The shapes of the arrays, each with the name of its input, which may be nil for a graph of one input.
    /// - Parameter inputs: The names of the graph's inputs.
    func shapes(ofInputs inputs: [String]) throws -> [(name: String?, shape: [Int])]
}
