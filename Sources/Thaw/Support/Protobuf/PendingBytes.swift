/// Bytes that are produced piece by piece while they are written: weights converted to another order or precision,
/// without a second copy of them all.
struct PendingBytes: Sendable {
    /// Receives the next bytes.
    typealias Append = (UnsafeRawBufferPointer) throws -> Void

    let count: Int
    /// Passes all of the bytes on in order, and rethrows errors of the receiver. It produces the same bytes each
    /// time.
    let write: @Sendable (Append) throws -> Void

    init(count: Int, write: @escaping @Sendable (Append) throws -> Void) {
        self.count = count
        self.write = write
    }

    init(_ view: ByteView) {
        self.init(count: view.count) { append in try view.withBytes(append) }
    }

    /// All of the bytes at once.
    var made: ByteView {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        var offset = 0
        // Only `append` throws.
        try! write { bytes in
            UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + bytes.count]).copyMemory(from: bytes)
            offset += bytes.count
        }
        return ByteView(taking: memory)
    }
}
