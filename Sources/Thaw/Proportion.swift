/// A part of a count, and the confidence interval of its share.
public struct Proportion: Equatable, Sendable {
    /// The number of items that count.
    public let part: Int
    /// The total number of items.
    public let count: Int

    /// The proportion `part` / `count`.
    public init(_ part: Int, of count: Int) { (self.part, self.count) = (part, count) }

    /// The share; NaN if the count is 0.
    public var value: Double { Double(part) / Double(count) }

    /// The 95% confidence interval of the share, if the sample is fair; 0 to 1 if the count is 0.
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
