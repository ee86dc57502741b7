/// Bytes that somebody else holds, together with whoever holds them: mostly weights in a mapped file.
struct ByteView: @unchecked Sendable {
    /// Valid as long as `owner` lives. Not aligned.
    let bytes: UnsafeRawBufferPointer
    let owner: AnyObject

    init(viewing bytes: UnsafeRawBufferPointer, of owner: AnyObject) {
        self.bytes = bytes
        self.owner = owner
    }

    /// A copy of `bytes`.
    init(copying bytes: UnsafeRawBufferPointer) {
        let copy = Copy(bytes)
        self.init(viewing: UnsafeRawBufferPointer(copy.bytes), of: copy)
    }

    private final class Copy {
        let bytes: UnsafeMutableRawBufferPointer

        init(_ source: UnsafeRawBufferPointer) {
            bytes = .allocate(byteCount: source.count, alignment: 16)
            bytes.copyMemory(from: source)
        }

        deinit { bytes.deallocate() }
    }

    var count: Int { bytes.count }

    /// Calls `body` with the bytes, which stay valid meanwhile.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) { try body(bytes) }
    }
}
