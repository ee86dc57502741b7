import CProtobuf

/// The memory that protobuf-c unpacks one message into: a bump allocator with a limit, emptied at once.
///
/// A few bytes on the wire can become hundreds in memory (an empty message takes two and becomes a whole structure);
/// the limit turns that into a failed allocation, which protobuf-c reports.
final class MessageArena {
    private static let chunkSize = 1 << 16
    private static let alignment = 16

    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0
    private var remaining = 0
    /// Whether an allocation has been refused since the last `reset`.
    private(set) var isExhausted = false

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Frees everything, and allows `limit` bytes from now on.
    func reset(limit: Int) {
        while chunks.count > 1 { chunks.removeLast().deallocate() }
        used = 0
        remaining = limit
        isExhausted = false
    }

    /// Memory of `count` bytes, or nil beyond the limit.
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

    /// Calls `body` with the arena as protobuf-c wants it.
    func withAllocator<Result>(_ body: (inout ProtobufCAllocator) throws -> Result) rethrows -> Result {
        var allocator = ProtobufCAllocator(
            alloc: { Unmanaged<MessageArena>.fromOpaque($0!).takeUnretainedValue().allocate($1) },
            free: { _, _ in },
            allocator_data: Unmanaged.passUnretained(self).toOpaque())
        return try withExtendedLifetime(self) { try body(&allocator) }
    }
}
