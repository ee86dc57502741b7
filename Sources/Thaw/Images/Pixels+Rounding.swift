extension Pixels {
    /// Rounds a network's output to pixels of 8 bits: red, green, blue, or gray. NaN becomes black.
    /// - Parameters:
    ///   - color: The order of the channels in `values`.
    ///   - target: Room for as many pixels.
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
