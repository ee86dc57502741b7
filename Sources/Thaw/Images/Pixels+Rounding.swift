extension Pixels {
    /// Rounds a network's output to 8-bit pixels: red, green, blue, or gray. NaN becomes black.
    /// - Parameters:
    ///   - color: The order of the channels in `values`.
    ///   - target: Memory for the same number of pixels.
    static func round(
        _ values: UnsafeBufferPointer<Float>, _ color: ColorLayout, to target: UnsafeMutablePointer<UInt8>
    ) {
        for i in values.indices {
            let value = values[color == .bgr ? i - i % 3 + 2 - i % 3 : i]
            let clamped = value > 0 ? min(value, 255) : 0
            target[i] = UInt8(clamped + 0.5)
        }
    }
}
