#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The log loss: the negative logarithm of a probability. It would be infinite for a probability of 0, so probabilities
/// below 1e-15 count as 1e-15.
enum LogLoss {
    static func of(_ probability: Float) -> Double {
        guard !probability.isNaN else { return .nan }
        return -log(min(max(Double(probability), 1e-15), 1))
    }
}
