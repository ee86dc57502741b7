/// ML Program operations on shapes and positions, imported as constants or as a combination of other operations.
enum ComposedShapes {
    static let mil = [
        MILRule("shape") { op, _ in
            let shape = try op.operand().shape
            return [.constant(Tensor(integers: shape.dimensions, shape: [shape.rank]))]
        },
        MILRule("fill", "fill_like") { op, _ in
            let shape = op.kind == "fill" ? Shape(try op.integers("shape")) : try op.operand("ref_tensor").shape
            let value = try op.has("value") ? op.constant("value") : Tensor([0], shape: [])
            guard value.elementCount == 1 else { throw op.refused("'value' is not a single value") }
            guard shape.checkedCount ?? .max <= ImportContext.largestConstant else {
                throw Failure.constantTooLarge(shape).at(op.location)
            }
            let number = value.withElements { $0[0] }
            return [.constant(Tensor(shape: shape, element: value.element) { _ in number })]
        },
        MILRule("range_1d") { op, _ in
            let ends = try ["start", "end", "step"].map { try op.constant($0) }
            let numbers = try ends.map { tensor in
                guard tensor.elementCount == 1 else { throw op.refused("start, end and step are not single values") }
                return tensor.withElements { $0[0] }
            }
            let count = ((numbers[1] - numbers[0]) / numbers[2]).rounded(.up)
            guard count.isFinite, count <= Double(ImportContext.largestConstant) else {
                throw op.refused("a range from \(numbers[0]) to \(numbers[1]) in steps of \(numbers[2]) has no length")
            }
            let shape: Shape = [Swift.max(0, Int(count))]
            return [
                .constant(Tensor(shape: shape, element: ends[0].element) { numbers[0] + Double($0) * numbers[2] })
            ]
        },
        MILRule("non_zero") { op, _ in
            guard let tensor = try op.operand().constant else {
                throw op.refused(
                    "how many elements are not zero is known only when the model runs",
                    remedy: "shapes must be known in advance")
            }
            let strides = tensor.shape.strides
            let elements = tensor.withElements { x in (0..<tensor.elementCount).filter { x[$0] != 0 } }
            let positions = elements.flatMap { element in
                tensor.shape.indices.map { element / strides[$0] % tensor.shape[$0] }
            }
            return [.constant(Tensor(integers: positions, shape: [elements.count, tensor.shape.rank]))]
        },
        MILRule("reshape_like") { op, reading in
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
        },
        MILRule("band_part") { op, reading in
            let x = try op.operand()
            guard x.shape.rank >= 2 else { throw Failure.wrongRank(2, x.shape).at(op.location) }
            let (lower, upper) = (try op.integer("lower", default: -1), try op.integer("upper", default: -1))
            let matrix = Shape(x.shape.suffix(2))
            let isKept = Tensor(shape: matrix, element: .bool) { element in
                let (row, column) = (element / matrix[1], element % matrix[1])
                return (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper) ? 1 : 0
            }
            let zero = Tensor(0, element: x.type.element)
            return try reading.add(Select(), [.constant(isKept), x, .constant(zero)], op)
        },
        MILRule("sliding_windows") { op, reading in
            let x = try op.operand()
            let axis = try op.axis(x)
            let (size, step) = (try op.integer("size"), try op.integer("stride", default: 1))
            guard size > 0, step > 0, size <= x.shape[axis], step < 1 << 24 else {
                throw op.refused("windows of \(size) with stride \(step) do not fit a tensor of shape \(x.shape)")
            }
            let count = (x.shape[axis] - size) / step + 1
            let indices = Tensor(
                integers: (0..<count * size).map { $0 / size * step + $0 % size }, shape: [count, size])
            return try reading.add(Gather(axis: axis), [x, .constant(indices)], op)
        },
        MILRule("space_to_batch", "batch_to_space") { op, reading in
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
        },
        MILRule("reverse_sequence") { op, reading in
            let x = try op.operand()
            let (axis, batch) = (try op.axis(x, "seq_axis", default: 0), try op.axis(x, "batch_axis", default: 0))
            let lengths = try op.operand("lengths")
            guard axis != batch, lengths.shape == [x.shape[batch]] else {
                throw op.refused("lengths of shape \(lengths.shape) do not fit a tensor of shape \(x.shape)")
            }
            func aligned(_ operand: Operand, _ axis: Int) throws -> Operand {
                var shape = Shape(x.shape.map { _ in 1 })
                shape[axis] = x.shape[axis]
                return try reading.reshaped(operand, shape, op)
            }
            let element = lengths.type.element
            let range = Tensor(shape: [x.shape[axis]], element: element) { Double($0) }
            let positions = try aligned(.constant(range), axis)
            func number(_ value: Double) -> Operand {
                .constant(Tensor(shape: Shape(x.shape.map { _ in 1 }), element: element) { _ in value })
            }
            let last = try reading.combine(.subtract, aligned(lengths, batch), number(1), op)
            let reversed = try reading.combine(.subtract, last, positions, op)
            // What is behind the sequence stays.
            let isInside = try reading.combine(.greaterOrEqual, reversed, number(0), op)
            let indices = try reading.add(Select(), [isInside, reversed, positions], op)[0]
            let all = try reading.add(BroadcastTo(shape: x.shape), indices, op)
            return try reading.add(GatherAlongAxis(axis: axis), [x, all], op)
        },
        MILRule("einsum") { op, reading in
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
            let turned = try values.map { try reading.add(Transpose(order), $0, op) }
            return [try reading.add(Transpose(order), reading.add(MatrixProduct(), turned, op)[0], op)]
        },
        MILRule("slice_update") { op, reading in
            let (x, update) = (try op.operand(), try op.operand("update"))
            let (ranges, squeezed) = try op.sliceRanges(of: x)
            let kept = ranges.indices.filter { !squeezed[$0] }
            guard update.shape == Shape(kept.map { ranges[$0].count }) else {
                throw Failure.shapesDiffer(x.shape, update.shape).at(op.location)
            }
            // Each element of the slice by its position in the flat tensor.
            let strides = x.shape.strides
            var positions: [Int] = []
            Shape(ranges.map(\.count)).forEachIndex { index in
                positions.append(
                    index.indices.reduce(0) { $0 + (ranges[$1].start + index[$1] * ranges[$1].step) * strides[$1] })
            }
            let flat = try reading.reshaped(x, [x.shape.elementCount], op)
            let elements = try reading.reshaped(update, [positions.count], op)
            let indices = Operand.constant(Tensor(integers: positions, shape: [positions.count, 1]))
            let result = try reading.add(ScatterSlices(mode: .update), [flat, elements, indices], op)[0]
            return [try reading.reshaped(result, x.shape, op)]
        },
    ]
}
