import Thaw

/// A loaded model that can serve requests, with its description. A reload creates a new one; requests in progress keep
/// the old one.
final class ServedModel: Sendable {
    /// An input or output as the protocol describes it.
    struct Port: Sendable {
        let name: String
        let type: DataType
        /// The shape, with the batch as its first axis; -1 means any size.
        let shape: [Int]
        let content: Content

        enum Content: Sendable {
            /// The type in a network, the format if it is an image, and the value of all elements of an input that may be
            /// omitted.
            case network(TensorType, image: ImageInput?, defaultValue: Double? = nil)
            /// A feature of a pipeline.
            case pipeline(PipelineFeature)
        }

        /// The image format, if this is an image input.
        var image: ImageInput? {
            switch content {
            case .network(_, let image, _): return image
            case .pipeline(let feature):
                guard case .image(let image) = feature.type else { return nil }
                return image
            }
        }

        /// Whether an input may be omitted.
        var isOptional: Bool {
            switch content {
            case .network(_, _, let defaultValue): defaultValue != nil
            case .pipeline(let feature): feature.isOptional
            }
        }

        /// Whether it is an integer of a pipeline, which is exact. Networks compute in floating point.
        var isInteger: Bool {
            guard case .pipeline(let feature) = content else { return false }
            return feature.type == .integer
        }

        /// The minimum number of bytes of an item, as far as it is known.
        var size: Int { shape.dropFirst().reduce(1) { $0 * max(1, $1) } * (type.size ?? 1) }
    }

    let name: String
    let inputs: [Port]
    let outputs: [Port]
    /// Whether a request may have any number of items. They run one after another.
    let isBatched: Bool
    let labels: [String]?
    /// The image of a model that has no other inputs and returns a probability for each class.
    let classifiedImage: ImageInput?
    let classCount: Int
    let details: ModelDetails
    let drawing = Monitor(Drawing.none)
    let runner: Runner

    /// Computes the outputs.
    enum Runner: Sendable {
        case network(Executors)
        case pipeline(Pipeline)
    }

    /// Loads a model and compiles it.
    /// - Parameters:
    ///   - precision: The precision that the network is computed in.
    ///   - threads: The number of threads that a run may use.
    /// - Throws: `Failure` if it cannot be read or run.
    convenience init(_ source: Settings.Source, precision: Precision, threads: Int) throws {
        do {
            if try Pipeline.isPipeline(contentsOfFile: source.path) {
                try self.init(pipeline: source, precision: precision, threads: threads)
            } else {
                try self.init(network: source, precision: precision, threads: threads)
            }
        } catch let failure as Failure {
            throw failure.inFile(source.path)
        }
    }

    private init(pipeline source: Settings.Source, precision: Precision, threads: Int) throws {
        name = source.name
        if source.labels != nil { throw source.ownLabels("a pipeline") }
        if source.function != nil { throw source.noFunctions }
        let document = try PipelineDocument(contentsOfFile: source.path, mapsFiles: false)
        let pipeline = try document.pipeline(precision: precision, threads: threads)
        inputs = try pipeline.inputs.map { try Port($0) }
        outputs = try pipeline.outputs.map { try Port($0) }
        isBatched = true
        labels = pipeline.labels?.map(\.description)
        classCount = labels?.count ?? 0
        let isClassifier = pipeline.inputs.count == 1 && labels != nil
        classifiedImage = isClassifier ? inputs[0].image : nil
        details = ModelDetails(document, pipeline, source)
        runner = .pipeline(pipeline)
    }

