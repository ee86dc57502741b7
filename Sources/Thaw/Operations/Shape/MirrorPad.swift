/// Padding with the tensor's own elements.
enum EdgePadding: Sendable {
    /// Mirrored at the edge, without or with a copy of the edge element itself.
    case reflected, mirrored
    /// The edge elements repeated.
    case repeated

    /// The elements of an axis of this length that are added before and after it; for `repeated` just the edge
    /// element.
    /// - Precondition: `fits`.
    func ranges(_ before: Int, _ after: Int, of length: Int) -> (before: StridedSlice.Range, after: StridedSlice.Range)
    {
        if self == .repeated { return (.init(start: 0, count: 1), .init(start: length - 1, count: 1)) }
        let skipped = self == .reflected ? 1 : 0
        return (
            .init(start: skipped + before - 1, count: before, step: -1),
            .init(start: length - 1 - skipped, count: after, step: -1)
        )
    }

    /// Whether an axis of this length has enough elements for the padding.
    func fits(_ amount: Int, of length: Int) -> Bool {
        switch self {
        case .reflected: (0..<Swift.max(1, length)).contains(amount)
        case .mirrored: (0...length).contains(amount)
        case .repeated: (0..<1 << 12).contains(amount) && (length > 0 || amount == 0)
        }
    }
}

/// Padding of an image mirrored at the edge, without a copy of the edge itself: TensorFlow's REFLECT.
///
/// In graphs this is slices and concatenations, which passes and engine already handle. Because Core ML has a
/// dedicated layer, it is recognized before writing: see `Graph.withRecognizedBlocks`. Only floating-point tensors are
/// padded this way.
struct MirrorPad: Operation {
    /// Pixels added before and after the image, along height and along width.
    var before: [Int]
    var after: [Int]

    var kind: String { "MirrorPad" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        var shape = inputs[0].shape
        guard shape.rank == 4 else { throw Failure.wrongRank(4, shape) }
        for (axis, amount) in zip([1, 2], zip(before, after)) {
            guard [amount.0, amount.1].allSatisfy({ EdgePadding.reflected.fits($0, of: shape[axis]) }) else {
                throw Failure.sliceOutside(shape)
            }
            shape[axis] += amount.0 + amount.1
        }
        return [TensorType(shape, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let (shape, output) = (inputs[0].shape, try! outputTypes(inputs.map(\.type))[0])
        let strides = output.shape.strides
        /// The pixel of the image that a pixel of the result equals.
        func source(_ position: Int, _ before: Int, _ length: Int) -> Int {
            let distance = abs(position - before)
            return distance < length ? distance : 2 * (length - 1) - distance
        }
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    let row = source(element / strides[1] % output.shape[1], before[0], shape[1])
                    let column = source(element / strides[2] % output.shape[2], before[1], shape[2])
                    let batch = element / strides[0]
                    return x[((batch * shape[1] + row) * shape[2] + column) * shape[3] + element % shape[3]]
                }
            ]
        }
    }
}

// MARK: Facts

extension MirrorPad {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        1...2 ~= axis && before[axis - 1] + after[axis - 1] > 0 ? .rearranged : .kept(axis)
    }
}

// MARK: TensorFlow

extension MirrorPad {
    static let tensorFlow = [
        TensorFlowRule("MirrorPad", axes: .padded, roles: []) { node, context in
            let input = try node.input(0)
            let amounts = try node.integers(1, "paddings")
            let mode = try node.string("mode", default: "")
            guard mode == "REFLECT" || mode == "SYMMETRIC" else {
                throw Failure.badAttribute(node.name, node.op, "mode")
            }
            let border = mode == "REFLECT" ? EdgePadding.reflected : .mirrored
            guard amounts.count == 2 * input.shape.rank,
                amounts.indices.allSatisfy({ border.fits(amounts[$0], of: input.shape[$0 / 2]) })
            else { throw node.refused("the paddings \(amounts) do not fit a tensor of shape \(input.shape)") }
            let axes = input.shape.indices
            return [
                try context.bordered(
                    input, border, before: axes.map { amounts[2 * $0] }, after: axes.map { amounts[2 * $0 + 1] }, node)
            ]
        }
    ]
}

// MARK: Core ML

extension MirrorPad: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.padding.choose("reflection")
            layer.padding["paddingAmounts"].setBorders(Array(zip(before, after)))
        }
    }
}

extension MirrorPad: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "pad", node,
            [
                "x": .value(node.input), "pad": .integers([before[0], after[0], before[1], after[1]]),
                "mode": .text("reflect"), "constant_val": .number(0),
            ])
    }
}
