/// The phases of a transposed convolution. Output pixels whose positions have the same remainder modulo the stride
/// use the same filter taps. Each phase is a convolution of the input. Together they are a single convolution with a
/// multiple of the output channels, followed by interleaving the pixels.
struct Phases: Hashable, Sendable {
    /// The phases along one axis.
    struct Axis: Hashable, Sendable {
        var stride: Int
        /// The distance from the first pixel of the first phase to the first pixel of the result.
        var offset: Int
        var size: Int

        /// The output pixels that belong to a phase.
        func pixels(of phase: Int) -> StrideTo<Int> {
            Swift.stride(from: (phase - offset % stride + stride) % stride, to: size, by: stride)
        }
    }

    var rows: Axis
    var columns: Axis
    var count: Int { rows.stride * columns.stride }
}
