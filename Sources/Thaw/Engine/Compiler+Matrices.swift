import Kernels

// Products of matrices that are computed during the run.

extension Compiler {
    /// The least number of rows for which the second matrix is packed.
    private static let minimumPackedRows = 8
    /// The bytes of a packed matrix that stay in a core's cache.
    private static let packedBudget = 256 << 10

    mutating func addMatrixProduct(_ node: PlannedNode, transposeFirst: Bool, transposeSecond: Bool) {
        let kernels = kernels.plain
        let output = graph[node.outputs[0]].shape
        let isPacked = output[output.rank - 2] >= Compiler.minimumPackedRows
        let left = laidOut(node, 0, transposeFirst)
        let right = laidOut(node, 1, transposeSecond && !isPacked)
        let (rows, columns) = (output[output.rank - 2], output[output.rank - 1])
        let depth = left.shape[left.shape.rank - 1]
        let batch = Shape(output.dropLast(2))
        let batches = IndexSpace(sizes: batch.dimensions)
        let leftSteps = Shape(left.shape.dropLast(2)).broadcastSteps(to: batch).map { $0 * rows * depth }
        let rightSteps = Shape(right.shape.dropLast(2)).broadcastSteps(to: batch).map { $0 * depth * columns }
        let to = location(node.outputs[0], .plain).slot
        guard isPacked else {
            add(
                Step(
                    node, reads: [left.slot, right.slot], writes: [to],
                    multiplyAdds: node.multiplyAdds, chunks: batches.count
                ) { memory, index in
                    kernels.multiplyMatrices(
                        MatrixWork(
                            left: memory.floats(slot: left.slot) + batches.offset(index, leftSteps),
                            right: memory.floats(slot: right.slot) + batches.offset(index, rightSteps),
                            output: memory.floats(slot: to) + index * rows * columns, rows: rows, depth: depth,
                            columns: columns))
                })
            return
        }
        let groupWidth = kernels.groupBlocks * kernels.blockWidth
        let columnsPerPart = max(1, Compiler.packedBudget / (depth * 4 * groupWidth)) * groupWidth
        var products: [PackedProduct] = []
        for first in stride(from: 0, to: columns, by: columnsPerPart) {
            let part = first..<min(first + columnsPerPart, columns)
            products.append(
                PackedProduct(
                    &self, rows: rows, depth: depth, columns: part, of: columns, isTransposed: transposeSecond))
        }
        let parts = rowParts(rows, perPart: 4 * kernels.tilePixels, for: batches.count * products.count)
        var step = Step(
            node, algorithm: "packed", reads: [left.slot, right.slot],
            writes: [to], multiplyAdds: node.multiplyAdds, chunks: batches.count * products.count * parts.count
        ) { [products] memory, chunk in
            let (rest, part) = chunk.quotientAndRemainder(dividingBy: parts.count)
            let (index, piece) = rest.quotientAndRemainder(dividingBy: products.count)
            let (product, first) = (products[piece], parts[part].lowerBound)
            product.pack(memory.floats(slot: right.slot) + batches.offset(index, rightSteps), to: memory.scratch)
            product.multiply(
                memory, memory.floats(slot: left.slot) + batches.offset(index, leftSteps) + first * depth,
                count: parts[part].count, by: memory.scratch,
                to: memory.floats(slot: to) + (index * rows + first) * columns)
        }
        step.scratchBytes = products.map(\.packedBytes).max() ?? 0
        add(step)
    }

    /// An input as the kernels read it. A matrix that must be transposed is copied.
    private mutating func laidOut(_ node: PlannedNode, _ index: Int, _ isTransposed: Bool) -> (slot: Int, shape: Shape)
    {
        let shape = graph[node.inputs[index]].shape
        let slot = location(node.inputs[index], .plain).slot
        guard isTransposed else { return (slot, shape) }
        let order = MatrixProduct.swappingLastAxes(shape.rank)
        let turned = scratch(byteCount: shape.elementCount * 4)
        addDataMovement(
            node, kind: "Transpose", DataMovement(transposing: shape, order), from: [slot], to: [turned],
            counts: [shape.elementCount])
        return (turned, shape.permuted(order))
    }

    /// Rows in as few parts as give all threads something to do.
    /// - Parameter count: The number of other parts.
    func rowParts(_ rows: Int, perPart minimum: Int, for count: Int) -> [Range<Int>] {
        let partCount = max(1, minimumChunks.dividedRoundingUp(by: count))
        let perPart = max(minimum, rows.dividedRoundingUp(by: partCount))
        return stride(from: 0, to: rows, by: perPart).map { $0..<min($0 + perPart, rows) }
    }
}