    private init(network source: Settings.Source, precision: Precision, threads: Int) throws {
        name = source.name
        let labels = try source.labels.map { try Labels(contentsOfFile: $0) }
        var options = Converter.Options()
        // The service must survive changes of the file.
        options.mapsFiles = false
        options.function = source.function
        let document = try ModelDocument(contentsOfFile: source.path, options: options, labels: labels)
        let conversion = document.conversion
        if source.function != nil, conversion.isGraph { throw source.noFunctions }
        if labels != nil, !conversion.isGraph { throw source.ownLabels("a Core ML model") }
        let model = conversion.model
        guard !model.isStateful else {
            throw Failure(
                .unsupportedModel, file: source.path, "the model keeps a state between runs",
                remedy: "requests are independent of each other")
        }
        let graph = model.graph
        // A single array may have no batch axis.
        let types = (graph.inputs + graph.outputs).map { graph[$0.value] }
        let isBatched = types.allSatisfy { $0.shape.first == 1 }
        self.isBatched = isBatched
        let features = conversion.isGraph ? [] : try document.features().inputs
        inputs = try graph.inputs.enumerated().map { index, port in
            try Port(
                input: port.name, graph[port.value], model.image(at: index), isBatched: isBatched,
                defaultValue: features.first { $0.name == port.name }?.defaultValue)
        }
        outputs = try graph.outputs.map { try Port(output: $0.name, graph[$0.value], isBatched: isBatched) }
        self.labels = model.classifier?.labels
        classCount = graph.outputs.first.map { graph[$0.value].shape.elementCount } ?? 0
        classifiedImage = isBatched ? ServedModel.classifiedImage(of: model) : nil
        details = ModelDetails(conversion, source)
        runner = .network(Executors(try Program(model, precision: precision, threads: threads)))
    }

    /// The image of a model that has no other inputs, and whose first output is a row of values.
    private static func classifiedImage(of model: Model) -> ImageInput? {
        guard model.graph.inputs.count == 1, let output = model.graph.outputs.first else { return nil }
        let type = model.graph[output.value]
        let isRow = type.element == .float32 && type.shape.dropFirst().filter { $0 != 1 }.count <= 1
        return isRow ? model.image : nil
    }

    /// The bytes of the constants.
    var memory: Int {
        switch runner {
        case .network(let executors): executors.constantBytes
        // Pipelines compute in float32.
        case .pipeline: 4 * details.parameters
        }
    }
}

/// Inputs and outputs of networks. Those of pipelines are in InferPipeline.swift.
extension ServedModel.Port {
    /// - Parameter image: Its format if it is an image.
    /// - Throws: `Failure` for a type that the protocol does not have.
    fileprivate init(
        input name: String, _ type: TensorType, _ image: ImageInput?, isBatched: Bool, defaultValue: Double?
    ) throws {
        self.name = name
        content = .network(type, image: image, defaultValue: defaultValue)
        if let image {
            (self.type, shape) = (.uint8, [isBatched ? -1 : 1, image.height, image.width, image.color.channels])
        } else {
            (self.type, shape) = (try DataType(type.element, name), Self.shape(type, isBatched: isBatched))
        }
    }

    /// - Throws: `Failure` for a type that the protocol does not have.
    fileprivate init(output name: String, _ type: TensorType, isBatched: Bool) throws {
        (self.name, content) = (name, .network(type, image: nil))
        (self.type, shape) = (try DataType(type.element, name), Self.shape(type, isBatched: isBatched))
    }

    private static func shape(_ type: TensorType, isBatched: Bool) -> [Int] {
        isBatched ? [-1] + type.shape.dropFirst() : type.shape.dimensions
    }
}

extension Settings.Source {
    /// The failure for labels that were given for a model of another kind than graphs.
    fileprivate func ownLabels(_ kind: String) -> Failure {
        Failure(
            .invalidOption, file: path, "--labels is for graphs, and this is \(kind)", remedy: "it has its own labels")
    }

    /// The failure for a function that was requested from a model without functions.
    fileprivate var noFunctions: Failure {
        Failure(.invalidOption, file: path, "--function is for ML Programs, which have functions")
    }
}

/// A pool of executors, by their number of threads. For each number, there are never more than simultaneous runs.
final class Executors: Sendable {
    private let program: Program
    private let idle = Monitor<[Int: [Executor]]>([:])

    init(_ program: Program) { self.program = program }

    var constantBytes: Int { program.constantBytes }

    /// Runs the network once.
    /// - Parameters:
    ///   - threads: The number of threads to use.
    ///   - load: Loads all inputs.
    ///   - read: Reads the outputs.
    /// - Throws: `Failure` naming the node if a loop does not end.
    func run<Result>(threads: Int, _ load: (Executor) throws -> Void, _ read: (Executor) throws -> Result) throws
        -> Result
    {
        let executor = idle.with { $0[threads]?.popLast() } ?? Executor(program, threads: threads)
        defer { idle.with { $0[threads, default: []].append(executor) } }
        try load(executor)
        try executor.run()
        return try read(executor)
    }
}
