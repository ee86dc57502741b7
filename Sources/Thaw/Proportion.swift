#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How many of some things are of a kind, and how sure one can be of the share.
public struct Proportion: Equatable, Sendable {
    public let part: Int
    public let count: Int

    public init(_ part: Int, of count: Int) { (self.part, self.count) = (part, count) }

    /// The share; not a number where there is nothing.
    public var value: Double { Double(part) / Double(count) }

    /// Where the share lies with 95 % confidence, if these are a fair sample; everywhere, where there is nothing.
    /// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    /// Statistical Association 22, 1927.
    public var interval: ClosedRange<Double> {
        guard count > 0 else { return 0...1 }
        let z = 1.959963984540054
        let (n, p) = (Double(count), value)
        let center = p + z * z / (2 * n)
        let spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 / (1 + z * z / n)
        return max(0, (center - spread) * scale)...min(1, (center + spread) * scale)
    }
}

/// Two models on the same photographs.
public struct PairedComparison: Sendable {
    /// Right by both, by the first only, by the second only, by neither.
    public private(set) var both = 0
    public private(set) var firstOnly = 0
    public private(set) var secondOnly = 0
    public private(set) var neither = 0
    /// The photographs of which the two say something else, by their places.
    public private(set) var changed: [Int] = []

    /// - Precondition: The same photographs in the same order.
    public init(_ first: Evaluation, _ second: Evaluation, sameClass: (Int32, Int32) -> Bool = { $0 == $1 }) {
        precondition(first.outcomes.count == second.outcomes.count)
        for (place, (a, b)) in zip(first.outcomes, second.outcomes).enumerated() {
            switch (a.isRight, b.isRight) {
            case (true, true): both += 1
            case (true, false): firstOnly += 1
            case (false, true): secondOnly += 1
            case (false, false): neither += 1
            }
            if !sameClass(a.prediction, b.prediction) { changed.append(place) }
        }
    }

    init(firstOnly: Int, secondOnly: Int) { (self.firstOnly, self.secondOnly) = (firstOnly, secondOnly) }

    /// How likely so uneven a split of the photographs that only one of the models gets right is by chance alone: the exact,
    /// two-sided test. Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or
    /// percentages", Psychometrika 12, 1947, with the binomial distribution in place of its approximation.
    public var probabilityOfChance: Double {
        let count = Double(firstOnly + secondOnly)
        // The logarithm of count over k, divided by 2 to the power of count; beginning with k = 0.
        var logarithm = -count * log(2)
        var tail = 0.0
        for k in 0...min(firstOnly, secondOnly) {
            tail += exp(logarithm)
            logarithm += log((count - Double(k)) / Double(k + 1))
        }
        return min(1, 2 * tail)
    }
}
