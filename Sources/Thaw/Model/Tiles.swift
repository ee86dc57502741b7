/// How an axis of a picture falls into overlapping stretches whose results fit together without a seam.
enum Tiles {
    /// A stretch that the network sees at once.
    struct Stretch: Equatable {
        /// Its first pixel in the picture that goes in.
        var start: Int
        /// Which pixels of its result are kept.
        var kept: Range<Int>
        /// Where these begin in the picture that comes out.
        var target: Int

        /// Where the next stretch takes over.
        var end: Int { target + kept.count }
    }

    /// How many pixels at a cut are made of what lies beyond it, up to a multiple of `unit`.
    static func margin(_ axis: Locality.Axis, _ unit: Int) -> Int {
        let reach = Int(max(-axis.first, axis.last, 0).rounded(.up))
        return (reach + unit - 1) / unit * unit
    }

    /// The stretches of `window` pixels that cover `length`.
    ///
    /// Neighbours overlap by two margins or more, and meet where both see all that they look at.
    /// - Parameters:
    ///   - output: How many pixels the network makes of a stretch.
    ///   - unit: What `length`, `window` and all starts are multiples of, so that strides fall on the same pixels in each.
    /// - Precondition: The window is longer than two margins.
    static func stretches(of length: Int, _ window: Int, _ output: Int, _ axis: Locality.Axis, unit: Int) -> [Stretch] {
        let margin = margin(axis, unit)
        let advance = window - 2 * margin
        precondition(advance >= unit)
        let count = (length - window + advance - 1) / advance + 1
        // The last one ends with the picture.
        let starts = (0..<count).map { min($0 * advance, length - window) }
        func place(_ pixel: Int) -> Int { pixel * axis.step.denominator / axis.step.numerator }
        return starts.indices.map { index in
            let origin = place(starts[index])
            let first = index == 0 ? 0 : place(starts[index] + margin)
            let end = index == count - 1 ? origin + output : place(starts[index + 1] + margin)
            return Stretch(start: starts[index], kept: first - origin..<end - origin, target: first)
        }
    }
}
