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
