extension ComposedShapes {
    static let mil = [
        MILRule("shape") { op, _ in
            let shape = try op.operand().shape
            return [.constant(Tensor(integers: shape.dimensions, shape: [shape.rank]))]
        },
        MILRule("fill", "fill_like") { op, _ in
            let shape = op.kind == "fill" ? Shape(try op.integers("shape")) : try op.operand("ref_tensor").shape
            let value = try op.has("value") ? op.constant("value") : Tensor([0], shape: [])
            guard value.elementCount == 1 else { throw op.refused("'value' is not a single value") }
            return [try ImportContext.filled(shape, value.withElements { $0[0] }, value.element)]
        },
        MILRule("range_1d", build: range1D),
        MILRule("non_zero") { op, _ in
            guard let tensor = try op.operand().constant else {
                throw op.refused(Phrases.unknownCount, remedy: Phrases.knownShapes)
            }
            return [.constant(try ComposedShapes.positions(of: tensor, .int32))]
        },
        MILRule("reshape_like", build: reshapeLike),
        MILRule("band_part") { op, reading in
            let (lower, upper) = (try op.integer("lower", default: -1), try op.integer("upper", default: -1))
            return [try reading.banded(op.operand(), ComposedShapes.band(lower, upper), op)]
        },
        MILRule("sliding_windows") { op, reading in
            let x = try op.operand()
            let (size, step) = (try op.integer("size"), try op.integer("stride", default: 1))
            guard let windows = try reading.windows(x, along: op.axis(x), size: size, step: step, op) else {
                throw op.refused("windows of \(size) with stride \(step) do not fit a tensor of shape \(x.shape)")
            }
            return [windows]
        },
        MILRule("space_to_batch", "batch_to_space", build: blocks),
        MILRule("reverse_sequence") { op, reading in
            let x = try op.operand()
            let (axis, batch) = (try op.axis(x, "seq_axis", default: 0), try op.axis(x, "batch_axis", default: 0))
            let lengths = try op.operand("lengths")
            guard let reversed = try reading.reversed(x, lengths, along: axis, batch: batch, op) else {
                throw op.refused("lengths of shape \(lengths.shape) do not fit a tensor of shape \(x.shape)")
            }
            return [reversed]
        },
        MILRule("einsum", build: einsum),
        MILRule("slice_update", build: sliceUpdate),
    ]

    /// A range with constant ends.
    private static func range1D(_ op: MILRead, _: inout ImportContext) throws -> [Operand] {
        let ends = try ["start", "end", "step"].map { try op.constant($0) }
        let numbers = try ends.map { tensor in
            guard tensor.elementCount == 1 else { throw op.refused("start, end and step are not single values") }
            return tensor.withElements { $0[0] }
        }
        let range = ComposedShapes.range(from: numbers[0], to: numbers[1], step: numbers[2], ends[0].element)
        guard let range else {
            throw op.refused("a range from \(numbers[0]) to \(numbers[1]) in steps of \(numbers[2]) has no length")
        }
        return [.constant(range)]
    }

    /// Reshapes a tensor to the sizes of some axes of others: a range of consecutive axes of each.
    private static func reshapeLike(_ op: MILRead, _ reading: inout ImportContext) throws -> [Operand] {
        let shapes = try op.operands("ref_tensors").map(\.shape)
        func numbers(_ key: String) throws -> [Int] {
            let numbers = try op.operands(key).map { operand in
                guard let known = operand.constant, known.elementCount == 1 else {
                    throw op.refused("'\(key)' are not constants")
                }
                return known.integers[0]
            }
            guard numbers.count == shapes.count else { throw op.refused("'\(key)' has \(numbers.count) values") }
            return numbers
        }
        let (begins, ends, masks) = (try numbers("begins"), try numbers("ends"), try numbers("end_masks"))
        let target = shapes.indices.flatMap { index in
            let range = StridedSlice.Range(
                from: begins[index], to: masks[index] != 0 ? nil : ends[index], step: 1, of: shapes[index].rank)
            return shapes[index][range.start..<range.start + range.count]
        }
        return [try reading.reshaped(op.operand(), Shape(target), op)]
    }

    /// Moves the pixels of blocks to the batch axis, or back.
    private static func blocks(_ op: MILRead, _ reading: inout ImportContext) throws -> [Operand] {
        let x = try op.image()
        let isSplit = op.kind == "space_to_batch"
        let blocks = try op.integers("block_shape")
        let amounts = try op.integers(isSplit ? "paddings" : "crops")
        guard blocks.count == 2, amounts.count == 4, blocks.allSatisfy((1..<1 << 12).contains),
            amounts.allSatisfy((0..<1 << 24).contains)
        else { throw op.refused("blocks of \(blocks) with amounts \(amounts) are not valid") }
        let (all, before, after) = (
            [1, 1] + blocks, [0, 0, amounts[0], amounts[2]], [0, 0, amounts[1], amounts[3]]
        )
        let operation: any Operation =
            isSplit
            ? SpaceToBatch(blocks: all, before: before, after: after)
            : BatchToSpace(blocks: all, before: before, after: after)
        return [try reading.add(operation, x, op)]
    }

    /// A product of matrices that is written as an equation.
    private static func einsum(_ op: MILRead, _ reading: inout ImportContext) throws -> [Operand] {
        let values = try op.operands("values")
        let equation = try op.text("equation")
        // The letters in order of their first appearance.
        var letters: [Character] = []
        for letter in equation where letter.isLetter && !letters.contains(letter) { letters.append(letter) }
        let plain = String(
            equation.filter { $0 != " " }.map { letter in
                letters.firstIndex(of: letter).map { Character(String($0)) } ?? letter
            })
        let rank = [3: "012,213->013", 4: "0123,0324->0124"].first { $0.value == plain }?.key
        guard let rank, values.count == 2, values.allSatisfy({ $0.shape.rank == rank }) else {
            throw op.refused("the equation '\(equation)' is not supported")
        }
        // Matrices on the third axis from the end and the last one.
        let order = Array(0..<rank - 3) + [rank - 2, rank - 3, rank - 1]
        let transposed = try values.map { try reading.add(Transpose(order), $0, op) }
        return [try reading.add(Transpose(order), reading.add(MatrixProduct(), transposed, op)[0], op)]
    }

    /// A tensor with a slice replaced.
    private static func sliceUpdate(_ op: MILRead, _ reading: inout ImportContext) throws -> [Operand] {
        let (x, update) = (try op.operand(), try op.operand("update"))
        let (ranges, squeezed) = try op.sliceRanges(of: x)
        let kept = ranges.indices.filter { !squeezed[$0] }
        guard update.shape == Shape(kept.map { ranges[$0].count }) else {
            throw Failure.shapesDiffer(x.shape, update.shape).at(op.location)
        }
        try ImportContext.checkConstant(update.shape)
        let positions = StridedSlice(ranges: ranges).flatIndices(in: x.shape)
        let flat = try reading.reshaped(x, [x.shape.elementCount], op)
        let elements = try reading.reshaped(update, [positions.count], op)
        let indices = Operand.constant(Tensor(integers: positions, shape: [positions.count, 1]))
        let result = try reading.add(ScatterSlices(mode: .update), [flat, elements, indices], op)[0]
        return [try reading.reshaped(result, x.shape, op)]
    }
}
