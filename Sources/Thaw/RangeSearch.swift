#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The method that chooses the range of a tensor from its values on images. Values outside are clamped.
public enum RangeStatistic: String, Sendable, CaseIterable {
    /// All values.
    case extremes
    /// All but 0.01% of the values at each end.
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
        case .entropy:
            // The two ends are searched one after the other: computing the divergence of all pairs would take seconds.
            let last = best(firsts: [0], lasts: lasts) { divergence($0, $1) }.last
            return values(best(firsts: firsts, lasts: [last]) { divergence($0, $1) })
        case .error:
            let sums = PrefixSums(self)
            return values(best(firsts: firsts, lasts: lasts) { sums.error($0, $1) })
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

    /// The bins where a range may begin, and those before which it may end. A quantized range always contains 0.
    private var firsts: [Int] { low < 0 ? Array(stride(from: 0, through: zeroBin, by: Self.step)) : [0] }
    private var lasts: [Int] { Array(stride(from: counts.count, to: max(zeroBin, counts.count / 8), by: -Self.step)) }
    private var zeroBin: Int { max(0, min(counts.count, Int((-low / width).rounded(.up)))) }
    private static let step = 16

    /// The pair of bins with the least cost: the first of a range, and the one after its last.
    private func best(firsts: [Int], lasts: [Int], cost: (Int, Int) -> Double) -> (first: Int, last: Int) {
        var best = (cost: Double.infinity, first: 0, last: counts.count)
        for last in lasts {
            for first in firsts where first <= last - Self.step {
                let cost = cost(first, last)
                if cost < best.cost { best = (cost, first, last) }
            }
        }
        return (best.first, best.last)
    }

    private func values(_ bins: (first: Int, last: Int)) -> (low: Float, high: Float) {
        (low + Float(bins.first) * width, low + Float(bins.last) * width)
    }

    /// The divergence of the distribution when values are clamped to some bins and rounded to 256 levels.
    ///
    /// The bin of 0 is left out: it holds all the zeros that follow a ReLU, and 0 is always exact.
    private func divergence(_ first: Int, _ last: Int) -> Double {
        let count = last - first
        var inside = counts[first..<last].map(Double.init)
        let zero = min(Int(-low / width), counts.count - 1) - first
        if inside.indices.contains(zero) { inside[zero] = 0 }
        var clamped = inside
        clamped[0] += Double(counts[..<first].reduce(0, +))
        clamped[count - 1] += Double(counts[last...].reduce(0, +))
        let total = clamped.reduce(0, +)
        var result = 0.0
        for level in 0..<256 {
            let bins = (level * count / 256)..<((level + 1) * count / 256)
            // The values rounded to a level are spread evenly over its non-empty bins.
            let sum = inside[bins].reduce(0, +)
            let filled = inside[bins].count { $0 > 0 }
            for bin in bins where clamped[bin] > 0 {
                let rounded = inside[bin] > 0 ? sum / Double(filled) : 1e-4
                result += clamped[bin] / total * log(clamped[bin] / rounded)
            }
        }
        return result
    }
}

/// Prefix sums over bins, from which the error of any range follows immediately.
private struct PrefixSums {
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
