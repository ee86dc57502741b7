/// Weights as 8-bit codes on a line: w = scale · (code − zero), the rows along the first axis each with a line of their own.
///
/// A row's codes reach from its smallest to its largest number, 0 being among them, and 0 has a code of its own.
struct LinearCodes: Sendable {
    var codes: [UInt8]
    /// One number a row.
    var scales: [Float]
    var zeros: [UInt8]

    /// - Parameter element: What the scales are stored in. The codes go by the scales as they are then.
    init(_ weights: Tensor, scalesIn element: ElementType = .float32) {
        let rows = weights.shape[0]
        let length = weights.elementCount / max(1, rows)
        codes = []
        codes.reserveCapacity(weights.elementCount)
        (scales, zeros) = ([], [])
        weights.withFloats { floats in
            for row in 0..<rows {
                let numbers = UnsafeBufferPointer(rebasing: floats[row * length..<(row + 1) * length])
                let (low, high) = (min(0, numbers.min() ?? 0), max(0, numbers.max() ?? 0))
                var scale = high > low ? (high - low) / 255 : 1
                if element == .float16 {
                    // One that is rounded down would not reach to the largest number.
                    let bits = half(from: scale)
                    scale = float(fromHalf: float(fromHalf: bits) < scale ? bits + 1 : bits)
                }
                // The smallest numbers of all would make it 0.
                scale = max(scale, .leastNormalMagnitude)
                let zero = (-low / scale).rounded()
                scales.append(scale)
                zeros.append(UInt8(zero))
                for number in numbers { codes.append(UInt8(min(255, max(0, (number / scale).rounded() + zero)))) }
            }
        }
    }
}
