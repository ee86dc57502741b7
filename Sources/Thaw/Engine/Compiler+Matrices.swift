import Kernels

// Products of matrices that are computed during the run, and attention.

extension Compiler {
    /// The least number of rows for which the second matrix is packed.
    private static let leastPackedRows = 8
    /// The bytes of a packed matrix, or of a tile of scores, that stay in a core's cache.
    private static let packedBudget = 256 << 10
    private static let tileBudget = 32 << 10

    mutating func addMatrixProduct(_ node: PlannedNode, transposeFirst: Bool, transposeSecond: Bool) {
        let output = graph[node.outputs[0]].shape
        let isPacked = output[output.rank - 2] >= Compiler.leastPackedRows
        let left = laidOut(node, 0, transposeFirst)
        let right = laidOut(node, 1, transposeSecond && !isPacked)
        let (rows, columns) = (output[output.rank - 2], output[output.rank - 1])
        let depth = left.shape[left.shape.rank - 1]
        let batch = Shape(output.dropLast(2))
        let batches = Odometer(sizes: batch.dimensions)
        let leftSteps = Shape(left.shape.dropLast(2)).broadcastSteps(to: batch).map { $0 * rows * depth }
        let rightSteps = Shape(right.shape.dropLast(2)).broadcastSteps(to: batch).map { $0 * depth * columns }
        let to = location(node.outputs[0], .plain).slot
        guard isPacked else {
            let kernels = kernels.plain
            add(
                Step(
                    name: node.name, kind: node.operation.kind, reads: [left.slot, right.slot], writes: [to],
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
            name: node.name, kind: node.operation.kind, algorithm: "packed", reads: [left.slot, right.slot],
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
        let order = MatrixProduct.turningOver(shape.rank)
        let turned = scratch(byteCount: shape.elementCount * 4)
        addDataMovement(
            (node.name, "Transpose"), DataMovement(transposing: shape, order), from: [slot], to: [turned],
            counts: [shape.elementCount])
        return (turned, shape.permuted(order))
    }

    /// Rows in as few parts as give all threads something to do.
    /// - Parameter count: The number of other parts.
    private func rowParts(_ rows: Int, perPart least: Int, for count: Int) -> [Range<Int>] {
        let wanted = max(1, (minimumChunks + count - 1) / count)
        let perPart = max(least, (rows + wanted - 1) / wanted)
        return stride(from: 0, to: rows, by: perPart).map { $0..<min($0 + perPart, rows) }
    }

    /// Computes some rows of scores at a time, for all keys, and then the average of the values: the scores never leave
    /// a core's cache. Keys and values are packed once for each chunk.
    mutating func addAttention(_ node: PlannedNode, factor: Float, mask: Tensor?) {
        let shapes = node.inputs.map { graph[$0].shape }
        let slots = node.inputs.map { location($0, .plain).slot }
        let to = location(node.outputs[0], .plain).slot
        let rank = shapes[0].rank
        let (rows, width) = (shapes[0][rank - 2], shapes[0][rank - 1])
        let (keys, channels) = (shapes[2][rank - 2], shapes[2][rank - 1])
        let batch = Shape(shapes[0].dropLast(2))
        let batches = Odometer(sizes: batch.dimensions)
        let fitting = min(rows, Compiler.tileBudget / (keys * 4))
        let perTile = max(kernels.tilePixels, fitting / kernels.tilePixels * kernels.tilePixels)
        let scoring = PackedProduct(
            &self, rows: perTile, depth: width, columns: 0..<keys, of: keys, isTransposed: true)
        let mixing = PackedProduct(
            &self, rows: perTile, depth: keys, columns: 0..<channels, of: channels, isTransposed: false)
        let whole = Shape(batch.dimensions + [rows, keys])
        var masks =
            mask.map {
                [ScoreMask(.constant(channelConstant($0, count: $0.elementCount)), $0.shape, of: whole)]
            } ?? []
        if slots.count > 3 { masks.append(ScoreMask(.slot(slots[3]), shapes[3], of: whole)) }
        let number = withConstants { $0.floats([factor], count: 1) }
        let parts = rowParts(rows, perPart: perTile, for: batches.count)
        let plain = kernels.plain
        let bytes = [scoring.packedBytes, mixing.packedBytes, perTile * keys * 4, perTile * width * 4]
        // Each piece of scratch memory begins at a vector, and may be read a vector past its end.
        let starts = bytes.indices.map { bytes.prefix($0).reduce(0) { $0 + ($1 + 127) / 64 * 64 } }
        var step = Step(
            name: node.name, kind: node.operation.kind, algorithm: "tiled", reads: slots, writes: [to],
            multiplyAdds: node.multiplyAdds, chunks: batches.count * parts.count
        ) { [masks] memory, chunk in
            let (index, part) = chunk.quotientAndRemainder(dividingBy: parts.count)
            let (packedKeys, packedValues) = (memory.scratch + starts[0], memory.scratch + starts[1])
            let (scores, scaled) = (memory.scratch + starts[2], memory.scratch + starts[3])
            scoring.pack(memory.floats(slot: slots[1]) + index * keys * width, to: packedKeys)
            mixing.pack(memory.floats(slot: slots[2]) + index * keys * channels, to: packedValues)
            for first in stride(from: parts[part].lowerBound, to: parts[part].upperBound, by: perTile) {
                let count = min(perTile, parts[part].upperBound - first)
                var query = UnsafeRawPointer(memory.floats(slot: slots[0]) + (index * rows + first) * width)
                if factor != 1 {
                    var work = RowWork(
                        left: query, leftStride: 0, output: scaled, outputStride: 0, width: count * width, count: 1)
                    work.right = UnsafeRawPointer(memory.floats(number))
                    work.pattern = .one
                    plain.binary(.multiply, work)
                    query = UnsafeRawPointer(scaled)
                }
                scoring.multiply(memory, query, count: count, by: packedKeys, to: scores)
                let tile = RowWork(
                    left: scores, leftStride: keys * 4, output: scores, outputStride: keys * 4, width: keys,
                    count: count)
                for mask in masks { plain.binary(.add, mask.work(memory, tile, index, batches, row: first)) }
                plain.softmax(tile)
                mixing.multiply(
                    memory, scores, count: count, by: packedValues,
                    to: memory.floats(slot: to) + (index * rows + first) * channels)
            }
        }
        step.scratchBytes = starts[3] + bytes[3] + 64
        add(step)
    }
}

/// A mask that is broadcast to scores.
private struct ScoreMask: Sendable {
    private let source: TensorSource
    private let batchSteps: [Int]
    private let rowStep: Int
    private let isOnePerRow: Bool

    init(_ source: TensorSource, _ shape: Shape, of scores: Shape) {
        self.source = source
        let steps = shape.broadcastSteps(to: scores)
        batchSteps = Array(steps.dropLast(2))
        rowStep = steps[steps.count - 2]
        isOnePerRow = steps[steps.count - 1] == 0
    }

    /// The work that adds it to a tile of scores.
    func work(_ memory: Memory, _ tile: RowWork, _ index: Int, _ batches: Odometer, row: Int) -> RowWork {
        var work = tile
        work.right = UnsafeRawPointer(memory.floats(source) + batches.offset(index, batchSteps) + row * rowStep)
        work.rightStride = rowStep * 4
        work.pattern = isOnePerRow ? .one : .each
        return work
    }
}
