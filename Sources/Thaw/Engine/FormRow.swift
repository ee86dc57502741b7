import Kernels

/// The engine's knowledge about a form: its traits, and the steps for it. The tables below have one row per form. A new
/// form needs only a row here and its steps. Single forms are named in two more places: `Graph.engineForm` replaces
/// those that the kernels support only in part, and the steps of two fused nodes know the forms of both.
struct FormRow {
    var traits: FormTraits
    /// Adds the steps for a node of this form.
    var addSteps: (inout Compiler, PlannedNode) -> Void

    private init(_ traits: FormTraits = FormTraits(), addSteps: @escaping (inout Compiler, PlannedNode) -> Void) {
        (self.traits, self.addSteps) = (traits, addSteps)
    }

    /// - Parameter form: Nil for an operation without a kernel.
    init(_ form: EngineForm?) {
        switch form {
        case nil: self.init { $0.addReference($1) }
        case .convolution(let filters, let bias, let window):
            self = .convolution(filters: filters, bias: bias, window: window)
        case .sections(let filters, let bias, let window, let sections):
            self = .sections(filters: filters, bias: bias, window: window, sections)
        case .depthwise(_, _, let window): self = .depthwise(window: window)
        case .depthwisePhases(_, _, let window):
            let traits = FormTraits(
                reads: .borderedBlocks(Halo(window)), writes: .blocks, border: Halo(window), activations: .any)
            self.init(traits) { $0.addDepthwise($1) }
        case .dense(let matrix, let bias):
            self.init(FormTraits(residual: .plain, activations: .any)) { $0.addDense($1, matrix: matrix, bias: bias) }
        case .pooling(let kind, let window, let countsPadding):
            self.init(FormTraits(reads: .blocks, writes: .blocks, border: Halo(window))) {
                $0.addPooling($1, kind, window: window, countsPadding: countsPadding)
            }
        case .pixelSum(let factor): self.init(FormTraits(reads: .blocks)) { $0.addPixelSum($1, factor: factor) }
        case .unary(let function): self = .unary(function)
        case .binary(let function): self = .binary(function)
        case .binaryChannels(let function, let image): self = .binaryChannels(function, image: image)
        case .binaryConstant(let function, let operand, let constantFirst):
            self.init(FormTraits(reads: .likeOutput, writes: .elementwise(isFiniteAtZero: function.isFiniteAtZero))) {
                $0.addBinary($1, function, operand: operand, constantFirst: constantFirst)
            }
        case .scale(let factor, let offset): self = .scale(factor: factor, offset: offset)
        case .broadcast(let function):
            self.init(FormTraits(isGating: function == .multiply)) { $0.addBroadcast($1, function) }
        case .broadcastConstant(let function, let operand, let constantFirst):
            self.init { $0.addBroadcast($1, function, operand: operand, constantFirst: constantFirst) }
        case .softmax(let axis, let isLogarithmic):
            self.init { $0.addSoftmax($1, axis: axis, isLogarithmic: isLogarithmic) }
        case .normalization(let axes, let epsilon, let scale, let offset):
            self.init { $0.addNormalization($1, axes: axes, epsilon: epsilon, scale: scale, offset: offset) }
        case .imageNormalization(let acrossChannels, let epsilon, let scale, let offset):
            self.init(FormTraits(reads: .blocks, writes: .blocks)) {
                $0.addImageNormalization(
                    $1, acrossChannels: acrossChannels, epsilon: epsilon, scale: scale, offset: offset)
            }
        case .l2Normalization(let axes, let epsilon):
            self.init { $0.addL2Normalization($1, axes: axes, epsilon: epsilon) }
        case .reduction(let kind, let axes, let factor):
            self.init { $0.addReduction($1, kind, axes: axes, factor: factor) }
        case .matrixProduct(let transposeFirst, let transposeSecond):
            self.init { $0.addMatrixProduct($1, transposeFirst: transposeFirst, transposeSecond: transposeSecond) }
        case .attention(let factor, let mask): self.init { $0.addAttention($1, factor: factor, mask: mask) }
        case .dataMovement(let movement): self = .dataMovement(movement)
        case .reshape: self = .reshape
        case .border(let height, let width): self = .border(height: height, width: width)
        case .concatenation(let axis): self = .concatenation(axis: axis)
        case .resize(let rows, let columns):
            self.init(FormTraits(reads: .blocks, writes: .blocks)) { $0.addResize($1, rows: rows, columns: columns) }
        case .localNormalization(let radius, let bias, let alpha, let power):
            self.init { $0.addLocalNormalization($1, radius: radius, bias: bias, alpha: alpha, power: power) }
        case .integer(let form): self.init(form)
        case .interleaving(let phases):
            self.init(FormTraits(reads: .blocks, writes: .blocks)) { $0.addInterleaving($1, phases) }
        }
    }
}

