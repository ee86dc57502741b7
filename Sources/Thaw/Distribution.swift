/// The distribution of a value's elements over all images.
struct Distribution: Sendable {
    let low: Float
    let high: Float
    /// How many elements there are from `low` to `high`, in bins of equal width.
    private(set) var counts: [Int]

    static let binCount = 2048

    init(_ low: Float, _ high: Float) {
        (self.low, self.high) = (low, high)
        counts = Array(repeating: 0, count: Distribution.binCount)
    }

    /// The width of a bin.
    var width: Float { (high - low) / Float(Distribution.binCount) }

    /// The middle of a bin.
    func middle(_ bin: Int) -> Double { Double(low) + (Double(bin) + 0.5) * Double(width) }

    mutating func add(_ values: UnsafeBufferPointer<Float>) {
        // The factor of a range near 0 would be infinite, and infinity · 0 is NaN.
        let scale = high > low ? min(Float(Distribution.binCount) / (high - low), .greatestFiniteMagnitude) : 0
        let top = Float(Distribution.binCount - 1)
        counts.withUnsafeMutableBufferPointer { counts in
            for value in values { counts[Int(min(max((value - low) * scale, 0), top))] += 1 }
        }
    }

    mutating func add(_ other: Distribution) {
        for bin in counts.indices { counts[bin] += other.counts[bin] }
    }
}
