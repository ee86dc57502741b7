import Thaw

/// A loaded model that can serve requests, with its description. A reload creates a new one; requests in progress keep the
/// old one.
final class ServedModel: Sendable {
    /// An input or output as the protocol describes it.
    struct Port: Sendable {
        let name: String
        let type: DataType
        /// The shape, with the batch as its first axis; -1 means any batch size.
        let shape: [Int]
        /// The shape in the network.
        let own: TensorType
        /// The image format, if this is an image input.
        let image: ImageInput?
    }

    let name: String
    let inputs: [Port]
    let outputs: [Port]
    /// Whether a request may have any number of items, which run in groups of `group`.
    let isBatched: Bool
    let group: Int
    let labels: [String]?
    /// The image of a model that takes nothing else and gives a probability for each class.
    let classifiedImage: ImageInput?
    let details: ModelDetails
    private let executors: Executors

    /// Loads a model and compiles it.
    /// - Parameters:
    ///   - precision: The precision that the network is computed in.
    ///   - threads: The number of threads that a run may use.
    /// - Throws: `Failure` if it cannot be read or run.
    init(_ source: Settings.Source, precision: Precision, threads: Int) throws {
        name = source.name
        let labels = try source.labels.map { try Labels(contentsOfFile: $0) }
        var options = Converter.Options()
        // The service outlives changes of the file.
        options.mapsFiles = false
        let conversion = try Model.load(contentsOfFile: source.path, options: options, labels: labels)
        let model = conversion.model
        guard !model.isStateful else {
            throw Failure(
                .unsupportedModel, file: source.path, "the model keeps a state between runs",
                remedy: "requests are independent of each other")
        }
        let graph = model.graph
        let group = max(1, model.batch)
        // A single array may have no batch axis.
        let types = (graph.inputs + graph.outputs).map { graph[$0.value] }
        let isBatched = types.allSatisfy { $0.shape.first == group } && (group == 1 || model.image != nil)
        func shape(_ type: TensorType) -> [Int] {
            isBatched ? [-1] + type.shape.dropFirst() : type.shape.dimensions
        }
        inputs = try graph.inputs.enumerated().map { index, port in
            let type = graph[port.value]
            let image = model.image(at: index)
            return Port(
                name: port.name, type: try image == nil ? DataType(type.element, port.name) : .uint8,
                shape: image.map { [isBatched ? -1 : group, $0.height, $0.width, $0.color.channels] } ?? shape(type),
                own: type, image: image)
        }
        outputs = try graph.outputs.map { port in
            let type = graph[port.value]
            return Port(
                name: port.name, type: try DataType(type.element, port.name), shape: shape(type), own: type, image: nil)
        }
        (self.isBatched, self.group, self.labels) = (isBatched, group, model.classifier?.labels)
        let first = outputs.first.map(\.own)
        let isRow = first.map { $0.element == .float32 && $0.shape.dropFirst().filter { $0 != 1 }.count <= 1 } ?? false
        classifiedImage = isRow && inputs.count == 1 && isBatched ? model.image : nil
        details = ModelDetails(conversion, source)
        executors = Executors(try Program(model, precision: precision, threads: threads))
    }

    var classCount: Int { outputs.first.map { $0.own.shape.elementCount / group } ?? 0 }

    /// Runs the model once.
    /// - Parameters:
    ///   - threads: The number of threads to use.
    ///   - load: Loads all inputs.
    ///   - read: Reads the outputs.
    func run<Result>(threads: Int, _ load: (Executor) throws -> Void, _ read: (Executor) throws -> Result) rethrows
        -> Result
    {
        try executors.with(threads: threads) { executor in
            try load(executor)
            executor.run()
            return try read(executor)
        }
    }

    var memory: Int { executors.constantBytes }
}

/// A pool of executors, by their number of threads. There are never more than runs at the same time.
private final class Executors: Sendable {
    private let program: Program
    private let idle = Monitor<[Int: [Executor]]>([:])

    init(_ program: Program) { self.program = program }

    var constantBytes: Int { program.constantBytes }

    func with<Result>(threads: Int, _ body: (Executor) throws -> Result) rethrows -> Result {
        let executor = idle.with { $0[threads]?.popLast() } ?? Executor(program, threads: threads)
        defer { idle.with { $0[threads, default: []].append(executor) } }
        return try body(executor)
    }
}

/// The types of the protocol's tensors.
enum DataType: String, Sendable {
    case bool = "BOOL"
    case uint8 = "UINT8"
    case uint16 = "UINT16"
    case uint32 = "UINT32"
    case uint64 = "UINT64"
    case int8 = "INT8"
    case int16 = "INT16"
    case int32 = "INT32"
    case int64 = "INT64"
    case float16 = "FP16"
    case float32 = "FP32"
    case float64 = "FP64"
    case bytes = "BYTES"

    private static let elements: [ElementType: DataType] = [
        .bool: .bool, .uint8: .uint8, .uint16: .uint16, .uint32: .uint32, .uint64: .uint64, .int8: .int8,
        .int16: .int16, .int32: .int32, .int64: .int64, .float16: .float16, .float32: .float32, .float64: .float64,
    ]

    /// - Throws: `Failure` for a type that the protocol does not have.
    init(_ element: ElementType, _ port: String) throws {
        guard let type = DataType.elements[element] else {
            throw Failure(
                .unsupportedModel, "the elements of '\(port)' are \(element.rawValue)",
                remedy: "the protocol has no such type")
        }
        self = type
    }

    /// The bytes of one element; nil if they differ.
    var size: Int? {
        switch self {
        case .bool, .uint8, .int8: 1
        case .uint16, .int16, .float16: 2
        case .uint32, .int32, .float32: 4
        case .uint64, .int64, .float64: 8
        case .bytes: nil
        }
    }
}