// MARK: Rows with several traits

extension FormRow {
    private static func convolution(filters: Tensor, bias: Tensor?, window: Window) -> FormRow {
        let traits = FormTraits(
            reads: .slidingWindow(window), writes: .blocks, canWritePlain: true, border: Halo(window),
            residual: .blocked, activations: .any,
            fusion: window.isPointwise ? .pointwise(filters: filters) : .none,
            expansion: FormTraits.Expansion(isPointwise: window.isPointwise, weightCount: filters.elementCount),
            isConvolution: true)
        return FormRow(traits) { $0.addConvolution($1, filters: filters, bias: bias, window: window) }
    }

    private static func sections(filters: Tensor, bias: Tensor?, window: Window, _ sections: ChannelSections) -> FormRow
    {
        let traits = FormTraits(
            reads: .borderedBlocks(Halo(window)), writes: .blocks, border: Halo(window), residual: .blocked,
            activations: .any, isConvolution: true)
        return FormRow(traits) { $0.addSections($1, filters: filters, bias: bias, window: window, sections) }
    }

    private static func depthwise(window: Window) -> FormRow {
        // Fused only if the image is too large for a core's cache and the weights are not.
        let bands = FormTraits.BandLimits(minimumImageBytes: 1 << 20, maximumWeightBytes: 256 << 10)
        let traits = FormTraits(
            reads: .borderedBlocks(Halo(window)), writes: .blocks, border: Halo(window), activations: .any,
            fusion: .depthwise, bands: bands)
        return FormRow(traits) { $0.addDepthwise($1) }
    }

    private static func unary(_ function: UnaryFunction) -> FormRow {
        let traits = FormTraits(
            reads: .likeOutput, writes: .elementwise(isFiniteAtZero: function.isFiniteAtZero),
            fusion: .activation(function))
        return FormRow(traits) { $0.addUnary($1, function) }
    }

    private static func binary(_ function: BinaryFunction) -> FormRow {
        let traits = FormTraits(
            reads: .likeOutput, writes: .elementwise(isFiniteAtZero: function.isFiniteAtZero),
            fusion: function == .add ? .residual : .none)
        return FormRow(traits) { $0.addBinary($1, function) }
    }

    private static func binaryChannels(_ function: BinaryFunction, image: Int) -> FormRow {
        let isGating = function == .multiply
        return FormRow(FormTraits(reads: .imageAndChannels(image: image), writes: .blocks, isGating: isGating)) {
            $0.addBinaryChannels($1, function, image: image)
        }
    }

    private static func scale(factor: Tensor, offset: Tensor) -> FormRow {
        // It costs little more than its memory traffic.
        let bands = FormTraits.BandLimits(
            minimumImageBytes: 256 << 10, maximumWeightBytes: 512 << 10, minimumBlocks: 1)
        let traits = FormTraits(reads: .likeOutput, writes: .likeInputs, activations: .clamp, bands: bands)
        return FormRow(traits) { $0.addScale($1, factor: factor, offset: offset) }
    }

    private static func dataMovement(_ movement: DataMovement) -> FormRow {
        let traits = FormTraits(
            reads: .likeOutput,
            writes: .likeInputsIf { inputs, blockWidth in movement.keepsBlocks(of: inputs[0], width: blockWidth) },
            supportsQuantized: true, hasSeveralOutputs: true)
        return FormRow(traits) { $0.addDataMovement($1, movement) }
    }

    private static var reshape: FormRow {
        FormRow(FormTraits(memory: .input, supportsQuantized: true)) { _, node in
            preconditionFailure("\(node.name) only renames memory")
        }
    }

    private static func border(height: (before: Int, after: Int), width: (before: Int, after: Int)) -> FormRow {
        let border = Halo(top: height.before, bottom: height.after, left: width.before, right: width.after)
        let traits = FormTraits(
            reads: .likeOutput, writes: .likeInputs, memory: .inputWithBorder, border: border, supportsQuantized: true)
        return FormRow(traits) { $0.addBorder($1, border) }
    }

