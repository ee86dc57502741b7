import CMachine
import Kernels

// Accumulators become results: added to a residual, clamped, stored, and passed to the activation.

/// Adds the residual, clamps and stores.
@inline(__always)
func finish<T: Tile>(_ tile: inout T, _ work: borrowing ConvolutionWork, _ first: Int, _ block: Int) {
    if let residual = work.residual, let offsets = work.residualOffsets {
        let (start, stride) = (residual + block * work.residualBlockStride, work.residualBlockStride)
        #if BFLOAT16
            work.addsPlain
                ? tile.addPlain(start, offsets + first, blockStride: stride)
                : tile.add(start, offsets + first, blockStride: stride)
        #else
            tile.add(start, offsets + first, blockStride: stride)
        #endif
    }
    if work.lower > -Float.infinity { tile.clamp(lower: Vector(repeating: work.lower)) }
    if work.upper < Float.infinity { tile.clamp(upper: Vector(repeating: work.upper)) }
    let output = work.output + block * work.outputBlockStride
    let offsets = work.outputOffsets + first
    let lanes = min(blockWidth, work.channels - (block + T.Sums.count - 1) * blockWidth)
    #if BFLOAT16
        if work.writesPlain {
            return tile.storePlain(output, offsets, blockStride: work.outputBlockStride, lanes: lanes)
        }
    #endif
    if lanes == blockWidth {
        tile.store(output, offsets, blockStride: work.outputBlockStride, lanes: blockWidth)
    } else {
        tile.store(output, offsets, blockStride: work.outputBlockStride, lanes: lanes)
    }
}

/// Applies the activation to stored pixels, in contiguous runs.
@inline(never)
func activate(
    _ function: UnaryFunction, _ work: borrowing ConvolutionWork, _ pixels: Range<Int>, _ blocks: Range<Int>
) {
    let offsets = work.outputOffsets
    for block in blocks {
        let plane = work.output + block * work.outputBlockStride
        let lanes = min(blockWidth, work.channels - block * blockWidth)
        var first = pixels.lowerBound
        while first < pixels.upperBound {
            var end = first + 1
            while end < pixels.upperBound, lanes == blockWidth,
                Int(offsets[end] - offsets[end - 1]) == Table.pixelBytes
            {
                end += 1
            }
            let (row, width) = (plane + Int(offsets[first]), (end - first - 1) * blockWidth + lanes)
            #if BFLOAT16
                work.writesPlain
                    ? activatePlain(function, floats(row), width: width) : activate(function, values(row), width: width)
            #else
                activate(function, values(row), width: width)
            #endif
            first = end
        }
    }
}

/// Applies a function to a row of values in place. (Once in the binary, not in every tile.)
@inline(never)
func activate(_ function: UnaryFunction, _ row: UnsafeMutablePointer<Value>, width: Int) {
    Table.unary(
        function, RowWork(left: row, leftStride: 0, output: row, outputStride: 0, width: width, count: 1))
}

#if BFLOAT16
    /// The same for floats.
    @inline(never)
    private func activatePlain(_ function: UnaryFunction, _ row: UnsafeMutablePointer<Float>, width: Int) {
        Table.plain.unary(
            function, RowWork(left: row, leftStride: 0, output: row, outputStride: 0, width: width, count: 1))
    }
#endif
