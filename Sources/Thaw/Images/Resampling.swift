import Kernels

/// Resizing in two passes, along rows and along columns, each in fixed point and rounded to 8 bits, as in Pillow.
extension Pixels {
    /// The given part of the image, resized. A pass without effect is skipped.
    ///
    /// Each pass rounds, so the order of the passes affects the last bit: the height is resized first if it shrinks by more
    /// than twice as many pixels as the width. (Pillow does so since version 13; before, the width always came first.)
    func resized(
        width newWidth: Int, height newHeight: Int, from columns: Range<Int>, _ rows: Range<Int>,
        by resize: ResizeMethod,
        _ kernels: any PlainKernels.Type = bestKernels
    ) -> Pixels {
        precondition(newWidth > 0 && newHeight > 0 && !columns.isEmpty && !rows.isEmpty)
        var (result, columns, rows) = (self, columns, rows)
        func resizeRows() {
            guard columns != 0..<result.width || newWidth != result.width else { return }
            let filter = ResamplingFilter(from: columns, to: newWidth, by: resize)
            result = result.resampledAlongRows(rows, by: filter, kernels)
            (columns, rows) = (0..<result.width, 0..<result.height)
        }
        func resizeColumns() {
            guard rows != 0..<result.height || newHeight != result.height else { return }
            let filter = ResamplingFilter(from: rows, to: newHeight, by: resize)
            result = result.resampledAlongColumns(columns, by: filter, kernels)
            (columns, rows) = (0..<result.width, 0..<result.height)
        }
        if rows.count - newHeight > 2 * max(columns.count - newWidth, 0) {
            resizeColumns()
            resizeRows()
        } else {
            resizeRows()
            resizeColumns()
        }
        return result
    }

    private func resampledAlongRows(
        _ rows: Range<Int>, by filter: ResamplingFilter, _ kernels: any PlainKernels.Type
    ) -> Pixels {
        let newWidth = filter.first.count
        return Pixels(width: newWidth, height: rows.count, channels: channels) { target in
            withUnsafeTemporaryAllocation(byteCount: width * 64, alignment: 64) { scratch in
                work(
                    filter, from: rows.lowerBound * width * channels, to: target, width: width, height: rows.count,
                    targetStride: newWidth * channels, scratch: scratch, kernels.resampleRows)
            }
        }
    }

    private func resampledAlongColumns(
        _ columns: Range<Int>, by filter: ResamplingFilter, _ kernels: any PlainKernels.Type
    ) -> Pixels {
        let row = columns.count * channels
        return Pixels(width: columns.count, height: filter.first.count, channels: channels) { target in
            withUnsafeTemporaryAllocation(byteCount: 64, alignment: 64) { scratch in
                work(
                    filter, from: columns.lowerBound * channels, to: target, width: row, height: 0, targetStride: row,
                    scratch: scratch, kernels.resampleColumns)
            }
        }
    }

    /// Calls a kernel with the image's bytes from `start` on.
    private func work(
        _ filter: ResamplingFilter, from start: Int, to target: UnsafeMutableBufferPointer<UInt8>, width: Int,
        height: Int, targetStride: Int, scratch: UnsafeMutableRawBufferPointer,
        _ kernel: (borrowing ResamplingWork) -> Void
    ) {
        bytes.withUnsafeBufferPointer { source in
            filter.first.withUnsafeBufferPointer { first in
                filter.taps.withUnsafeBufferPointer { taps in
                    filter.weights.withUnsafeBufferPointer { weights in
                        kernel(
                            ResamplingWork(
                                source: source.baseAddress! + start, sourceStride: self.width * channels,
                                target: target.baseAddress!, targetStride: targetStride, channels: channels,
                                width: width, height: height, count: filter.first.count, first: first.baseAddress!,
                                taps: taps.baseAddress!, weights: weights.baseAddress!, reach: filter.reach,
                                scratch: scratch.baseAddress!.assumingMemoryBound(to: Int32.self)))
                    }
                }
            }
        }
    }
}

/// The kernels for the best available instruction set, or for the one in `THAW_ISA`.
let bestKernels = ((try? InstructionSet.chosen()) ?? .baseline).kernels.plain
