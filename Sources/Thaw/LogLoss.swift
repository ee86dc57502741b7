#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The log loss: the negative logarithm of a probability. A probability of 0 would be infinitely bad, so the least that
/// counts is 1e-15.
enum LogLoss {
    static func of(_ probability: Float) -> Double {
        guard !probability.isNaN else { return .nan }
        return -log(min(max(Double(probability), 1e-15), 1))
    }
}
