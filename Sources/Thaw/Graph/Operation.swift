/// The computation of one node of a graph, with its parameters and weights as fields.
///
/// Each operation has its own files under `Operations`. This protocol defines what they have in common. Passes, writers
/// and drawings use its requirements instead of testing an operation's type. Every operation must implement the
/// requirements without a default.
protocol Operation: Sendable {
    /// The name of the operation in the field's terms: "Convolution", "Relu6".
    var kind: String { get }

    /// The purpose that it shares with other operations.
    var family: Family { get }

    /// The output types for inputs of these types.
    /// - Throws: `Failure` for inputs that the operation does not accept.
    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType]

    /// The reference implementation, written as plain loops. Every fast path is tested against it.
    /// - Precondition: `outputTypes` accepts the types of the inputs.
    /// - Throws: `Failure` if a loop does not end.
    func evaluate(_ inputs: [Tensor]) throws -> [Tensor]

    /// The weight tensors of the operation.
    var weights: [Tensor] { get }

    /// How many multiply-adds one run takes; 0 if the number is negligible.
    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int

    /// The steps of the reference implementation, at most `Int.max`; 0 if it takes a fixed number for each element. The
    /// import evaluates constants only within a limit on this.
    func work(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int

    /// Its label in a drawing.
    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption

    /// Whether it is drawn together with the operation before it.
    var isActivation: Bool { get }

    /// Its role in a quantized network.
    var quantizedRole: QuantizedRole { get }

    /// The input that contains indices, if it has one.
    var indexInput: Int? { get }

    /// The output that contains the indices of the elements that it selects from its input by value, such as the
    /// largest; nil if it selects none.
    var selectedIndexOutput: Int? { get }

    // MARK: Axes

    /// Its effect along an axis of an input, for each of its outputs. The axes of an image are batch, height, width,
    /// channel.
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse

    /// Whether the axes of a rank-4 input have fixed meanings: batch, height, width, channel in a channels-last
    /// graph; batch, channel, height, width in a channels-first graph.
    var isSpatial: Bool { get }

    /// Whether each output element depends only on the input elements at the same index, with inputs broadcast as in
    /// NumPy.
    var isElementwise: Bool { get }

    /// Whether inputs are broadcast as in NumPy.
    var broadcasts: Bool { get }

    /// The equivalent operation for inputs with permuted axes, or nil if the operation requires the original order.
    ///
    /// Axis `k` of the permuted input `i` is axis `orders[i][k]` of the original. See `AxisOrders`.
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered?

    /// The equivalent operation for inputs whose axes are merged in groups, or nil if there is none. All inputs have
    /// the same rank.
    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)?

    /// The operation for `count` images, derived from one for a batch with these input and output types; nil if there
    /// is none. The images follow one another along `axis` of the first input.
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)?

    /// The operation marked as one whose parameters vary with the image size, or nil if they do not.
    func followingImageSize() -> (any Operation)?

    /// The operation with marks at the parameters that differ from those of `other`, the same operation for another image
    /// size, or that are marked there; nil if it cannot have marks.
    func followingImageSize(unlike other: any Operation) -> (any Operation)?

    // MARK: Values

    /// The tensor that it returns, if it has no inputs and always returns the same one.
    var constantValue: Tensor? { get }

    /// Whether the output has exactly the elements of the input, in another shape or order.
    var keepsElements: Bool { get }

    /// Whether the output equals the first input.
    func isIdentity(_ inputs: [TensorType]) -> Bool

    /// The function that an elementwise operation applies to the elements of its inputs, or nil if it is not the same
    /// for all elements.
    func scalarFunction() -> (([Double]) -> Double)?

    /// The range that all results are in, or nil if none is known.
    /// - Parameter range: The range of an input, if it is known.
    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>?

    /// The bounds that are applied to all elements, if it does only that.
    var bound: Bound? { get }

    /// The levels to which all elements are rounded, as in quantization-aware training, if it does only that.
    var levels: Levels? { get }

    /// The slices that it copies from a tensor of this shape, given its indices, if it does only that: the axis, and the
    /// ranges along it in the order of the result. Adjacent slices are one range.
    func slices(of shape: Shape, at indices: Tensor) -> (axis: Int, ranges: [Range<Int>])?

    /// The scale and the offset that are applied to each channel of a tensor, if it does only that. The channels are
    /// the last axis.
    func channelArithmetic(on type: TensorType) -> ChannelArithmetic?

    // MARK: Absorbing neighbors

    /// The border that it adds to an image, if it does only that.
    var border: Border? { get }

    /// The operation for an image without this border, or nil if it cannot add the border itself.
    func padded(by border: Border) -> (any Operation)?

    /// The operation with arithmetic on its output channels folded into its weights, or nil if it has none.
    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)?

    /// The operation without the reshapes around it, or nil if it needs them.
    /// - Parameters:
    ///   - grouped: The shape of its input.
    ///   - original: The shape before the first reshape.
    ///   - result: The shape after the second one.
    func regrouped(_ grouped: Shape, as original: Shape, to result: Shape) -> (any Operation)?
}

