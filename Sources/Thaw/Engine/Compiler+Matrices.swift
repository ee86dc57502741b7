import Kernels

// Products of matrices that are computed during the run.

extension Compiler {
    /// The least number of rows for which the second matrix is packed.
    private static let minimumPackedRows = 8
    /// The bytes of a packed matrix that stay in a core's cache.
    private static let packedBudget = 256 << 10

    mutating func addMatrixProduct(_ node: PlannedNode, transposeFirst: Bool, transposeSecond: Bool) {
        let output = graph[node.outputs[0]].shape
        let isPacked = output[output.rank - 2] >= Compiler.minimumPackedRows
        let product = BatchedProduct(
            left: laidOut(node, 0, transposeFirst), right: laidOut(node, 1, transposeSecond && !isPacked),
            output: (location(node.outputs[0], .plain).slot, output))
        isPacked
            ? addPackedProduct(node, product, isTransposed: transposeSecond) : addPlainProduct(node, product)
    }

    private mutating func addPlainProduct(_ node: PlannedNode, _ product: BatchedProduct) {
        let kernels = kernels.plain
        add(
            Step(
                node, reads: product.reads, writes: [product.output], multiplyAdds: node.multiplyAdds,
                chunks: product.batches.count
            ) { memory, index in
                kernels.multiplyMatrices(
                    MatrixWork(
                        left: product.left(memory, index), right: product.right(memory, index),
                        output: product.output(memory, index), rows: product.rows, depth: product.depth,
                        columns: product.columns))
            })
    }

    /// Packs parts of the second matrix that stay in a core's cache.
    /// - Parameter isTransposed: Whether the second matrix is stored column by column.
    private mutating func addPackedProduct(_ node: PlannedNode, _ product: BatchedProduct, isTransposed: Bool) {
        let kernels = kernels.plain
        let (rows, depth, columns) = (product.rows, product.depth, product.columns)
        let groupWidth = kernels.groupBlocks * kernels.blockWidth
        let columnsPerPart = max(1, Compiler.packedBudget / (depth * 4 * groupWidth)) * groupWidth
        var pieces: [PackedProduct] = []
        for first in stride(from: 0, to: columns, by: columnsPerPart) {
            let part = first..<min(first + columnsPerPart, columns)
            pieces.append(
                PackedProduct(&self, rows: rows, depth: depth, columns: part, of: columns, isTransposed: isTransposed))
        }
        let parts = rowParts(rows, perPart: 4 * kernels.tilePixels, for: product.batches.count * pieces.count)
        var step = Step(
            node, algorithm: "packed", reads: product.reads, writes: [product.output],
            multiplyAdds: node.multiplyAdds, chunks: product.batches.count * pieces.count * parts.count
        ) { [pieces] memory, chunk in
            let (rest, part) = chunk.quotientAndRemainder(dividingBy: parts.count)
            let (index, piece) = rest.quotientAndRemainder(dividingBy: pieces.count)
            let (packed, first) = (pieces[piece], parts[part].lowerBound)
            packed.pack(product.right(memory, index), to: memory.scratch)
            packed.multiply(
                memory, product.left(memory, index) + first * depth, count: parts[part].count, by: memory.scratch,
                to: product.output(memory, index) + first * columns)
        }
        step.scratchBytes = pieces.map(\.packedBytes).max() ?? 0
        add(step)
    }

    /// An input as the kernels read it. A matrix that must be transposed is copied.
    private mutating func laidOut(_ node: PlannedNode, _ index: Int, _ isTransposed: Bool) -> (slot: Int, shape: Shape)
    {
        let shape = graph[node.inputs[index]].shape
        let slot = location(node.inputs[index], .plain).slot
        guard isTransposed else { return (slot, shape) }
        let order = MatrixProduct.swappingLastAxes(shape.rank)
        let transposed = scratch(byteCount: shape.elementCount * 4)
        addDataMovement(
            node, kind: "Transpose", DataMovement(transposing: shape, order), from: [slot], to: [transposed],
            counts: [shape.elementCount])
        return (transposed, shape.permuted(order))
    }

    /// Rows in as few parts as give all threads something to do.
    /// - Parameter count: The number of other parts.
    func rowParts(_ rows: Int, perPart minimum: Int, for count: Int) -> [Range<Int>] {
        let partCount = max(1, minimumChunks.dividedRoundingUp(by: count))
        let perPart = max(minimum, rows.dividedRoundingUp(by: partCount))
        return stride(from: 0, to: rows, by: perPart).map { $0..<min($0 + perPart, rows) }
    }
}

/// The matrices of a product, each in a buffer, with batch axes that are broadcast.
private struct BatchedProduct {
    let rows: Int
    let depth: Int
    let columns: Int
    let batches: IndexSpace
    let output: Int
    private let left: Operand
    private let right: Operand

    private struct Operand {
        let slot: Int
        /// The elements from one matrix to the next along each batch axis of the output.
        let steps: [Int]

        init(_ matrices: (slot: Int, shape: Shape), to batch: Shape) {
            let count = matrices.shape.suffix(2).reduce(1, *)
            slot = matrices.slot
            steps = Shape(matrices.shape.dropLast(2)).broadcastSteps(to: batch).map { $0 * count }
        }
    }

    init(left: (slot: Int, shape: Shape), right: (slot: Int, shape: Shape), output: (slot: Int, shape: Shape)) {
        let shape = output.shape
        let batch = Shape(shape.dropLast(2))
        (rows, columns) = (shape[shape.rank - 2], shape[shape.rank - 1])
        depth = left.shape[left.shape.rank - 1]
        batches = IndexSpace(sizes: batch.dimensions)
        self.output = output.slot
        self.left = Operand(left, to: batch)
        self.right = Operand(right, to: batch)
    }

    var reads: [Int] { [left.slot, right.slot] }

    func left(_ memory: Memory, _ index: Int) -> UnsafeMutablePointer<Float> {
        memory.floats(slot: left.slot) + batches.offset(index, left.steps)
    }

    func right(_ memory: Memory, _ index: Int) -> UnsafeMutablePointer<Float> {
        memory.floats(slot: right.slot) + batches.offset(index, right.steps)
    }

    func output(_ memory: Memory, _ index: Int) -> UnsafeMutablePointer<Float> {
        memory.floats(slot: output) + index * rows * columns
    }
}
