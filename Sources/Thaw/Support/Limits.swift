#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Limits for models, which protect a machine from files that claim too much. Environment variables change them; see
/// docs/limits.md. The limits for images are in `DecodingOptions`.
enum Limits {
    /// Nodes, layers or operations of a model. `THAW_MAX_NODES`
    static let nodes = limit("THAW_MAX_NODES", 4_000_000)
    /// Bytes of the name of a node. `THAW_MAX_NAME`
    static let nameLength = limit("THAW_MAX_NAME", 4096)
    /// Bytes of a file of labels. `THAW_MAX_LABELS`
    static let labelBytes = limit("THAW_MAX_LABELS", 4 << 20)
    /// Elements of a tensor; no more than 2^40. `THAW_MAX_ELEMENTS`
    static let tensorElements = min(limit("THAW_MAX_ELEMENTS", 1 << 40), 1 << 40)
    /// Elements of a tensor that a node computes.
    static let computedElements = 1 << 29
    /// Bytes of memory for the activations and the scratch memory of a run, according to its plan, which is made before
    /// memory is allocated, and for the constants that are computed while a model is read. `THAW_MAX_MEMORY`
    static let runMemory = limit("THAW_MAX_MEMORY", 1 << 33)

    /// Iterations of a loop in one run. `THAW_MAX_ITERATIONS`
    static let iterations = limit("THAW_MAX_ITERATIONS", 10_000)

    /// - Throws: `Failure` naming a variable that is set, but not to an integer of at least 1.
    static func requireValid() throws {
        if let invalid { throw invalid }
    }

    private static let invalid: Failure? = {
        let variables = [
            "THAW_MAX_NODES", "THAW_MAX_NAME", "THAW_MAX_LABELS", "THAW_MAX_ELEMENTS", "THAW_MAX_MEMORY",
            "THAW_MAX_ITERATIONS",
        ]
        for variable in variables where given(variable) == nil {
            guard let text = getenv(variable), text.pointee != 0 else { continue }
            return .invalidLimit(variable, String(cString: text))
        }
        return nil
    }()

    private static func limit(_ variable: String, _ defaultLimit: Int) -> Int { given(variable) ?? defaultLimit }

    private static func given(_ variable: String) -> Int? {
        guard let text = getenv(variable), let number = FileNumber(digits: String(cString: text).utf8), number > 0
        else { return nil }
        return number.size
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
