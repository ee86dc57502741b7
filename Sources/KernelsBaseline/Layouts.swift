import Kernels

// Images of floats, pixel by pixel, to images in blocks of channels, and back.

extension Table {
    public static func block(_ work: borrowing RelayoutWork) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            let lanes = min(blockWidth, work.channels - block * blockWidth)
            for row in 0..<work.height {
                var from = UnsafeRawPointer(work.plain) + (row * work.plainRowStride + block * blockWidth * 4)
                var to = work.blocked + (block * work.blockedBlockStride + row * work.blockedRowStride)
                for _ in 0..<work.width {
                    write(load(floats(from), count: lanes), values(to))
                    from += work.plainPixelStride
                    to += pixelBytes
                }
            }
        }
    }

    public static func unblock(_ work: borrowing RelayoutWork) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            let lanes = min(blockWidth, work.channels - block * blockWidth)
            for row in 0..<work.height {
                var to = work.plain + (row * work.plainRowStride + block * blockWidth * 4)
                var from =
                    UnsafeRawPointer(work.blocked) + (block * work.blockedBlockStride + row * work.blockedRowStride)
                for _ in 0..<work.width {
                    write(load(values(from)), floats(to), count: lanes)
                    to += work.plainPixelStride
                    from += pixelBytes
                }
            }
        }
    }
}
