import Kernels

// Steps that work on images: resizing, normalization across channels, interleaving of phases.

extension Compiler {
    /// Resizes planes in strips of rows.
    mutating func addResize(_ node: PlannedNode, rows: FilterWeights, columns: FilterWeights) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let kernels = kernels
        let (rowTaps, columnTaps) = (constants(of: rows), constants(of: columns))
        addPlanes(node, reads: [from.slot], to: to, strips: strips(of: to)) { memory, plane in
            var work = ResizeWork(
                input: memory.pixels(from, plane), inputRowStride: from.rowStride, output: memory.pixels(to, plane),
                outputRowStride: to.rowStride, outputWidth: to.width, rows: rowTaps.taps(memory),
                columns: columnTaps.taps(memory), rowCount: plane.rows.count)
            work.firstRow = plane.rows.lowerBound
            kernels.resize(work)
        }
    }

    /// Taps in the program's constants.
    private struct StoredTaps {
        var starts: Int
        var weights: Int
        var count: Int

        func taps(_ memory: Memory) -> ResizeWork.Taps {
            ResizeWork.Taps(starts: memory.integers(starts), weights: memory.floats(weights), count: count)
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
        let kernels = kernels.plain
        let channels = to.channels
        let pixels = to.images * to.pixels
        let perChunk = Step.rowsPerChunk(width: channels)
        var step = Step(
            node, reads: [from.slot], writes: [to.slot],
            chunks: pixels.dividedRoundingUp(by: perChunk)
        ) { memory, chunk in
            let first = chunk * perChunk
            kernels.normalizeLocally(
                LocalNormalizationWork(
                    input: memory.floats(slot: from.slot) + first * channels,
                    output: memory.floats(slot: to.slot) + first * channels, pixels: min(perChunk, pixels - first),
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
        addPlanes(node, reads: [from.slot], to: to, strips: strips(of: to)) { memory, plane in
            let input = memory.pixels(from, image: plane.image)
            let output = memory.pixels(to, plane)
            for row in plane.rows {
                let (y, phaseY) = (row + phases.rows.offset).quotientAndRemainder(dividingBy: phases.rows.stride)
                for phaseX in 0..<phases.columns.stride {
                    let phase = phaseY * phases.columns.stride + phaseX
                    let line = input + ((phase * to.blocks + plane.block) * from.blockStride + y * from.rowStride)
                    for column in phases.columns.pixels(of: phaseX) {
                        let x = (column + phases.columns.offset) / phases.columns.stride
                        (output + (row * to.rowStride + column * to.pixelStride)).copyMemory(
                            from: line + x * from.pixelStride, byteCount: to.pixelStride)
                    }
                }
            }
        }
    }
}
