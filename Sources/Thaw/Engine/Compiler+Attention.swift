import Kernels

extension Compiler {
    /// Computes some rows of scores at a time, for all keys, and then the average of the values: the scores never leave
    /// a core's cache. Keys and values are packed once for each chunk.
    ///
    /// Rows of scores are padded to whole blocks with −∞, which the softmax turns into zeros.
    mutating func addAttention(_ node: PlannedNode, factor: Float, mask: Tensor?) {
        let sizes = AttentionSizes(node.inputs.map { graph[$0].shape }, kernels.plain)
        // The kernels take 32-bit offsets.
        guard sizes.perTile * sizes.padded <= Limits.computedElements else { return addReference(node) }
        let layer = AttentionLayer(&self, node, sizes, factor: factor, mask: mask)
        let parts = rowParts(sizes.rows, perPart: sizes.perTile, for: layer.batches.count)
        var step = Step(
            node, algorithm: "tiled", reads: layer.inputs.all, writes: [layer.to],
            multiplyAdds: node.multiplyAdds, chunks: layer.batches.count * parts.count
        ) { memory, chunk in
            let (index, part) = chunk.quotientAndRemainder(dividingBy: parts.count)
            layer.run(memory, index, rows: parts[part])
        }
        step.scratchBytes = layer.scratch.byteCount
        add(step)
    }
}

/// The sizes of an attention's tensors, and of the tiles in which it is computed.
private struct AttentionSizes {
    /// The axes before the last two.
    let batch: Shape
    /// The queries, and the width of each.
    let rows: Int
    let width: Int
    /// The keys, which are as many as the values, and the width of a value.
    let keys: Int
    let channels: Int
    /// The width of a row of scores.
    let padded: Int
    /// The rows of a tile.
    let perTile: Int

    /// The bytes of a tile of scores that stay in a core's cache.
    private static let tileBudget = 32 << 10

    init(_ shapes: [Shape], _ kernels: any KernelTable.Type) {
        let rank = shapes[0].rank
        batch = Shape(shapes[0].dropLast(2))
        (rows, width) = (shapes[0][rank - 2], shapes[0][rank - 1])
        (keys, channels) = (shapes[2][rank - 2], shapes[2][rank - 1])
        padded = keys.rounded(upToMultipleOf: kernels.blockWidth)
        let fitting = min(rows, AttentionSizes.tileBudget / (padded * 4))
        perTile = min(max(rows, 1), max(kernels.tilePixels, fitting / kernels.tilePixels * kernels.tilePixels))
    }
}

/// The parameters of an attention. All except locations are constants.
private struct AttentionLayer: Sendable {
    private let sizes: AttentionSizes
    let batches: IndexSpace
    let inputs: Inputs
    /// The buffer of the result.
    let to: Int
    /// The products of queries and keys, and of scores and values.
    private let scoring: PackedProduct
    private let mixing: PackedProduct
    /// The mask, if there is one: constant or computed.
    private let constantMask: ConstantMask?
    private let computedMask: ScoreMask?
    private let factor: Float
    /// An index into the constants.
    private let factorOffset: Int
    private let plain: any PlainKernels.Type
    let scratch: ScratchLayout

    /// The buffers of the inputs. There is one for the mask if it is computed.
    struct Inputs {
        let queries, keys, values: Int
        let mask: Int?

        var all: [Int] { [queries, keys, values] + (mask.map { [$0] } ?? []) }
    }

    /// The offsets of packed keys, packed values, scores and scaled queries in the scratch memory of a thread.
    struct ScratchLayout {
        let keys, values, scores, queries: Int
        let byteCount: Int

        /// The arguments are the bytes of each.
        init(keys: Int, values: Int, scores: Int, queries: Int) {
            // Each piece begins at a vector, and may be read a vector past its end.
            func end(_ start: Int, _ byteCount: Int) -> Int {
                start + (byteCount + Memory.readPastEnd).roundedToVectors
            }
            self.keys = 0
            self.values = end(self.keys, keys)
            self.scores = end(self.values, values)
            self.queries = end(self.scores, scores)
            byteCount = self.queries + queries + Memory.readPastEnd
        }
    }

