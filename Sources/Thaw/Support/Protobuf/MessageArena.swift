import CProtobuf

/// The memory into which protobuf-c unpacks one message: a bump allocator with a limit, freed all at once.
///
/// A few bytes on the wire can take hundreds in memory (an empty message takes two and becomes a whole structure).
/// The limit turns that into a failed allocation, which protobuf-c reports.
final class MessageArena {
    private static let chunkSize = 1 << 16
    private static let alignment = 16

    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0
    private var remaining = 0
    /// Whether an allocation has failed since the last `reset`.
    private(set) var isExhausted = false

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Frees everything and sets the limit to `limit` bytes.
    func reset(limit: Int) {
        while chunks.count > 1 { chunks.removeLast().deallocate() }
        used = 0
        remaining = limit
        isExhausted = false
    }

    /// Allocates `count` bytes, or returns nil beyond the limit.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard count >= 0, count <= remaining - MessageArena.alignment else {
            isExhausted = true
            return nil
        }
        let size = (max(count, 1) + MessageArena.alignment - 1) & ~(MessageArena.alignment - 1)
        remaining -= size
        if let chunk = chunks.last, size <= chunk.count - used {
            used += size
            return chunk.baseAddress! + (used - size)
        }
        let chunk = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(size, MessageArena.chunkSize), alignment: MessageArena.alignment)
        chunks.append(chunk)
        used = size
        return chunk.baseAddress!
    }

    /// Calls `body` with the arena in the form that protobuf-c expects.
    func withAllocator<Result>(_ body: (inout ProtobufCAllocator) throws -> Result) rethrows -> Result {
        var allocator = ProtobufCAllocator(
            alloc: { Unmanaged<MessageArena>.fromOpaque($0!).takeUnretainedValue().allocate($1) },
            free: { _, _ in },
            allocator_data: Unmanaged.passUnretained(self).toOpaque())
        return try withExtendedLifetime(self) { try body(&allocator) }
    }
}
