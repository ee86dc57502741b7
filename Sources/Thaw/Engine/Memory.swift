import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory of a step: the buffers of values, by slot, and the program's constants, by offset in bytes.
struct Memory {
    /// The bytes that a vector load that starts at the last value of a buffer may read past it.
    static let readPastEnd = 64

    let slots: UnsafePointer<UnsafeMutableRawPointer>
    let constants: UnsafeRawPointer
    /// The current thread's scratch memory. Its contents are lost between chunks.
    var scratch: UnsafeMutableRawPointer

    /// The same memory, with the rest of the scratch memory after this many bytes.
    func reserving(_ byteCount: Int) -> Memory {
        var memory = self
        memory.scratch += byteCount
        return memory
    }

    /// The first pixel of an image.
    func pixels(_ location: Location, image: Int) -> UnsafeMutableRawPointer {
        start(location, image: image) + location.origin
    }

    /// The start of an image, including its halo.
    func start(_ location: Location, image: Int) -> UnsafeMutableRawPointer {
        slots[location.slot] + (image * location.imageStride + location.firstBlock * location.blockStride)
    }

    /// The values of a plain tensor of floats.
    func floats(slot: Int) -> UnsafeMutablePointer<Float> { slots[slot].assumingMemoryBound(to: Float.self) }

    func floats(_ constant: Int) -> UnsafePointer<Float> {
        (constants + constant).assumingMemoryBound(to: Float.self)
    }

    /// Offsets, or biases.
    func integers(_ constant: Int) -> UnsafePointer<Int32> {
        (constants + constant).assumingMemoryBound(to: Int32.self)
    }

    /// Writes the border of some rows of an image, which is zeros: in the planes of the given blocks or, if it is not blocked,
    /// in its only plane. The border above the image belongs to its first row, that below to its last.
    func clearHalo(_ location: Location, image: Int, blocks: Range<Int>, rows: Range<Int>) {
        let first = start(location, image: image)
        let isLast = rows.contains(location.height - 1)
        if location.kind == .rows, isLast, image == location.images - 1 {
            // Kernels that read pairs of values multiply the one after the last row of a window by zero.
            (first + location.imageStride).clear(byteCount: Self.readPastEnd)
        }
        guard location.halo != Halo(), !rows.isEmpty else { return }
        let top = rows.lowerBound == 0 ? 0 : location.halo.top + rows.lowerBound
        let bottom = isLast ? location.rowCount : location.halo.top + rows.upperBound
        for block in location.kind == .blocked ? blocks : 0..<1 {
            location.clearHalo(first + (block * location.blockStride + top * location.rowStride), rows: top..<bottom)
        }
    }

    /// Writes the border of the rows that end in a range of pixels, so that each thread writes the border of its own pixels.
    func clearHalo(_ location: Location, image: Int, blocks: Range<Int>, pixels: Range<Int>) {
        let rows = pixels.lowerBound / location.width..<pixels.upperBound / location.width
        clearHalo(location, image: image, blocks: blocks, rows: rows)
    }

    func clearHalo(_ location: Location, image: Int, blocks: Range<Int>) {
        clearHalo(location, image: image, blocks: blocks, rows: 0..<location.height)
    }
}

extension Location {
    /// Writes the border of some rows of a plane. Row indices include the halo.
    /// - Parameter start: The start of the first of these rows.
    func clearHalo(_ start: UnsafeMutableRawPointer, rows: Range<Int>) {
        let (rowStride, pixelStride) = (rowStride, pixelStride)
        // The end of one row and the start of the next are adjacent.
        var border = 0
        for row in rows.clamped(to: halo.top..<halo.top + height) {
            let pixels = (row - rows.lowerBound) * rowStride + halo.left * pixelStride
            (start + border).fill(borderByte, byteCount: pixels - border)
            border = pixels + width * pixelStride
        }
        (start + border).fill(borderByte, byteCount: rows.count * rowStride - border)
    }
}

extension Int {
    /// The bytes of as many whole vectors as hold this many bytes.
    var roundedToVectors: Int { rounded(upToMultipleOf: 64) }
}

extension UnsafeMutableRawPointer {
    /// Writes zeros.
    func clear(byteCount: Int) { fill(0, byteCount: byteCount) }

    func fill(_ byte: UInt8, byteCount: Int) { if byteCount > 0 { memset(self, Int32(byte), byteCount) } }
}
