import Kernels

// Steps that work on images: resizing, normalization across channels, interleaving of phases.

extension Compiler {
    /// Resizes planes in strips of rows.
    mutating func addResize(_ node: PlannedNode, rows: FilterWeights, columns: FilterWeights) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let kernel = kernels.resize
        let (rowTaps, columnTaps) = (constants(of: rows), constants(of: columns))
        let strips = strips(of: to)
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot], writes: [to.slot],
                chunks: to.images * to.blocks * strips.count
            ) { memory, chunk in
                let (plane, strip) = chunk.quotientAndRemainder(dividingBy: strips.count)
                let (image, block) = plane.quotientAndRemainder(dividingBy: to.blocks)
                if strip == 0 { memory.clearHalo(to, image: image, blocks: block..<block + 1) }
                var work = ResizeWork(
                    input: memory.pixels(from, image: image) + block * from.blockStride, inputRowStride: from.rowStride,
                    output: memory.pixels(to, image: image) + block * to.blockStride, outputRowStride: to.rowStride,
                    outputWidth: to.width, rows: rowTaps.taps(memory), columns: columnTaps.taps(memory),
                    rowCount: strips[strip].count)
                work.firstRow = strips[strip].lowerBound
                kernel(work)
            })
    }

    /// Rows of a plane in runs that are long enough to be worth a chunk.
    private func strips(of location: Location) -> [Range<Int>] {
        let rows = max(1, (1 << 14) / max(1, location.width * blockWidth))
        return stride(from: 0, to: location.height, by: rows).map { $0..<min($0 + rows, location.height) }
    }

    /// Taps in the program's constants.
    private struct StoredTaps {
        var starts: Int
        var weights: Int
        var count: Int

        func taps(_ memory: Memory) -> ResizeWork.Taps {
            ResizeWork.Taps(starts: memory.offsets(starts), weights: memory.floats(weights), count: count)
        }
    }

    /// Converts taps to constants: the same number of taps for every pixel, none of them outside the image.
    private mutating func constants(of taps: FilterWeights) -> StoredTaps {
        let count = max(1, taps.runs.map(\.weights.count).max() ?? 1)
        var weights = [Float](repeating: 0, count: taps.outputSize * count)
        var starts: [Int32] = []
        for (pixel, run) in taps.runs.enumerated() {
            let start = min(run.start, taps.inputSize - count)
            starts.append(Int32(start))
            for (tap, weight) in run.weights.enumerated() { weights[pixel * count + run.start - start + tap] = weight }
        }
        return withConstants {
            StoredTaps(starts: $0.offsets(starts), weights: $0.floats(weights, count: weights.count), count: count)
        }
    }

    mutating func addLocalNormalization(
        _ node: PlannedNode, radius: Int, bias: Float, alpha: Float, power: LocalNormalizationWork.Power
    ) {
        let from = location(node.inputs[0], .plain)
        let to = location(node.outputs[0], .plain)
        let kernel = kernels.normalizeLocally
        let channels = to.channels
        let pixels = to.floatCount / channels
        let perChunk = max(1, (1 << 14) / channels)
        var step = Step(
            name: node.name, kind: node.operation.kind, reads: [from.slot], writes: [to.slot],
            chunks: (pixels + perChunk - 1) / perChunk
        ) { memory, chunk in
            let first = chunk * perChunk
            kernel(
                LocalNormalizationWork(
                    input: memory.start(from, image: 0) + first * channels,
                    output: memory.start(to, image: 0) + first * channels, pixels: min(perChunk, pixels - first),
                    channels: channels, radius: radius, bias: bias, alpha: alpha, power: power,
                    scratch: memory.scratch.assumingMemoryBound(to: Float.self)))
        }
        step.scratchBytes = 4 * LocalNormalizationWork.scratchCount(channels: channels, radius: radius)
        add(step)
    }

    /// Takes every pixel of the result from its phase's plane. Within a plane, consecutive pixels are one stride apart
    /// in the result.
    mutating func addInterleaving(_ node: PlannedNode, _ phases: Phases) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let strips = strips(of: to)
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot], writes: [to.slot],
                chunks: to.images * to.blocks * strips.count
            ) { memory, chunk in
                let (plane, strip) = chunk.quotientAndRemainder(dividingBy: strips.count)
                let (image, block) = plane.quotientAndRemainder(dividingBy: to.blocks)
                if strip == 0 { memory.clearHalo(to, image: image, blocks: block..<block + 1) }
                let input = UnsafeRawPointer(memory.pixels(from, image: image))
                let output = UnsafeMutableRawPointer(memory.pixels(to, image: image) + block * to.blockStride)
                for row in strips[strip] {
                    let (y, phaseY) = (row + phases.rows.offset).quotientAndRemainder(dividingBy: phases.rows.stride)
                    for phaseX in 0..<phases.columns.stride {
                        let phase = phaseY * phases.columns.stride + phaseX
                        let line = (phase * to.blocks + block) * from.blockStride + y * from.rowStride
                        for column in phases.columns.pixels(of: phaseX) {
                            let x = (column + phases.columns.offset) / phases.columns.stride
                            let pixel = input.loadUnaligned(
                                fromByteOffset: (line + x * blockWidth) * 4, as: SIMD16<Float>.self)
                            output.storeBytes(
                                of: pixel, toByteOffset: (row * to.rowStride + column * blockWidth) * 4,
                                as: SIMD16<Float>.self)
                        }
                    }
                }
            })
    }
}
