import Kernels

/// Resizing in two passes, along rows and along columns, each in fixed point and rounded to 8 bits, as Pillow does it.
extension Pixels {
    /// The given part of the picture in a new size. A pass that would change nothing is left out.
    ///
    /// Each pass rounds, so their order shows in the last bit: the columns come first where they lose more than twice as
    /// many pixels as the rows do. (So does Pillow from version 13 on; earlier ones always began with the rows.)
    func resized(
        width newWidth: Int, height newHeight: Int, from columns: Range<Int>, _ rows: Range<Int>,
        by resize: ResizeMethod,
        _ kernels: KernelTable = bestKernels
    ) -> Pixels {
        precondition(newWidth > 0 && newHeight > 0 && !columns.isEmpty && !rows.isEmpty)
        var (picture, columns, rows) = (self, columns, rows)
        func resizeRows() {
            guard columns != 0..<picture.width || newWidth != picture.width else { return }
            let filter = ResamplingFilter(from: columns, to: newWidth, by: resize)
            picture = picture.resampledAlongRows(rows, by: filter, kernels)
            (columns, rows) = (0..<picture.width, 0..<picture.height)
        }
        func resizeColumns() {
            guard rows != 0..<picture.height || newHeight != picture.height else { return }
            let filter = ResamplingFilter(from: rows, to: newHeight, by: resize)
            picture = picture.resampledAlongColumns(columns, by: filter, kernels)
            (columns, rows) = (0..<picture.width, 0..<picture.height)
        }
        if rows.count - newHeight > 2 * max(columns.count - newWidth, 0) {
            resizeColumns()
            resizeRows()
        } else {
            resizeRows()
            resizeColumns()
        }
        return picture
    }

    private func resampledAlongRows(
        _ rows: Range<Int>, by filter: ResamplingFilter, _ kernels: KernelTable
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
        _ columns: Range<Int>, by filter: ResamplingFilter, _ kernels: KernelTable
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

    /// Calls a kernel with the picture's bytes from `start` on.
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

/// The kernels of the best instructions here, or of those that `THAW_ISA` names.
let bestKernels = ((try? InstructionSet.chosen()) ?? .baseline).kernels
