#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Limits for models, which protect a machine from files that claim too much. Environment variables change them; see
/// docs/limits.md. The limits for images are in `DecodingOptions`.
enum Limits {
    /// The environment variables that change limits.
    private enum Variable: String, CaseIterable {
        case nodes = "THAW_MAX_NODES"
        case nameLength = "THAW_MAX_NAME"
        case labelBytes = "THAW_MAX_LABELS"
        case tensorElements = "THAW_MAX_ELEMENTS"
        case runMemory = "THAW_MAX_MEMORY"
        case iterations = "THAW_MAX_ITERATIONS"
    }

    /// Nodes, layers or operations of a model.
    static let nodes = limit(.nodes, 4_000_000)
    /// Bytes of the name of a node.
    static let nameLength = limit(.nameLength, 4096)
    /// Bytes of a file of labels.
    static let labelBytes = limit(.labelBytes, 4 << 20)
    /// Elements of a tensor; no more than 2^40.
    static let tensorElements = min(limit(.tensorElements, 1 << 40), 1 << 40)
    /// Elements of an input, or of another tensor whose shape a model declares; fewer than this.
    static let declaredElements = 1 << 31
    /// Elements of a tensor that a node computes.
    static let computedElements = 1 << 29
    /// Bytes of memory for the activations and the scratch memory of a run, according to its plan, which is made before
    /// memory is allocated, and for the constants that are computed while a model is read.
    static let runMemory = limit(.runMemory, 1 << 33)
    /// Iterations of a loop in one run.
    static let iterations = limit(.iterations, 10_000)

    /// - Throws: `Failure` naming a variable that is set, but not to an integer of at least 1.
    static func requireValid() throws {
        if let invalid { throw invalid }
    }

    private static let invalid: Failure? = {
        for variable in Variable.allCases where given(variable) == nil {
            guard let text = getenv(variable.rawValue), text.pointee != 0 else { continue }
            return .invalidLimit(variable.rawValue, String(cString: text))
        }
        return nil
    }()

    private static func limit(_ variable: Variable, _ defaultLimit: Int) -> Int { given(variable) ?? defaultLimit }

    private static func given(_ variable: Variable) -> Int? {
        guard let text = getenv(variable.rawValue),
            let number = FileNumber(digits: String(cString: text).utf8), number > 0
        else { return nil }
        return number.size
    }

    /// The limit for computed tensors in messages.
    static var computedElementsText: String {
        // The limit for all tensors may be lower. Tensors have fewer elements than that.
        tensorElements > computedElements
            ? "2^\(computedElements.trailingZeroBitCount)" : "\(tensorElements - 1)"
    }

    /// The limit for memory in messages.
    static var runMemoryText: String {
        let kilobyte = 1 << 10
        return switch runMemory {
        case ..<kilobyte: "\(runMemory) bytes"
        case ..<(kilobyte << 10): "\(runMemory >> 10) KB"
        default: "\(runMemory >> 20) MB"
        }
    }
}

extension Failure {
    fileprivate static func invalidLimit(_ variable: String, _ value: String) -> Failure {
        Failure(
            .environment, file: variable, "invalid value '\(value)'", remedy: "expected an integer of at least 1")
    }
}
