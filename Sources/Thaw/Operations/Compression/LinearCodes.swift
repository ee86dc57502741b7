/// Weights as 8-bit codes on a line: w = scale · (code − zero), the rows along the first axis each with a line of their own.
///
/// A row's codes reach from its smallest to its largest number, 0 being among them, and 0 has a code of its own.
struct LinearCodes: Sendable {
    var codes: [UInt8]
    /// One number a row.
    var scales: [Float]
    var zeros: [UInt8]

    init(_ weights: Tensor) {
        let rows = weights.shape[0]
        let length = weights.elementCount / max(1, rows)
        codes = []
        codes.reserveCapacity(weights.elementCount)
        (scales, zeros) = ([], [])
        weights.withFloats { floats in
            for row in 0..<rows {
                let numbers = UnsafeBufferPointer(rebasing: floats[row * length..<(row + 1) * length])
                let (low, high) = (min(0, numbers.min() ?? 0), max(0, numbers.max() ?? 0))
                let scale = high > low ? (high - low) / 255 : 1
                let zero = (-low / scale).rounded()
                scales.append(scale)
                zeros.append(UInt8(zero))
                for number in numbers { codes.append(UInt8(min(255, max(0, (number / scale).rounded() + zero)))) }
            }
        }
    }
}
