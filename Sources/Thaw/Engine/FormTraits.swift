import Kernels

/// The engine's knowledge about a form before it becomes steps: the layouts that it reads and writes, and what can be
/// fused with it. `FormRow.swift` has the table of all forms.
struct FormTraits {
    var reads = Reads.plain
    var writes = Writes.plain
    var memory = OutputMemory.own
    /// Whether the kernel can write a plain tensor although it prefers blocks.
    var canWritePlain = false
    /// The border of zeros that the form treats as part of its input, or adds to it.
    var border = Halo()
    /// The layout of a residual that can be added to the result before the activation.
    var residual: LayoutKind?
    /// Whether quantized values can be added to the result.
    var addsQuantized = false
    var activations = Activations.none
    /// How the node is fused with the one before it.
    var fusion = Fusion.none
    /// Set for a convolution that can be computed in the same step as a depthwise one that follows.
    var expansion: Expansion?
    /// Set if a pointwise convolution that follows can be computed in the same step, band by band.
    var bands: BandLimits?
    /// Whether it multiplies an image by one value for each channel. A pointwise convolution that follows can multiply
    /// its weights instead.
    var isGating = false
    /// Whether it counts toward the depth of the network, over which rounding errors add up.
    var isConvolution = false
    /// Whether it writes its inputs one after the other along the channels, so that they may be written to its memory
    /// directly.
    var joinsChannels = false
    /// Whether inputs and outputs may be quantized, all or some of them.
    var supportsQuantized = false
    /// Whether nodes of this form may have several outputs.
    var hasSeveralOutputs = false

    /// The layouts of the inputs.
    enum Reads {
        case plain, blocks
        /// Blocks with a border.
        case borderedBlocks(Halo)
        /// An image over which a window slides: rows if it has few channels, blocks otherwise.
        case slidingWindow(Window)
        /// The layout that the output has.
        case likeOutput
        /// The image at this index in blocks, the values for its channels plain.
        case imageAndChannels(image: Int)
    }

    /// The layout of the outputs.
    enum Writes {
        case plain, blocks
        /// Blocks if the output is an image and an input has blocks.
        case likeInputs
        /// The same, and if the condition is true for the shapes of the inputs and the width of a block.
        case likeInputsIf(([Shape], Int) -> Bool)

        static var likeInputsOfWholeBlocks: Writes {
            .likeInputsIf { inputs, blockWidth in inputs.allSatisfy { ($0.last ?? 0) % blockWidth == 0 } }
        }

        /// The lanes past the last channel hold zeros. The function must not turn them into values that corrupt a
        /// multiplication by zero.
        static func elementwise(isFiniteAtZero: Bool) -> Writes {
            isFiniteAtZero ? .likeInputs : .likeInputsOfWholeBlocks
        }
    }

    /// The memory of the output.
    enum OutputMemory {
        case own
        /// That of the input, whose elements have another shape.
        case input
        /// That of the input if it has blocks: its border becomes part of the image.
        case inputWithBorder
    }

    /// The activations that can be applied before the result is stored.
    enum Activations { case none, clamp, any }

    /// The limits within which it pays to compute a node and the pointwise convolution after it in bands.
    struct BandLimits {
        /// Smaller images stay in the cache anyway.
        var minimumImageBytes: Int
        /// Every band reads all weights.
        var maximumWeightBytes: Int
        var minimumBlocks = 0
    }

    /// What a node can be fused as, if nothing else reads the result of the node before it.
    enum Fusion {
        case none
        /// The node before it applies the function to its own result.
        case activation(UnaryFunction)
        /// The node before it adds the other input to its own result.
        case residual
        /// The same for quantized values.
        case quantizedResidual(QuantizedAddition)
        /// It computes the rows of a convolution before it just before it reads them.
        case depthwise
        /// It does the same with the node before it, or multiplies its own weights by the gates before it.
        case pointwise(filters: Tensor)
    }

    /// A convolution that usually has more outputs than inputs, before a depthwise one.
    struct Expansion {
        var isPointwise: Bool
        var weightCount: Int
    }
}
