import CProtobuf

/// Bytes that are made while they are written, piece by piece: weights in another order or precision than the one they are kept
/// in, of which there is never a second copy.
struct PendingBytes: Sendable {
    /// Hands on the next bytes.
    typealias Append = (UnsafeRawBufferPointer) throws -> Void

    let count: Int
    /// Hands on all of the bytes in order, and throws what the function that takes them throws. The same bytes each time.
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
        var place = 0
        // Nothing but `append` throws.
        try! write { bytes in
            UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + bytes.count]).copyMemory(from: bytes)
            place += bytes.count
        }
        return ByteView(taking: memory)
    }
}

extension PendingBytes: FieldValue {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        if case .pending(let pending)? = value { self = pending } else { self.init(ByteView(value, field)) }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        precondition(field.content == .bytes, "the field '\(String(cString: field.name))' has another type")
        return count == 0 && !field.isChoice ? nil : .pending(self)
    }
}
