/// Weights as 8-bit integers with affine quantization, w = scale · (q − zero), and separate parameters for each row
/// along the first axis.
///
/// A row's range contains its smallest and largest weight and 0, which is represented exactly.
struct LinearWeights: Sendable {
    var quantized: [UInt8]
    /// One value per row.
    var scales: [Float]
    var zeros: [UInt8]

    /// - Parameter element: The type in which scales are stored. Weights are rounded with the scales in that type.
    init(_ weights: Tensor, scalesIn element: ElementType = .float32) {
        let rows = weights.shape[0]
        let length = weights.elementCount / max(1, rows)
        quantized = []
        quantized.reserveCapacity(weights.elementCount)
        (scales, zeros) = ([], [])
        weights.withFloats { floats in
            for row in 0..<rows {
                let numbers = UnsafeBufferPointer(rebasing: floats[row * length..<(row + 1) * length])
                let (low, high) = (min(0, numbers.min() ?? 0), max(0, numbers.max() ?? 0))
                var scale = high > low ? (high - low) / 255 : 1
                // A scale that is rounded down would not reach the largest weight.
                if element == .float16 { scale = scale.roundedUpToHalf }
                // For the smallest weights of all it would be 0.
                scale = max(scale, .leastNormalMagnitude)
                let zero = (-low / scale).rounded()
                scales.append(scale)
                zeros.append(UInt8(zero))
                for number in numbers { quantized.append(UInt8(min(255, max(0, (number / scale).rounded() + zero)))) }
            }
        }
    }
}
