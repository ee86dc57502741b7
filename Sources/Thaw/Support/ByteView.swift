/// Bytes owned by another object, together with that object: usually weights in a mapped file.
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
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyMemory(from: bytes)
        self.init(taking: copy)
    }

    /// Memory that was allocated for the view, which takes ownership.
    init(taking memory: UnsafeMutableRawBufferPointer) {
        self.init(viewing: UnsafeRawBufferPointer(memory), of: Allocation(bytes: memory))
    }

    private final class Allocation {
        let bytes: UnsafeMutableRawBufferPointer

        init(bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

        deinit { bytes.deallocate() }
    }

    var count: Int { bytes.count }

    /// Calls `body` with the bytes, which remain valid during the call.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) { try body(bytes) }
    }
}
