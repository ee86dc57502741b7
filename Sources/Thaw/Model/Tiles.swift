/// Splits an axis of an image into overlapping segments whose results fit together seamlessly.
enum Tiles {
    /// A segment that the network processes in one run.
    struct Segment: Equatable {
        /// Its first pixel in the input image.
        var start: Int
        /// The pixels of its result that are kept.
        var kept: Range<Int>
        /// The position of these pixels in the output image.
        var target: Int

        /// The position of the next segment in the output image.
        var end: Int { target + kept.count }
    }

    /// The number of pixels at a cut that depend on pixels beyond it, rounded up to a multiple of `unit`.
    static func margin(_ axis: Reach, _ unit: Int) -> Int {
        let reach = Int(max(-axis.first, axis.last, 0).rounded(.up))
        return reach.rounded(upToMultipleOf: unit)
    }

    /// The segments of `window` pixels that cover `length`.
    ///
    /// Neighbors overlap by at least two margins, and are joined where the receptive field is inside both.
    /// - Parameters:
    ///   - output: The number of output pixels of a segment.
    ///   - unit: `length`, `window` and all starts are multiples of it, so that strides hit the same pixels in each segment.
    /// - Precondition: The window is longer than two margins.
    static func segments(of length: Int, _ window: Int, _ output: Int, _ axis: Reach, unit: Int) -> [Segment] {
        let margin = margin(axis, unit)
        let advance = window - 2 * margin
        precondition(advance >= unit)
        let count = (length - window).dividedRoundingUp(by: advance) + 1
        // The last one ends with the image.
        let starts = (0..<count).map { min($0 * advance, length - window) }
        func outputPosition(_ pixel: Int) -> Int { pixel * axis.step.denominator / axis.step.numerator }
        return starts.indices.map { index in
            let origin = outputPosition(starts[index])
            let first = index == 0 ? 0 : outputPosition(starts[index] + margin)
            let end = index == count - 1 ? origin + output : outputPosition(starts[index + 1] + margin)
            return Segment(start: starts[index], kept: first - origin..<end - origin, target: first)
        }
    }
}
