import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Page-aligned memory, initially zero. A large allocation uses huge pages if the system has them.
final class AlignedMemory: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    private let mapping: UnsafeMutableRawPointer
    private let mappedBytes: Int

    init(byteCount: Int) {
        let large = 1 << 21
        let isLarge = byteCount >= large
        mappedBytes = max(byteCount, 1) + (isLarge ? large : 0)
        let flags = MAP_PRIVATE | MAP_ANON
        guard let memory = mmap(nil, mappedBytes, PROT_READ | PROT_WRITE, flags, -1, 0), memory != MAP_FAILED else {
            fatalError("out of memory")
        }
        mapping = memory
        address = isLarge ? memory.alignedUp(toMultipleOf: large) : memory
        #if os(Linux)
            if isLarge { madvise(address, byteCount, MADV_HUGEPAGE) }
        #endif
    }

    deinit { munmap(mapping, mappedBytes) }
}

/// The memory of a step: the buffers of values, by slot, and the program's constants, by offset in bytes.
struct Memory {
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
            (first + location.imageStride).clear(byteCount: Compiler.readPastEnd)
        }
        guard location.halo != Halo(), !rows.isEmpty else { return }
        let top = rows.lowerBound == 0 ? 0 : location.halo.top + rows.lowerBound
        let bottom = isLast ? location.rowCount : location.halo.top + rows.upperBound
        for block in location.kind == .blocked ? blocks : 0..<1 {
            location.clearHalo(first + (block * location.blockStride + top * location.rowStride), rows: top..<bottom)
        }
    }

    /// Writes the border of the rows that end in a range of pixels, so that each thread writes the border of what it computes.
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

/// Collects the constants of a program, assigns each an offset, and finally writes all of them to one block of memory.
struct ConstantPool {
    typealias Fill = @Sendable (UnsafeMutableRawPointer) -> Void
    private(set) var byteCount = 0
    private(set) var fills: [(offset: Int, fill: Fill)] = []
    private var lists: [OffsetList: Int] = [:]
    private var packed: [Packing: TensorTable<Int>] = [:]

    /// How the values of a tensor are packed as constants.
    enum Packing: Hashable {
        /// Padded to a number of elements.
        case padded(count: Int)
        /// For the convolution kernel: these rows, one for each step.
        case rows(OffsetList, ConvolutionSteps)
        /// Transforms for the Winograd algorithm.
        case winograd(WinogradForm, groupBlocks: Int)
        case depthwise
        /// For the 8-bit integer kernels, with these rows, one for each value of each quad.
        case integer(OffsetList, IntegerSteps)
        case integerWinograd
    }

    /// Reserves memory and returns its offset. `fill` is called once and finds the memory zeroed.
    mutating func reserve(byteCount count: Int, _ fill: @escaping Fill) -> Int {
        reserve(byteCount: count, parts: 1) { memory, _ in fill(memory) }
    }

    /// Reserves memory that is filled in several parts, possibly in parallel.
    mutating func reserve(
        byteCount count: Int, parts: Int, _ fill: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void
    ) -> Int {
        let offset = byteCount
        byteCount += count.roundedToVectors
        for part in 0..<parts { fills.append((offset, { fill($0, part) })) }
        return offset
    }

    /// The offset of a packed tensor. Layers with equal weights share it.
    mutating func shared(_ tensor: Tensor, _ packing: Packing, _ pack: (inout ConstantPool) -> Int) -> Int {
        if let known = packed[packing]?.value(of: tensor) { return known }
        let offset = pack(&self)
        packed[packing, default: TensorTable()].add(tensor, offset)
        return offset
    }

    /// Adds values, padded to `count` with `padding`.
    mutating func floats(_ values: [Float], count: Int, padding: Float = 0) -> Int {
        reserve(byteCount: count * 4) { memory in
            let floats = memory.assumingMemoryBound(to: Float.self)
            for i in 0..<count { floats[i] = i < values.count ? values[i] : padding }
        }
    }

    /// Adds a list of offsets. Layers with the same geometry share theirs.
    mutating func offsets(_ list: [Int32]) -> Int {
        let key = OffsetList(offsets: list)
        if let known = lists[key] { return known }
        let offset = reserve(byteCount: list.count * 4) { memory in
            memory.copyMemory(from: list, byteCount: list.count * 4)
        }
        lists[key] = offset
        return offset
    }
}

/// A list of offsets that is hashed by only a few of its values. Hashing all of them would take longer than the rest of
/// the compilation.
struct OffsetList: Hashable {
    var offsets: [Int32]

    func hash(into hasher: inout Hasher) {
        hasher.combine(offsets.count)
        hasher.combine(offsets.last)
        hasher.combine(offsets.isEmpty ? 0 : offsets[offsets.count / 2])
    }
}
