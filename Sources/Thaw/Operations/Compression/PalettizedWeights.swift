/// Weights as indices into palettes, output channels first, with a row per channel.
///
/// There is one palette for all rows, or for each group of neighboring rows. Rows of very different scale do not fit
/// into one palette; such rows are first divided by a scale, by which the network multiplies later.
struct PalettizedWeights: Sendable {
    let bits: Int
    /// The values of all palettes, in order.
    private(set) var entries: [Float] = []
    private(set) var groups: Int
    private(set) var indices: [UInt8] = []
    /// The divisor of each row, or nil.
    let scales: [Float]?
    /// The median over the rows of the squared error relative to the squared length.
    private(set) var medianError: Float = 0

    /// - Parameter scales: A divisor for each row.
    init(_ weights: Tensor, bits: Int, groups: Int = 1, scales: [Float]? = nil) {
        (self.bits, self.groups, self.scales) = (bits, groups, scales)
        guard weights.elementCount > 0 else { return }
        let length = weights.elementCount / weights.shape[0]
        var scaled = weights
        if let scales {
            scaled = Tensor(shape: weights.shape) { out in
                weights.withFloats { floats in
                    for index in out.indices { out[index] = floats[index] / scales[index / length] }
                }
            }
        }
        scaled.withFloats { encode($0, length) }
    }

    private mutating func encode(_ floats: UnsafeBufferPointer<Float>, _ length: Int) {
        let count = floats.count / groups
        var errors: [Float] = []
        indices.reserveCapacity(floats.count)
        for group in 0..<groups {
            let part = UnsafeBufferPointer(rebasing: floats[group * count..<(group + 1) * count])
            let palette = WeightPalette(part, bits: bits)
            var groupIndices = palette.nearestIndices(of: part)
            for start in stride(from: 0, to: count, by: length) {
                let row = UnsafeBufferPointer(rebasing: part[start..<start + length])
                groupIndices.withUnsafeMutableBufferPointer { groupIndices in
                    let indices = UnsafeMutableBufferPointer(rebasing: groupIndices[start..<start + length])
                    if let error = PalettizedWeights.error(row, indices, palette.entries) { errors.append(error) }
                    PalettizedWeights.balance(row, indices, palette.entries)
                }
            }
            entries += palette.entries
            indices += groupIndices
        }
        errors.sort()
        medianError = errors.isEmpty ? 0 : errors[errors.count / 2]
    }

    /// The squared error of a row relative to its squared length; nil for a row of zeros.
    private static func error(
        _ row: UnsafeBufferPointer<Float>, _ indices: UnsafeMutableBufferPointer<UInt8>, _ entries: [Float]
    ) -> Float? {
        var (error, length) = (Float(0), Float(0))
        for index in row.indices {
            let difference = entries[Int(indices[index])] - row[index]
            error += difference * difference
            length += row[index] * row[index]
        }
        return length > 0 ? error / length : nil
    }

    /// Rounds some weights of a row to the palette's second nearest value, so that the errors of the row nearly cancel
    /// out.
    ///
    /// A layer's inputs are seldom negative, since most activations return no negative values: then the errors of a row
    /// add up to a shift of the whole channel. For inputs whose mean is as large as their standard deviation, the
    /// expected error of an output is the sum of the squared errors plus the square of their sum. Each step reduces
    /// that.
    private static func balance(
        _ row: UnsafeBufferPointer<Float>, _ indices: UnsafeMutableBufferPointer<UInt8>, _ entries: [Float]
    ) {
        var sum = 0.0
        for index in row.indices { sum += Double(entries[Int(indices[index])] - row[index]) }
        let direction = sum > 0 ? -1 : 1
        var moves: [(index: Int, step: Double, cost: Double)] = []
        for index in row.indices {
            let entry = Int(indices[index])
            guard entries.indices.contains(entry + direction) else { continue }
            let step = Double(entries[entry + direction] - entries[entry])
            let error = Double(entries[entry] - row[index])
            let cost = step * (step + 2 * error)
            // Weights close to their palette value stay there, because moving other weights costs less.
            if step != 0, cost < step * step / 2 { moves.append((index, step, cost)) }
        }
        moves.sort { ($0.cost / abs($0.step), $0.index) < ($1.cost / abs($1.step), $1.index) }
        for move in moves {
            let next = sum + move.step
            guard move.cost < sum * sum - next * next else { continue }
            sum = next
            indices[move.index] = UInt8(Int(indices[move.index]) + direction)
        }
    }

    /// The scales that bring all rows to the magnitude of the largest, each rounded to its stored type.
    static func scales(of weights: Tensor, storedAs element: ElementType) -> [Float] {
        let rows = weights.shape[0]
        let length = weights.elementCount / max(1, rows)
        let magnitudes = weights.withFloats { floats in
            (0..<rows).map { row in floats[row * length..<(row + 1) * length].reduce(Float(0)) { max($0, abs($1)) } }
        }
        let largest = magnitudes.max() ?? 0
        return magnitudes.map { magnitude in
            guard magnitude > 0 else { return 1 }
            let scale = magnitude / largest
            // The smallest positive half-precision value: smaller rows hardly matter.
            return max(element == .float16 ? float(fromHalf: half(from: scale)) : scale, 0x1p-24)
        }
    }
}
