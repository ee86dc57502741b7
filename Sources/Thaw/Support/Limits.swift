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
    /// Elements of a tensor; no more than 2^40. `THAW_MAX_ELEMENTS`
    static let tensorElements = min(limit("THAW_MAX_ELEMENTS", 1 << 40), 1 << 40)
    /// Bytes of memory for the activations and the scratch memory of a run, according to its plan, which is made before
    /// memory is allocated, and for the constants that are computed while a model is read. `THAW_MAX_MEMORY`
    static let runMemory = limit("THAW_MAX_MEMORY", 1 << 33)

    /// Iterations of a loop in one run. `THAW_MAX_ITERATIONS`
    static let iterations = limit("THAW_MAX_ITERATIONS", 10_000)

    private static func limit(_ variable: String, _ defaultLimit: Int) -> Int {
        guard let text = getenv(variable), let number = FileNumber(digits: String(cString: text).utf8), number > 0
        else {
            return defaultLimit
        }
        return number.size
    }
}
