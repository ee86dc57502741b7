import CProtobuf

/// Unpacks messages of a mapped file with protobuf-c, one at a time and guarded by a `Skeleton`.
///
/// This is the only owner of protobuf-c's allocations: a structure lives for the duration of the closure that
/// receives it. Memory use is proportional to the size of the message without its large fields.
final class Unpacker {
    let file: ByteView
    private var skeleton = Skeleton()
    private let arena = MessageArena()

    /// Structures may take this much per byte of the skeleton (a decision tree's leaf of many classes takes 30 times as much) …
    static let growth = 32
    /// … and always this much.
    static let allowance = 1 << 20

    init(_ file: ByteView) { self.file = file }

    /// Unpacks the message of type `type` at `range` of the file, and calls `body` with it.
    /// - Throws: `Failure` if it is corrupt, nested too deeply, or would take too much memory.
    func unpack<Result>(
        _ type: Descriptor, at range: Range<Int>, _ body: (UnsafeMutablePointer<ProtobufCMessage>) throws -> Result
    ) throws -> Result {
        try file.withBytes { try skeleton.copy(type, from: $0, range) }
        arena.reset(limit: Unpacker.allowance + Unpacker.growth * skeleton.bytes.count)
        return try arena.withAllocator { allocator in
            guard let message = protobuf_c_message_unpack(type, &allocator, skeleton.bytes.count, skeleton.bytes)
            else {
                throw arena.isExhausted
                    ? Failure.messageTooLarge(at: range.lowerBound)
                    : Failure.malformedMessage(String(cString: type.pointee.short_name), at: range.lowerBound)
            }
            return try body(message)
        }
    }

    /// The bytes that a field's extent field refers to, or nil if the field is in the message itself.
    /// - Throws: `Failure` if the file contains the field in several pieces.
    func large(_ count: Int, _ extent: UnsafePointer<UInt64>?, _ field: @autoclosure () -> String) throws -> ByteView? {
        guard count > 0, let extent else { return nil }
        guard count == 2 else { throw Failure.fieldInPieces(field()) }
        let offset = Int(extent[0])
        return ByteView(
            viewing: UnsafeRawBufferPointer(rebasing: file.bytes[offset..<offset + Int(extent[1])]), of: file.owner)
    }
}
