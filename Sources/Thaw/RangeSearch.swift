#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The method that chooses the range of a tensor from its values on images. Values outside are clamped.
public enum RangeStatistic: String, Sendable, CaseIterable {
    /// All values.
    case extremes
    /// All but 0.01 % of the values at each end.
    case percentile
    /// The range whose rounded values have a distribution with the least Kullback-Leibler divergence from the original.
    case entropy
    /// The range with the least mean squared error of the rounded values.
    case error
}

extension Distribution {
    /// The range of the quantized values.
    func range(_ statistic: RangeStatistic) -> (low: Float, high: Float) {
        // The bins of a range near 0 have no width, or an inexact one.
        guard high > low, width >= .leastNormalMagnitude else { return (low, high) }
        switch statistic {
        case .extremes: return (low, high)
        case .percentile: return trimmed(1e-4)
        case .entropy: return best { divergence($0, $1) }
        case .error:
            let sums = PartialSums(self)
            return best { sums.error($0, $1) }
        }
    }

    /// The range without this share of the values at each end.
    private func trimmed(_ share: Double) -> (low: Float, high: Float) {
        let limit = share * Double(counts.reduce(0, +))
        func bins(_ order: some Sequence<Int>) -> Int {
            var sum = 0.0
            for (index, bin) in order.enumerated() {
                sum += Double(counts[bin])
                if sum > limit { return index }
            }
            return 0
        }
        return (
            low + Float(bins(counts.indices)) * width, high - Float(bins(counts.indices.reversed())) * width
        )
    }

    /// The range with the least cost, among those that leave out parts of either end.
    /// - Parameter cost: The cost of the bins from the first index to before the second.
    private func best(_ cost: (Int, Int) -> Double) -> (low: Float, high: Float) {
        let bins = counts.count
        // A quantized range always contains 0.
        let zero = max(0, min(bins, Int((-low / width).rounded(.up))))
        let step = 16
        var best = (cost: Double.infinity, first: 0, last: bins)
        for last in stride(from: bins, to: max(zero, bins / 8), by: -step) {
            for first in stride(from: 0, through: low < 0 ? min(zero, last - step) : 0, by: step) {
                let cost = cost(first, last)
                if cost < best.cost { best = (cost, first, last) }
            }
        }
        return (low + Float(best.first) * width, low + Float(best.last) * width)
    }

    /// The divergence of the distribution when values are clamped to some bins and rounded to 256 levels.
    private func divergence(_ first: Int, _ last: Int) -> Double {
        let count = last - first
        var clamped = counts[first..<last].map(Double.init)
        clamped[0] += Double(counts[..<first].reduce(0, +))
        clamped[count - 1] += Double(counts[last...].reduce(0, +))
        let total = clamped.reduce(0, +)
        var result = 0.0
        for level in 0..<256 {
            let bins = (level * count / 256)..<((level + 1) * count / 256)
            // The values rounded to a level are spread evenly over its non-empty bins.
            let sum = bins.reduce(0.0) { $0 + Double(counts[first + $1]) }
            let filled = bins.count { counts[first + $0] > 0 }
            for bin in bins where clamped[bin] > 0 {
                let rounded = counts[first + bin] > 0 ? sum / Double(filled) : 1e-4
                result += clamped[bin] / total * log(clamped[bin] / rounded)
            }
        }
        return result
    }
}

/// Prefix sums over bins, from which the error of any range follows immediately.
private struct PartialSums {
    private var counts = [0.0]
    private var sums = [0.0]
    private var squares = [0.0]
    private let distribution: Distribution

    init(_ distribution: Distribution) {
        self.distribution = distribution
        for (bin, count) in distribution.counts.enumerated() {
            let (count, value) = (Double(count), distribution.middle(bin))
            counts.append(counts[bin] + count)
            sums.append(sums[bin] + count * value)
            squares.append(squares[bin] + count * value * value)
        }
    }

    /// The sum of squared errors if the values are clamped to some bins and rounded to 255 steps.
    func error(_ first: Int, _ last: Int) -> Double {
        let (low, width) = (Double(distribution.low), Double(distribution.width))
        let (start, end) = (low + Double(first) * width, low + Double(last) * width)
        let step = (max(0, end) - min(0, start)) / 255
        func clamped(_ bins: Range<Int>, to edge: Double) -> Double {
            squares[bins.upperBound] - squares[bins.lowerBound]
                - 2 * edge * (sums[bins.upperBound] - sums[bins.lowerBound])
                + edge * edge * (counts[bins.upperBound] - counts[bins.lowerBound])
        }
        return (counts[last] - counts[first]) * step * step / 12 + clamped(0..<first, to: min(0, start))
            + clamped(last..<distribution.counts.count, to: max(0, end))
    }
}