    private static func concatenation(axis: Int) -> FormRow {
        let traits = FormTraits(
            reads: .likeOutput, writes: axis == 3 ? .likeInputsOfWholeBlocks : .plain, joinsChannels: axis == 3,
            supportsQuantized: true)
        return FormRow(traits) { $0.addConcatenation($1, axis: axis) }
    }
}

// MARK: Quantized values

extension FormRow {
    /// The row of a form of quantized values, whose products are integers.
    private init(
        quantized traits: FormTraits, addSteps: @escaping (inout Compiler, PlannedNode) -> Void
    ) {
        var traits = traits
        traits.supportsQuantized = true
        self.init(traits) { compiler, node in
            let first = compiler.steps.count
            addSteps(&compiler, node)
            compiler.setPrecision(.int8, of: node.name, from: first)
        }
    }

    private init(_ form: IntegerForm) {
        switch form {
        case .convolution(let layer, let window):
            let traits = FormTraits(
                reads: .slidingWindow(window), writes: .blocks, canWritePlain: true, border: Halo(window),
                addsQuantized: layer.element == .uint8, isConvolution: true)
            self.init(quantized: traits) { $0.addIntegerConvolution($1, layer, window: window) }
        case .depthwise(let layer, let window):
            let traits = FormTraits(reads: .borderedBlocks(Halo(window)), writes: .blocks, border: Halo(window))
            self.init(quantized: traits) { $0.addIntegerDepthwise($1, layer, window: window) }
        case .dense(let layer): self.init(quantized: FormTraits()) { $0.addIntegerDense($1, layer) }
        case .addition(let addition):
            let traits = FormTraits(reads: .likeOutput, writes: .likeInputs, fusion: .quantizedResidual(addition))
            self.init(quantized: traits) { $0.addIntegerAddition($1, addition) }
        case .multiplication(let multiplication, let image):
            let traits =
                image.map { FormTraits(reads: .imageAndChannels(image: $0), writes: .blocks) }
                ?? FormTraits(reads: .likeOutput, writes: .likeInputs)
            self.init(quantized: traits) { $0.addIntegerMultiplication($1, multiplication, image: image) }
        case .scale(let zeroPoint, let factors, let offsets, let rounding):
            self.init(quantized: FormTraits(reads: .blocks, writes: .blocks)) {
                $0.addIntegerScale($1, zeroPoint: zeroPoint, factors: factors, offsets: offsets, rounding)
            }
        case .largest(let window):
            self.init(quantized: FormTraits(reads: .blocks, writes: .blocks, border: Halo(window))) {
                $0.addIntegerPooling(
                    $1, .maximum, window: window, zeroPoint: 0, factors: [0],
                    QuantizedRounding(zeroPoint: 0, lower: 0, upper: 255))
            }
        case .average(let window, let zeroPoint, let factors, let rounding):
            self.init(quantized: FormTraits(reads: .blocks, writes: .blocks, border: Halo(window))) {
                $0.addIntegerPooling(
                    $1, .average, window: window, zeroPoint: zeroPoint, factors: factors, rounding)
            }
        case .mean(let zeroPoint, let factor, let rounding):
            self.init(quantized: FormTraits(reads: .blocks)) {
                $0.addIntegerMean($1, zeroPoint: zeroPoint, factor: factor, rounding)
            }
        case .lookup(let table):
            self.init(quantized: FormTraits(reads: .likeOutput, writes: .likeInputs)) { $0.addLookup($1, table) }
        case .quantize(let scale, let rounding):
            self.init(quantized: FormTraits(reads: .likeOutput, writes: .likeInputs)) {
                $0.addQuantization($1, scale: scale, rounding, quantizes: true)
            }
        case .dequantize(let scale, let rounding):
            self.init(quantized: FormTraits(reads: .likeOutput, writes: .likeInputs)) {
                $0.addQuantization($1, scale: scale, rounding, quantizes: false)
            }
        }
    }
}

extension UnaryFunction {
    /// Whether the function of 0 is a finite value.
    var isFiniteAtZero: Bool { kind != .reciprocalSquareRoot && kind != .reciprocal && kind != .log }
}

extension BinaryFunction {
    /// Not 0 / 0, and not powers of 0.
    fileprivate var isFiniteAtZero: Bool { self != .divide && self != .power }
}
