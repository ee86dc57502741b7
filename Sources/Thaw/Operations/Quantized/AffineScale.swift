/// The scale and zero point of affine quantization: value = scale · (q − zero point).
struct AffineScale: Hashable, Sendable {
    /// One scale for all values, or one for each index of the axis.
    var scales: [Float]
    /// As many as there are scales.
    var zeroPoints: [Int]
    /// Counted from the front; nil if there is one scale for all values.
    var axis: Int?

    init(_ scales: [Float], zeroPoints: [Int]? = nil, axis: Int? = nil) {
        precondition(axis != nil || scales.count == 1)
        self.scales = scales
        self.zeroPoints = zeroPoints ?? scales.map { _ in 0 }
        self.axis = axis
    }

    /// - Throws: `Failure` if there is not one scale for each index of the axis.
    func check(_ shape: Shape) throws {
        guard let axis else { return }
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        guard shape[axis] == scales.count else { throw Failure.channelMismatch(shape[axis], scales.count) }
    }

    /// Maps the index of an element of a tensor to the index of its scale.
    func index(in shape: Shape) -> (Int) -> Int {
        guard let axis else { return { _ in 0 } }
        let step = shape.strides[axis]
        return { $0 / step % scales.count }
    }

    /// The scale of all values, if it is a single one for type uint8.
    var parameters: QuantizationParameters? {
        guard axis == nil, scales[0].isFinite, scales[0] > 0, (0...255).contains(zeroPoints[0]) else { return nil }
        return QuantizationParameters(scale: scales[0], zeroPoint: zeroPoints[0])
    }

    /// Whether float16 represents all scales exactly.
    var isHalf: Bool { scales.allSatisfy(\.isHalf) }

    func use(ofAxis axis: Int) -> AxisUse { axis == self.axis ? .weighted(axis) : .kept(axis) }

    /// The same for a tensor whose axes are permuted.
    func reordered(_ order: [Int]) -> AffineScale {
        var result = self
        result.axis = axis.map { order.firstIndex(of: $0)! }
        return result
    }

    /// The same for a tensor whose axes are merged in groups, with the groups.
    func merged(_ shape: Shape) -> (scale: AffineScale, groups: AxisGroups) {
        guard let axis else { return (self, AxisGroups(shape) { _, _ in true }) }
        var result = self
        result.axis = Swift.min(1, axis)
        return (result, AxisGroups(shape, apart: axis))
    }

    /// A tensor with one value per scale, in a shape that broadcasts over a tensor of rank `rank`.
    func aligned(_ numbers: [Float], rank: Int) -> Tensor {
        guard let axis else { return Tensor(numbers, shape: []) }
        return Tensor(numbers, shape: Shape([scales.count] + [Int](repeating: 1, count: rank - 1 - axis)))
    }
}

extension QuantizationParameters {
    /// The same scale for all values of a tensor.
    var affine: AffineScale { AffineScale([scale], zeroPoints: [zeroPoint]) }
}

// MARK: ML Program

extension AffineScale {
    /// The arguments of an operation for this input.
    /// - Parameter quantized: The type of the quantized values.
    func arguments(_ input: MILValue, quantized: ElementType) -> [(String, MILArgument)] {
        let shape: Shape = axis == nil ? [] : [scales.count]
        let points = Tensor(shape: shape, element: quantized) { Double(zeroPoints[$0]) }
        return [
            ("input", .value(input)), ("scale", .constant(Tensor(scales, shape: shape))),
            ("zero_point", .quantized(points)),
        ]
            + (axis.map { [("axis", .integer($0))] } ?? [])
    }

    /// The arguments `scale`, `zero_point` and `axis` of an operation.
    init(_ op: MILRead, of x: Operand) throws {
        let scales = try op.constant("scale").floats
        let zeroPoints = try op.integers("zero_point", default: scales.map { _ in 0 })
        guard !scales.isEmpty, zeroPoints.count == scales.count else {
            throw op.refused("there are \(scales.count) scales and \(zeroPoints.count) zero points")
        }
        guard try op.constant("scale").shape.rank > 0 else {
            self.init(scales, zeroPoints: zeroPoints)
            return
        }
        let axis = try op.axis(x)
        guard x.shape[axis] == scales.count else {
            throw op.refused("there are \(scales.count) scales", remedy: "axis \(axis) has \(x.shape[axis]) elements")
        }
        self.init(scales, zeroPoints: zeroPoints, axis: axis)
    }
}