    init(_ compiler: inout Compiler, _ node: PlannedNode, _ sizes: AttentionSizes, factor: Float, mask: Tensor?) {
        (self.sizes, self.factor, plain) = (sizes, factor, compiler.kernels.plain)
        let (keys, padded, perTile) = (sizes.keys, sizes.padded, sizes.perTile)
        batches = IndexSpace(sizes: sizes.batch.dimensions)
        let slots = node.inputs.map { compiler.location($0, .plain).slot }
        inputs = Inputs(queries: slots[0], keys: slots[1], values: slots[2], mask: slots.count > 3 ? slots[3] : nil)
        to = compiler.location(node.outputs[0], .plain).slot
        scoring = PackedProduct(
            &compiler, rows: perTile, depth: sizes.width, columns: 0..<keys, of: keys, isTransposed: true,
            padding: -Float.infinity)
        mixing = PackedProduct(
            &compiler, rows: perTile, depth: keys, columns: 0..<sizes.channels, of: sizes.channels,
            isTransposed: false, inputStride: padded)
        let scores = Shape(sizes.batch.dimensions + [sizes.rows, padded])
        constantMask = mask.map { mask in
            let constant = compiler.plainConstant(mask.paddedRows(keys, to: padded))
            return ConstantMask(ScoreMask(constant, of: scores), rows: perTile, &compiler)
        }
        computedMask = inputs.mask.map {
            ScoreMask(PlainTensor(source: .slot($0), shape: compiler.graph[node.inputs[3]].shape), of: scores)
        }
        factorOffset = compiler.withConstants { $0.floats([factor], count: 1) }
        scratch = ScratchLayout(
            keys: scoring.packedBytes, values: mixing.packedBytes, scores: perTile * padded * 4,
            queries: perTile * sizes.width * 4)
    }

    /// Computes some rows of one batch.
    func run(_ memory: Memory, _ index: Int, rows: Range<Int>) {
        let (packedKeys, packedValues) = (memory.scratch + scratch.keys, memory.scratch + scratch.values)
        let (scores, scaled) = (memory.scratch + scratch.scores, memory.scratch + scratch.queries)
        scoring.pack(memory.floats(slot: inputs.keys) + index * sizes.keys * sizes.width, to: packedKeys)
        mixing.pack(memory.floats(slot: inputs.values) + index * sizes.keys * sizes.channels, to: packedValues)
        for first in stride(from: rows.lowerBound, to: rows.upperBound, by: sizes.perTile) {
            let count = min(sizes.perTile, rows.upperBound - first)
            let row = index * sizes.rows + first
            scoring.multiply(
                memory, scaledQueries(memory, row, count: count, scaled), count: count, by: packedKeys, to: scores,
                adding: constantMask?.rows(memory, index, batches, row: first))
            var tile = RowWork(
                left: scores, leftStride: sizes.padded * 4, output: scores, outputStride: sizes.padded * 4,
                width: sizes.keys, count: count)
            if let computedMask {
                plain.binary(.add, computedMask.work(memory, tile, index, batches, row: first))
            }
            tile.width = sizes.padded
            plain.softmax(tile)
            mixing.multiply(
                memory, scores, count: count, by: packedValues,
                to: memory.floats(slot: to) + row * sizes.channels)
        }
    }

    /// Some queries times the factor.
    /// - Parameter scaled: Memory for them.
    private func scaledQueries(
        _ memory: Memory, _ row: Int, count: Int, _ scaled: UnsafeMutableRawPointer
    ) -> UnsafeRawPointer {
        let queries = UnsafeRawPointer(memory.floats(slot: inputs.queries) + row * sizes.width)
        guard factor != 1 else { return queries }
        var work = RowWork(
            left: queries, leftStride: 0, output: scaled, outputStride: 0, width: count * sizes.width, count: 1)
        work.right = UnsafeRawPointer(memory.floats(factorOffset))
        work.pattern = .one
        plain.binary(.multiply, work)
        return UnsafeRawPointer(scaled)
    }
}

/// A mask that is broadcast to scores.
private struct ScoreMask: Sendable {
    let source: TensorSource
    private let batchSteps: [Int]
    let rowStep: Int
    private let isOnePerRow: Bool

    init(_ mask: PlainTensor, of scores: Shape) {
        let shape = mask.shape
        source = mask.source
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
