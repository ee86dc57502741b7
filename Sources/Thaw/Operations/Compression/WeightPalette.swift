#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Values as indices into a small table, chosen to minimize the squared differences: k-means in one dimension.
///
/// Deterministic: the first table is as dense as the cube root of the weights' own density (Panter and Dite,
/// Quantization Distortion in Pulse-Count Modulation, 1951), and each step moves every entry to the mean of the values
/// nearest to it (Lloyd, Least Squares Quantization in PCM, 1982).
struct WeightPalette: Sendable {
    /// In ascending order. It has an entry for each index; the last ones are repeated if there are fewer different
    /// weights.
    var entries: [Float]

    private static let steps = 40
    /// If there are more different values, they are counted by their nearest half-precision values.
    private static let maximumExactCount = 1 << 16

    init(_ weights: UnsafeBufferPointer<Float>, bits: Int) {
        let count = 1 << bits
        let sorted = WeightPalette.counted(weights)
        let values = sorted.map(\.value)
        guard values.count > count else {
            entries = values + Array(repeating: values.last ?? 0, count: count - values.count)
            return
        }
        // Prefix sums give the mean of any run immediately.
        var sums = [0.0]
        var weightsBefore = [0.0]
        for (value, weight) in sorted {
            sums.append(sums.last! + Double(value) * weight)
            weightsBefore.append(weightsBefore.last! + weight)
        }
        var centers = WeightPalette.spread(values, count)
        for _ in 0..<WeightPalette.steps {
            let ends = (1..<count).map { WeightPalette.lowerBound(of: (centers[$0 - 1] + centers[$0]) / 2, in: values) }
            let edges = [0] + ends + [values.count]
            let moved = (0..<count).map { i -> Float in
                let weight = weightsBefore[edges[i + 1]] - weightsBefore[edges[i]]
                return weight > 0 ? Float((sums[edges[i + 1]] - sums[edges[i]]) / weight) : centers[i]
            }
            if moved == centers { break }
            centers = moved.sorted()
        }
        entries = centers
    }

    /// The number of equal groups of output channels with a palette each that is best for weights of this shape. From
    /// iOS 18 on each channel may have its own palette, but the palettes must take no more than a quarter of the space
    /// of the indices.
    static func groups(of shape: Shape, bits: Int) -> Int {
        let indexBytes = shape.elementCount * bits / 8
        let paletteBytes = MemoryLayout<UInt16>.size << bits
        return (1...max(1, shape[0])).last { shape[0] % $0 == 0 && 4 * $0 * paletteBytes <= indexBytes } ?? 1
    }

    /// A number of entries from the ascending `values`, whose density follows the cube root of the density of the
    /// values.
    private static func spread(_ values: [Float], _ count: Int) -> [Float] {
        // There are equally many values between two edges: the cube root of the density grows as the width to the power
        // 2/3.
        let parts = min(values.count - 1, 4 * count)
        let edges = (0...parts).map { Double(values[$0 * (values.count - 1) / parts]) }
        var sums = [0.0]
        for (low, high) in zip(edges, edges.dropFirst()) { sums.append(sums.last! + cbrt((high - low) * (high - low))) }
        var part = 0
        return (0..<count).map { index in
            let sum = (Double(index) + 0.5) / Double(count) * sums.last!
            while part < parts - 1, sums[part + 1] < sum { part += 1 }
            let share = (sum - sums[part]) / (sums[part + 1] - sums[part])
            return Float(edges[part] + share * (edges[part + 1] - edges[part]))
        }
    }

    /// The distinct values and their counts, in ascending order.
    private static func counted(_ weights: UnsafeBufferPointer<Float>) -> [(value: Float, weight: Double)] {
        guard weights.count > maximumExactCount else {
            var result: [(value: Float, weight: Double)] = []
            for value in weights.sorted() {
                if result.last?.value == value {
                    result[result.count - 1].weight += 1
                } else {
                    result.append((value, 1))
                }
            }
            return result
        }
        var counts = [Double](repeating: 0, count: 1 << 16)
        var sums = counts
        for value in weights {
            let bin = Int(half(from: value))
            counts[bin] += 1
            sums[bin] += Double(value)
        }
        return counts.indices.filter { counts[$0] > 0 }.map { (Float(sums[$0] / counts[$0]), counts[$0]) }
            .sorted(on: \.value)
    }

    /// The number of ascending `values` that are less than `number`.
    private static func lowerBound(of number: Float, in values: [Float]) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of the nearest entry for each weight.
    func nearestIndices(of weights: UnsafeBufferPointer<Float>) -> [UInt8] {
        let bounds = zip(entries, entries.dropFirst()).map { ($0 + $1) / 2 }
        return weights.map { UInt8(WeightPalette.lowerBound(of: $0, in: bounds)) }
    }
}

/// The order of values of less than 8 bits in a byte.
enum BitOrder: Sendable {
    /// ML Programs begin with the lowest bits of a byte, neural networks with the highest.
    case lowestFirst, highestFirst
}

/// Packs the numbers, with the given number of bits each, without gaps.
func packed(_ numbers: [UInt8], bits: Int, _ order: BitOrder) -> [UInt8] {
    if bits == 8 { return numbers }
    var bytes = [UInt8](repeating: 0, count: (numbers.count * bits).dividedRoundingUp(by: 8))
    for (index, number) in numbers.enumerated() {
        for bit in 0..<bits {
            let isSet = number >> (order == .lowestFirst ? bit : bits - 1 - bit) & 1
            let position = index * bits + bit
            bytes[position / 8] |= isSet << (order == .lowestFirst ? position % 8 : 7 - position % 8)
        }
    }
    return bytes
}

/// Unpacks the first `count` numbers, with the given number of bits each, from `bytes`.
/// - Precondition: `bytes` contains that many.
func unpacked(_ bytes: UnsafeRawBufferPointer, count: Int, bits: Int, _ order: BitOrder) -> [UInt8] {
    if bits == 8 { return Array(bytes.prefix(count)) }
    return (0..<count).map { index in
        var number: UInt8 = 0
        for bit in 0..<bits {
            let position = index * bits + bit
            let isSet = bytes[position / 8] >> (order == .lowestFirst ? position % 8 : 7 - position % 8) & 1
            number |= isSet << (order == .lowestFirst ? bit : bits - 1 - bit)
        }
        return number
    }
}
