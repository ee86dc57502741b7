/// The result of a transposed convolution, phase by phase: pixels whose places leave the same remainder by the stride come from
/// the same taps of the filters. Each phase is a convolution of the image, all of them are one with as many times more
/// results, and what is left is to put each pixel in its place.
struct Phases: Hashable, Sendable {
    /// The phases along one axis.
    struct Axis: Hashable, Sendable {
        var stride: Int
        /// Where the first pixel of the result lies behind the first of the first phase.
        var offset: Int
        var size: Int

        /// The pixels of the result that belong to a phase.
        func pixels(of phase: Int) -> StrideTo<Int> {
            Swift.stride(from: (phase - offset % stride + stride) % stride, to: size, by: stride)
        }
    }

    var rows: Axis
    var columns: Axis
    var count: Int { rows.stride * columns.stride }
}
