/// Pads a quantized image with pixels of the value zero.
struct IntegerPad: Operation {
    /// The amounts, with the quantized zero as the value.
    let pad: Pad
    private let border: Border

    /// - Returns: Nil if anything but height and width is padded, or elements are removed.
    init?(_ pad: Pad, zeroPoint: Int) {
        guard let border = pad.border, (pad.before + pad.after).allSatisfy({ $0 >= 0 }) else { return nil }
        self.border = border
        self.pad = Pad(before: pad.before, after: pad.after, value: Double(zeroPoint))
    }

    var kind: String { "IntegerPad" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { try pad.outputTypes(inputs) }
    func evaluate(_ inputs: [Tensor]) -> [Tensor] { pad.evaluate(inputs) }
}

// MARK: Facts

extension IntegerPad {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        pad.use(ofAxis: axis, of: input, inputs)
    }
}

// MARK: Engine

extension IntegerPad: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { Int(pad.value) }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .border(height: border.height, width: border.width)
    }
}
