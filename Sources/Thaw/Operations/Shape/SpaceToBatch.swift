/// Moves blocks from the spatial axes to the batch axis: every pixel of a block goes to a different batch entry. A
/// convolution on such batches is equivalent to a dilated one.
struct SpaceToBatch: Operation {
    /// The block size along each axis, 1 for the axes that are unchanged, such as the first.
    var blocks: [Int]
    /// Zeros added before and after.
    var before: [Int]
    var after: [Int]

    var kind: String { "SpaceToBatch" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = try Pad(before: before, after: after).outputTypes(inputs)[0].shape
        guard blocks.count == shape.rank, blocks.first == 1 else { throw Failure.wrongRank(blocks.count, shape) }
        guard shape.indices.allSatisfy({ shape[$0] % blocks[$0] == 0 }) else {
            throw Failure.notDivisible(shape, "\(Shape(blocks))")
        }
        var result = Shape(shape.indices.map { shape[$0] / blocks[$0] })
        let (batch, overflow) = result[0].multipliedReportingOverflow(by: Shape(blocks).checkedCount ?? .max)
        guard !overflow else { throw Failure.impossibleShape(shape) }
        result[0] = batch
        return [TensorType(result, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) throws -> [Tensor] {
        try steps(inputs[0].shape).reduce(inputs) { try $1.evaluate($0) }
    }

    /// The equivalent sequence of simpler operations. Axes of one element are dropped along the way.
    func steps(_ shape: Shape) -> [any Operation] {
        let pad = Pad(before: before, after: after)
        let padded = Shape(shape.indices.map { before[$0] + shape[$0] + after[$0] })
        let split = shape.indices.filter { blocks[$0] > 1 }
        // Each axis is split in two: the block index, and the pixel within the block.
        let axes = shape.indices.flatMap { [padded[$0] / blocks[$0], blocks[$0]] }
        let order = split.map { 2 * $0 + 1 } + shape.indices.map { 2 * $0 }
        var result = Shape(shape.indices.map { padded[$0] / blocks[$0] })
        result[0] *= blocks.reduce(1, *)
        return (padded == shape ? [] : [pad]) + Rearrangement(axes: axes, order: order, result: result).steps
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        guard order.first == 0 else { return nil }
        let copy = SpaceToBatch(
            blocks: order.map { blocks[$0] }, before: order.map { before[$0] }, after: order.map { after[$0] })
        // The pixels of a block are numbered in axis order.
        let split = order.filter { blocks[$0] > 1 }
        return split == split.sorted() ? Reordered(copy, inputs: orders, outputs: orders) : nil
    }
}

// MARK: Facts

extension SpaceToBatch {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis > 0 && blocks[axis] == 1 && before[axis] + after[axis] == 0 ? .kept(axis) : .rearranged
    }
}

// MARK: TensorFlow

extension SpaceToBatch {
    static let tensorFlow = [
        TensorFlowRule("SpaceToBatchND", "SpaceToBatch", axes: .kept, roles: []) { node, context in
            let input = try node.input(0)
            let (blocks, before, after) = try parameters(node, "paddings", rank: input.shape.rank)
            let operation = SpaceToBatch(blocks: blocks, before: before, after: after)
            return [try context.add(operation, input, name: node.name)]
        },
        TensorFlowRule("BatchToSpaceND", "BatchToSpace", axes: .kept, roles: []) { node, context in
            let input = try node.input(0)
            let (blocks, before, after) = try parameters(node, "crops", rank: input.shape.rank)
            let operation = BatchToSpace(blocks: blocks, before: before, after: after)
            return [try context.add(operation, input, name: node.name)]
        },
    ]

    /// The block sizes along all axes, and the amounts before and after each. The older operations have a single size
    /// for height and width.
    private static func parameters(_ node: TensorFlowNode, _ role: String, rank: Int) throws -> ([Int], [Int], [Int]) {
        let isOld = !node.op.hasSuffix("ND")
        let size = isOld ? try node.int("block_size", default: 0) : 0
        let sizes = isOld ? [size, size] : try node.integers(1, "block shape")
        let amounts = try node.integers(isOld ? 1 : 2, role)
        guard sizes.count < rank, !sizes.isEmpty, amounts.count == 2 * sizes.count,
            sizes.allSatisfy((1..<1 << 12).contains), amounts.allSatisfy((0..<1 << 24).contains)
        else { throw node.refused("blocks of \(sizes) with \(role) \(amounts) do not fit a tensor of rank \(rank)") }
        func all(_ numbers: [Int], _ rest: Int) -> [Int] {
            [rest] + numbers + Array(repeating: rest, count: rank - 1 - numbers.count)
        }
        return (
            all(sizes, 1), all(sizes.indices.map { amounts[2 * $0] }, 0),
            all(sizes.indices.map { amounts[2 * $0 + 1] }, 0)
        )
    }
}

// MARK: Core ML

extension SpaceToBatch: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        try parts.add(steps(inputs[0].shape), to: inputs[0])
    }
}
