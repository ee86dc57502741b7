import CThaw
import Thaw

/// The object of a model handle.
final class CModel: @unchecked Sendable {
    enum Content: Sendable {
        case network(ModelDocument)
        case pipeline(PipelineDocument)

        /// Whether it is an ML Program, or contains one.
        var hasProgram: Bool {
            switch self {
            case .network(let document): document.format == .coreMLPackage
            case .pipeline(let document): document.isPackage
            }
        }
    }

    private var current: Content
    private var currentPrecision = Precision.float32
    private let runners = RecentValues<RunnerKey, ModelRunner>(limit: 2)
    private let pipelines = RecentValues<RunnerKey, Pipeline>(limit: 2)
    /// The labels as returned by the header's functions; the model's own never change.
    private let labelTexts: [CText]
    private let labelPointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    /// Guards `current` and `currentPrecision`.
    private let lock = Lock()

    init(_ content: Content) {
        current = content
        let labels: [String]? =
            switch content {
            case .network(let document): document.model.classifier?.labels
            case .pipeline(let document):
                document.pipeline.labels?.map(\.description) ?? (try? Detector(document.pipeline))?.labels
            }
        labelTexts = (labels ?? []).map { CText($0) }
        labelPointers = .allocate(capacity: max(1, labelTexts.count))
        for (index, text) in labelTexts.enumerated() { (labelPointers + index).initialize(to: text.pointer) }
    }

    deinit { labelPointers.deallocate() }

    convenience init(_ document: ModelDocument) { self.init(.network(document)) }

    var content: Content { lock.withLock { current } }

    /// The network.
    /// - Throws: `Failure` for a pipeline.
    func network(_ function: String) throws -> ModelDocument {
        guard case .network(let document) = content else { throw Failure.expectedNetwork(function) }
        return document
    }

    func set(_ value: String?, for field: Metadata.Field) throws {
        try lock.withLock {
            switch current {
            case .network(var document):
                try document.set(value, for: field)
                current = .network(document)
            case .pipeline(var document):
                try document.set(value, for: field)
                current = .pipeline(document)
            }
        }
    }

    var labels: (pointer: UnsafeMutablePointer<UnsafePointer<CChar>?>, count: Int) { (labelPointers, labelTexts.count) }

    /// The precision in which the model runs. Classifiers and detectors have their own.
    var precision: Precision {
        get { lock.withLock { currentPrecision } }
        set { lock.withLock { currentPrecision = newValue } }
    }

    /// The runner of a network for this number of threads.
    func runner(_ document: ModelDocument, threads: Int) throws -> ModelRunner {
        let precision = precision
        return try runners.value(for: RunnerKey(precision: precision, threads: threads)) {
            try ModelRunner(document, precision: precision, threads: threads)
        }
    }

    /// The pipeline for this precision and this number of threads.
    func pipeline(_ document: PipelineDocument, _ precision: Precision, threads: Int) throws -> Pipeline {
        try pipelines.value(for: RunnerKey(precision: precision, threads: threads)) {
            try document.pipeline(precision: precision, threads: threads)
        }
    }
}

/// What a runner or pipeline is compiled for.
private struct RunnerKey: Equatable {
    let precision: Precision
    let threads: Int
}
