import Kernels

/// Collects the constants of a program, assigns each an offset, and finally writes all of them to one block of memory.
struct ConstantPool {
    private(set) var byteCount = 0
    private(set) var fills: [Fill] = []
    private var lists: [OffsetList: Int] = [:]
    private var packed: [Packing: TensorTable<Int>] = [:]

    /// Writes some constants.
    struct Fill: Sendable {
        fileprivate let offset: Int
        fileprivate let write: @Sendable (UnsafeMutableRawPointer) -> Void

        /// - Parameter base: The memory for all constants of the program.
        func callAsFunction(_ base: UnsafeMutableRawPointer) { write(base + offset) }
    }

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
    mutating func reserve(
        byteCount count: Int, _ fill: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
    ) -> Int {
        reserve(byteCount: count, parts: 1) { memory, _ in fill(memory) }
    }

    /// Reserves memory that is filled in several parts, possibly in parallel.
    mutating func reserve(
        byteCount count: Int, parts: Int, _ fill: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void
    ) -> Int {
        let offset = byteCount
        byteCount += count.roundedToVectors
        for part in 0..<parts { fills.append(Fill(offset: offset) { fill($0, part) }) }
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
