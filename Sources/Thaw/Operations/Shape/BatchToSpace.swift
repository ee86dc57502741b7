/// Moves blocks from the batch axis back to the spatial axes, then crops the edges: the inverse of `SpaceToBatch`.
struct BatchToSpace: Operation {
    /// The block size along each axis, 1 for the axes that are unchanged, such as the first.
    var blocks: [Int]
    /// Pixels cropped before and after.
    var before: [Int]
    var after: [Int]

    var kind: String { "BatchToSpace" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard blocks.count == shape.rank, blocks.first == 1 else { throw Failure.wrongRank(blocks.count, shape) }
        guard let count = Shape(blocks).checkedCount else { throw Failure.impossibleShape(Shape(blocks)) }
        guard shape[0] % count == 0 else { throw Failure.notDivisible(shape, "\(Shape(blocks))") }
        var result = Shape(shape.indices.map { shape[$0] * blocks[$0] - before[$0] - after[$0] })
        result[0] = shape[0] / count
        guard result.allSatisfy({ $0 >= 0 }) else { throw Failure.sliceOutside(shape) }
        return [TensorType(result, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) throws -> [Tensor] {
        try steps(inputs[0].shape).reduce(inputs) { try $1.evaluate($0) }
    }

    /// The equivalent sequence of simpler operations. Axes of one element are dropped along the way.
    func steps(_ shape: Shape) -> [any Operation] {
        let split = shape.indices.filter { blocks[$0] > 1 }
        let batch = shape[0] / blocks.reduce(1, *)
        let axes = split.map { blocks[$0] } + [batch] + Array(shape.dropFirst())
        let order = shape.indices.flatMap { axis in
            [split.count + axis] + (split.firstIndex(of: axis).map { [$0] } ?? [])
        }
        let whole = Shape([batch] + shape.indices.dropFirst().map { shape[$0] * blocks[$0] })
        let crop = StridedSlice(
            ranges: whole.indices.map { .init(start: before[$0], count: whole[$0] - before[$0] - after[$0]) })
        let isWhole = (before + after).allSatisfy { $0 == 0 }
        return Rearrangement(axes: axes, order: order, result: whole).steps + (isWhole ? [] : [crop])
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        let split = order.filter { blocks[$0] > 1 }
        guard order.first == 0, split == split.sorted() else { return nil }
        let copy = BatchToSpace(
            blocks: order.map { blocks[$0] }, before: order.map { before[$0] }, after: order.map { after[$0] })
        return Reordered(copy, inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension BatchToSpace {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis > 0 && blocks[axis] == 1 && before[axis] + after[axis] == 0 ? .kept(axis) : .rearranged
    }
}

// MARK: Core ML

extension BatchToSpace: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        try parts.add(steps(inputs[0].shape), to: inputs[0])
    }
}
