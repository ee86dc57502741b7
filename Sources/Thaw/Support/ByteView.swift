/// Bytes that somebody else holds, together with whoever holds them: mostly weights in a mapped file.
struct ByteView: @unchecked Sendable {
    /// Valid as long as `owner` lives. Aligned to nothing.
    let bytes: UnsafeRawBufferPointer
    let owner: AnyObject

    init(viewing bytes: UnsafeRawBufferPointer, of owner: AnyObject) {
        self.bytes = bytes
        self.owner = owner
    }

    var count: Int { bytes.count }

    /// Calls `body` with the bytes, which stay valid meanwhile.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) { try body(bytes) }
    }
}
