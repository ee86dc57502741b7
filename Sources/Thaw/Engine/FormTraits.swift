import Kernels

/// What the engine needs to know about a form: the layouts that it reads and writes, what can be fused with it, and how
/// it becomes steps. The table below has one row for each form. Nothing else distinguishes all forms, so a new one needs
/// a row here and its steps.
struct FormTraits {
    var reads = Reads.plain
    var writes = Writes.plain
    var memory = OutputMemory.own
    /// Whether the kernel can write a plain tensor although it prefers blocks.
    var canWritePlain = false
    /// The border of zeros that the form treats as part of its input, or adds to it.
    var border = Halo()
    /// Whether a residual can be added to the result before the activation.
    var addsResidual = false
    var activations = Activations.none
    /// Set if a pointwise convolution that follows can be computed in the same step, band by band.
    var bands: BandLimits?
    /// Whether it multiplies an image by one value for each channel. A pointwise convolution that follows can multiply
    /// its weights instead.
    var isGating = false
    /// Adds the steps for a node of this form.
    var addSteps: (inout Compiler, PlannedNode) -> Void

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

        /// The lanes past the last channel hold zeros. What a function makes of them must not corrupt what multiplies
        /// them by zero.
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

    /// The limits within which it pays to compute a node and the pointwise convolution that follows in bands.
    struct BandLimits {
        /// Smaller images stay in the cache anyway.
        var leastImageBytes: Int
        /// Every band reads all weights.
        var mostWeightBytes: Int
        var leastBlocks = 0
    }
}

extension FormTraits {
    /// An operation that has no kernel.
    static var reference: FormTraits { FormTraits { $0.addReference($1) } }

    init(_ form: EngineForm) {
        switch form {
        case .convolution(let filters, let bias, let window):
            self.init(
                reads: .slidingWindow(window), writes: .blocks, canWritePlain: true, border: Halo(window),
                addsResidual: true, activations: .any
            ) { $0.addConvolution($1, filters: filters, bias: bias, window: window) }
        case .depthwise(_, _, let window):
            // Fused only if the image is too large for a core's cache and the weights are not.
            self.init(
                reads: .borderedBlocks(Halo(window)), writes: .blocks, border: Halo(window), activations: .any,
                bands: BandLimits(leastImageBytes: 1 << 20, mostWeightBytes: 256 << 10)
            ) { $0.addDepthwise($1) }
        case .dense(let matrix, let bias):
            self.init(activations: .any) { $0.addDense($1, matrix: matrix, bias: bias) }
        case .pooling(let kind, let window, let countsPadding):
            self.init(reads: .blocks, writes: .blocks, border: Halo(window)) {
                $0.addPooling($1, kind, window: window, countsPadding: countsPadding)
            }
        case .pixelSum(let factor): self.init(reads: .blocks) { $0.addPixelSum($1, factor: factor) }
        case .unary(let function):
            self.init(reads: .likeOutput, writes: .elementwise(isFiniteAtZero: function.isFiniteAtZero)) {
                $0.addUnary($1, function)
            }
        case .binary(let function):
            self.init(reads: .likeOutput, writes: .elementwise(isFiniteAtZero: function.isFiniteAtZero)) {
                $0.addBinary($1, function)
            }
        case .binaryChannels(let function, let image):
            self.init(
                reads: .imageAndChannels(image: image), writes: .blocks, isGating: function == .multiply
            ) { $0.addBinaryChannels($1, function, image: image) }
        case .binaryConstant(let function, let operand, let constantFirst):
            self.init(reads: .likeOutput, writes: .elementwise(isFiniteAtZero: function.isFiniteAtZero)) {
                $0.addBinary($1, function, operand: operand, constantFirst: constantFirst)
            }
        case .scale(let factor, let offset):
            // It costs little besides its memory traffic.
            self.init(
                reads: .likeOutput, writes: .likeInputs, activations: .clamp,
                bands: BandLimits(leastImageBytes: 256 << 10, mostWeightBytes: 512 << 10, leastBlocks: 1)
            ) { $0.addScale($1, factor: factor, offset: offset) }
        case .broadcast(let function):
            self.init(isGating: function == .multiply) { $0.addBroadcast($1, function) }
        case .broadcastConstant(let function, let operand, let constantFirst):
            self.init { $0.addBroadcast($1, function, operand: operand, constantFirst: constantFirst) }
        case .softmax(let axis, let isLogarithmic):
            self.init { $0.addSoftmax($1, axis: axis, isLogarithmic: isLogarithmic) }
        case .normalization(let axes, let epsilon, let scale, let offset):
            self.init { $0.addNormalization($1, axes: axes, epsilon: epsilon, scale: scale, offset: offset) }
        case .imageNormalization(let acrossChannels, let epsilon, let scale, let offset):
            self.init(reads: .blocks, writes: .blocks) {
                $0.addImageNormalization(
                    $1, acrossChannels: acrossChannels, epsilon: epsilon, scale: scale, offset: offset)
            }
        case .lengthNormalization(let axes, let epsilon):
            self.init { $0.addLengthNormalization($1, axes: axes, epsilon: epsilon) }
        case .reduction(let kind, let axes, let factor):
            self.init { $0.addReduction($1, kind, axes: axes, factor: factor) }
        case .matrixProduct(let transposeFirst, let transposeSecond):
            self.init { $0.addMatrixProduct($1, transposeFirst: transposeFirst, transposeSecond: transposeSecond) }
        case .dataMovement(let movement):
            self.init(
                reads: .likeOutput,
                writes: .likeInputsIf { inputs, blockWidth in movement.keepsBlocks(of: inputs[0], width: blockWidth) }
            ) { $0.addDataMovement($1, movement) }
        case .reshape: self.init(memory: .input) { $0.addReference($1) }
        case .border(let height, let width):
            let border = Halo(top: height.before, bottom: height.after, left: width.before, right: width.after)
            self.init(reads: .likeOutput, writes: .likeInputs, memory: .inputWithBorder, border: border) {
                $0.addBorder($1, border)
            }
        case .concatenation(let axis):
            self.init(reads: .likeOutput, writes: axis == 3 ? .likeInputsOfWholeBlocks : .plain) {
                $0.addConcatenation($1, axis: axis)
            }
        case .resize(let rows, let columns):
            self.init(reads: .blocks, writes: .blocks) { $0.addResize($1, rows: rows, columns: columns) }
        case .localNormalization(let radius, let bias, let alpha, let power):
            self.init { $0.addLocalNormalization($1, radius: radius, bias: bias, alpha: alpha, power: power) }
        case .interleaving(let phases):
            self.init(reads: .blocks, writes: .blocks) { $0.addInterleaving($1, phases) }
        }
    }
}

extension UnaryFunction {
    /// Whether the function of 0 is a number.
    var isFiniteAtZero: Bool { kind != .reciprocalSquareRoot && kind != .reciprocal && kind != .log }
}

extension BinaryFunction {
    /// Not 0 / 0, and not powers of 0.
    fileprivate var isFiniteAtZero: Bool { self != .divide && self != .power }
}
