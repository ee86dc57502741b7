import Kernels

extension Compiler {
    /// The bytes of a tile of scores that stay in a core's cache.
    private static let tileBudget = 32 << 10

    /// Computes some rows of scores at a time, for all keys, and then the average of the values: the scores never leave
    /// a core's cache. Keys and values are packed once for each chunk.
    ///
    /// Rows of scores are padded to whole blocks with −∞, which the softmax turns into zeros.
    mutating func addAttention(_ node: PlannedNode, factor: Float, mask: Tensor?) {
        let shapes = node.inputs.map { graph[$0].shape }
        let slots = node.inputs.map { location($0, .plain).slot }
        let to = location(node.outputs[0], .plain).slot
        let rank = shapes[0].rank
        let (rows, width) = (shapes[0][rank - 2], shapes[0][rank - 1])
        let (keys, channels) = (shapes[2][rank - 2], shapes[2][rank - 1])
        let padded = (keys + kernels.blockWidth - 1) / kernels.blockWidth * kernels.blockWidth
        let batch = Shape(shapes[0].dropLast(2))
        let batches = IndexSpace(sizes: batch.dimensions)
        let fitting = min(rows, Compiler.tileBudget / (padded * 4))
        let perTile = min(max(rows, 1), max(kernels.tilePixels, fitting / kernels.tilePixels * kernels.tilePixels))
        // The kernels take 32-bit offsets.
        guard perTile * padded <= Compiler.largestTensor else { return addReference(node) }
        let scoring = PackedProduct(
            &self, rows: perTile, depth: width, columns: 0..<keys, of: keys, isTransposed: true,
            padding: -Float.infinity)
        let mixing = PackedProduct(
            &self, rows: perTile, depth: keys, columns: 0..<channels, of: channels, isTransposed: false,
            inputStride: padded)
        let whole = Shape(batch.dimensions + [rows, padded])
        let known = mask.map { mask in
            let mask = mask.paddedRows(keys, to: padded)
            let constant = channelConstant(mask, count: mask.elementCount)
            return ConstantMask(ScoreMask(.constant(constant), mask.shape, of: whole), rows: perTile, &self)
        }
        let computed = slots.count > 3 ? ScoreMask(.slot(slots[3]), shapes[3], of: whole) : nil
        let number = withConstants { $0.floats([factor], count: 1) }
        let parts = rowParts(rows, perPart: perTile, for: batches.count)
        let plain = kernels.plain
        let bytes = [scoring.packedBytes, mixing.packedBytes, perTile * padded * 4, perTile * width * 4]
        // Each piece of scratch memory begins at a vector, and may be read a vector past its end.
        let starts = bytes.indices.map { bytes.prefix($0).reduce(0) { $0 + ($1 + 127) / 64 * 64 } }
        var step = Step(
            name: node.name, kind: node.operation.kind, algorithm: "tiled", reads: slots, writes: [to],
            multiplyAdds: node.multiplyAdds, chunks: batches.count * parts.count
        ) { memory, chunk in
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
                scoring.multiply(
                    memory, query, count: count, by: packedKeys, to: scores,
                    adding: known?.rows(memory, index, batches, row: first))
                var tile = RowWork(
                    left: scores, leftStride: padded * 4, output: scores, outputStride: padded * 4, width: keys,
                    count: count)
                if let computed { plain.binary(.add, computed.work(memory, tile, index, batches, row: first)) }
                tile.width = padded
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
    let source: TensorSource
    private let batchSteps: [Int]
    let rowStep: Int
    private let isOnePerRow: Bool

    init(_ source: TensorSource, _ shape: Shape, of scores: Shape) {
        self.source = source
        // Only the rows and the batch axes are broadcast by their steps: the scores may be padded.
        let last = shape.last ?? 1
        let steps = shape.broadcastSteps(to: Shape(scores.dropLast() + [last]))
        batchSteps = Array(steps.dropLast(2))
        rowStep = steps[steps.count - 2]
        isOnePerRow = last == 1
    }

    /// The mask of a row of scores.
    func row(_ memory: Memory, _ index: Int, _ batches: IndexSpace, _ row: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(memory.floats(source) + batches.offset(index, batchSteps) + row * rowStep)
    }

    /// The work that adds it to a tile of scores.
    func work(_ memory: Memory, _ tile: RowWork, _ index: Int, _ batches: IndexSpace, row: Int) -> RowWork {
        var work = tile
        work.right = self.row(memory, index, batches, row)
        work.rightStride = rowStep * 4
        work.pattern = isOnePerRow ? .one : .each
        return work
    }
}

/// A constant mask, padded like the scores. The first product adds it.
private struct ConstantMask: Sendable {
    private let mask: ScoreMask
    /// An index into the constants.
    private let offsets: Int

    /// - Parameter rows: The rows of a tile.
    init(_ mask: ScoreMask, rows: Int, _ compiler: inout Compiler) {
        self.mask = mask
        offsets = compiler.withConstants { $0.offsets((0..<rows).map { Int32($0 * mask.rowStep * 4) }) }
    }

    func rows(
        _ memory: Memory, _ index: Int, _ batches: IndexSpace, row: Int
    ) -> (first: UnsafeRawPointer, offsets: Int) {
        (mask.row(memory, index, batches, row), offsets)
    }
}

extension Tensor {
    /// The tensor broadcast to `count` columns, followed by zeros.
    fileprivate func paddedRows(_ count: Int, to width: Int) -> Tensor {
        let columns = shape.last ?? 1
        let (source, rows) = (floats, elementCount / max(1, columns))
        var values = [Float](repeating: 0, count: rows * width)
        for row in 0..<rows {
            for column in 0..<count {
                values[row * width + column] = source[row * columns + (columns == 1 ? 0 : column)]
            }
        }
        return Tensor(values, shape: Shape(shape.dropLast() + [width]))
    }
}
