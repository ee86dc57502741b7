/// Constant padding around a tensor.
struct Pad: Operation {
    /// The number of elements added before and after along each axis.
    var before: [Int]
    var after: [Int]
    /// In double precision, which is exact for 32-bit integers.
    var value: Double = 0

    var kind: String { "Pad" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard before.count == shape.rank, after.count == shape.rank else {
            throw Failure.wrongRank(before.count, shape)
        }
        return [TensorType(Shape(shape.indices.map { before[$0] + shape[$0] + after[$0] }), inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let from = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0]
        var values = [Double](repeating: value, count: output.shape.elementCount)
        inputs[0].withElements { x in
            var element = 0
            from.forEachIndex { index in
                let target = zip(zip(index, before), output.shape.strides).reduce(0) { $0 + ($1.0.0 + $1.0.1) * $1.1 }
                values[target] = x[element]
                element += 1
            }
        }
        return [Tensor(shape: output.shape, element: output.element) { values[$0] }]
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        let pad = Pad(before: order.map { before[$0] }, after: order.map { after[$0] }, value: value)
        return Reordered(pad, inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension Pad {
    var family: Family { .arrangement }
    var quantizedRole: QuantizedRole { value == 0 ? .selection : .floating }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        .local(axis, Reach(movedBy: -before[axis]))
    }

    /// The border of zeros that it adds to an image; nil if it adds anything else.
    var border: Border? {
        guard value == 0, before.count == 4, before[0] + after[0] + before[3] + after[3] == 0 else { return nil }
        return Border(height: (before[1], after[1]), width: (before[2], after[2]))
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let amounts = zip(before, after).filter { $0 != (0, 0) }
        let isAlike = !amounts.isEmpty && amounts.allSatisfy { $0 == amounts[0] }
        return Caption("Padding", [isAlike ? "\(amounts[0].0) before, \(amounts[0].1) after" : ""])
    }
}

// MARK: TensorFlow

extension Pad {
    static let tensorFlow = [
        TensorFlowRule("Pad", "PadV2", axes: .padded, roles: []) { node, context in
            let input = try node.input(0)
            let amounts = try node.integers(1, "paddings")
            guard try node.input(1).shape == [input.shape.rank, 2], amounts.allSatisfy((0..<1 << 24).contains) else {
                throw node.refused("the paddings \(amounts) do not fit a tensor of shape \(input.shape)")
            }
            let operand = node.op == "PadV2" ? try node.input(2) : nil
            let value = operand?.constant?.doubles.first ?? 0
            let pad = Pad(
                before: stride(from: 0, to: amounts.count, by: 2).map { amounts[$0] },
                after: stride(from: 1, to: amounts.count, by: 2).map { amounts[$0] }, value: value)
            guard case .edge? = operand else {
                return [amounts.allSatisfy { $0 == 0 } ? input : try context.add(pad, input, name: node.name)]
            }
            // The padding value is computed: it is selected outside the input.
            let ones = try ImportContext.filled(input.shape, 1, .bool)
            let inside = try context.add(pad, ones, name: node.name + "/inside")
            let padded = try context.add(pad, input, name: node.name)
            return try context.add(Select(), [inside, padded, try node.input(2)], name: node.name)
        }
    ]
}

// MARK: Engine

extension Pad: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard (before + after).allSatisfy({ $0 >= 0 }), output.element != .uint8 || UInt8(exactly: value) != nil else {
            return nil
        }
        // A border of a quantized image holds the zero point, not zero.
        let isBorder =
            output.element == .float32 && output.shape.rank == 4 && value == 0
            && [0, 3].allSatisfy { before[$0] == 0 && after[$0] == 0 }
        // Padding is stored next to the image in memory, which limits its size.
        guard isBorder, (before + after).allSatisfy({ $0 <= 256 }) else {
            return .dataMovement(
                DataMovement(padding: inputs[0].shape, before: before, after: after, with: Float(value)))
        }
        return .border(height: (before[1], after[1]), width: (before[2], after[2]))
    }
}
