#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The accuracy of two models on the same photos.
public struct PairedComparison: Sendable {
    /// The number of photos that both models classify correctly.
    public private(set) var bothCorrect = 0
    /// The number of photos that only the first model classifies correctly.
    public private(set) var onlyFirstCorrect = 0
    /// The number of photos that only the second model classifies correctly.
    public private(set) var onlySecondCorrect = 0
    /// The number of photos that neither model classifies correctly.
    public private(set) var neitherCorrect = 0
    /// The indices of the photos that the two models classify differently.
    public private(set) var changed: [Int] = []

    /// Compares the results of two models.
    /// - Parameter sameClass: Whether a class of the first model and one of the second are the same, for `changed`.
    /// - Precondition: Both evaluations have the same photos in the same order.
    public init(_ first: Evaluation, _ second: Evaluation, sameClass: (Int32, Int32) -> Bool = { $0 == $1 }) {
        precondition(first.outcomes.count == second.outcomes.count)
        for (index, (a, b)) in zip(first.outcomes, second.outcomes).enumerated() {
            switch (a.isCorrect, b.isCorrect) {
            case (true, true): bothCorrect += 1
            case (true, false): onlyFirstCorrect += 1
            case (false, true): onlySecondCorrect += 1
            case (false, false): neitherCorrect += 1
            }
            if !sameClass(a.prediction, b.prediction) { changed.append(index) }
        }
    }

    init(onlyFirstCorrect: Int, onlySecondCorrect: Int) {
        (self.onlyFirstCorrect, self.onlySecondCorrect) = (onlyFirstCorrect, onlySecondCorrect)
    }

    /// How probable a split of the photos that only one of the models classifies correctly would be that is at least this
    /// uneven, if both models were equally accurate: McNemar's exact two-sided test. Source: Q. McNemar, "Note on the sampling
    /// error of the difference between correlated proportions or percentages", Psychometrika 12, 1947, with the binomial
    /// distribution instead of its approximation.
    public var pValue: Double {
        let count = Double(onlyFirstCorrect + onlySecondCorrect)
        // The logarithm of the binomial coefficient (count over k) divided by 2^count, starting with k = 0.
        var logarithm = -count * log(2)
        var tail = 0.0
        for k in 0...min(onlyFirstCorrect, onlySecondCorrect) {
            tail += exp(logarithm)
            logarithm += log((count - Double(k)) / Double(k + 1))
        }
        return min(1, 2 * tail)
    }
}