/// An operation rewritten for permuted axes, with the axis orders of its inputs and outputs.
struct Reordered {
    var operation: any Operation
    var inputs: [[Int]]
    var outputs: [[Int]]

    init(_ operation: any Operation, inputs: [[Int]], outputs: [[Int]]) {
        self.operation = operation
        self.inputs = inputs
        self.outputs = outputs
    }
}

extension Operation {
    var weights: [Tensor] { [] }
    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int { 0 }
    func work(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int { multiplyAdds(inputs, outputs) }
    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption { Caption(Words.spaced(kind)) }
    var isActivation: Bool { false }
    var indexInput: Int? { nil }
    var selectedIndexOutput: Int? { nil }
    var isSpatial: Bool { false }
    var isElementwise: Bool { false }
    var broadcasts: Bool { isElementwise }
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? { nil }
    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        isElementwise ? (self, AxisGroups(output, broadcasting: inputs)) : nil
    }
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? { self }
    func followingImageSize() -> (any Operation)? { nil }
    func followingImageSize(unlike other: any Operation) -> (any Operation)? { nil }
    var constantValue: Tensor? { nil }
    var keepsElements: Bool { false }
    func isIdentity(_ inputs: [TensorType]) -> Bool { false }
    func scalarFunction() -> (([Double]) -> Double)? { nil }
    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? { nil }
    var bound: Bound? { nil }
    var levels: Levels? { nil }
    func slices(of shape: Shape, at indices: Tensor) -> (axis: Int, ranges: [Range<Int>])? { nil }
    func channelArithmetic(on type: TensorType) -> ChannelArithmetic? { nil }
    var border: Border? { nil }
    func padded(by border: Border) -> (any Operation)? { nil }
    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? { nil }
    func regrouped(_ grouped: Shape, as original: Shape, to result: Shape) -> (any Operation)? { nil }

    var quantizedRole: QuantizedRole {
        if bound != nil { return .bound }
        return switch family {
        case .arrangement: .selection
        case .pooling: .arithmetic
        case .activation: isElementwise ? .arithmetic : .floating
        case .convolution, .dense, .normalization, .arithmetic, .quantization: .floating
        }
    }
}

extension Int {
    /// The product of numbers that are not negative, at most `Int.max`.
    static func saturatedProduct(_ factors: Int...) -> Int {
        factors.reduce(1) { product, factor in
            let (result, overflow) = product.multipliedReportingOverflow(by: factor)
            return overflow ? .max : result
        }
    }
}

extension ChannelArithmetic {
    /// The effect of `operation` on a tensor with the channels on its last axis, or nil if it is not per-channel
    /// arithmetic.
    init?(_ operation: any Operation, on type: TensorType) {
        guard let channels = type.shape.last, type.element == .float32, channels > 0,
            let arithmetic = operation.channelArithmetic(on: type)
        else { return nil }
        self = arithmetic
    }
}
