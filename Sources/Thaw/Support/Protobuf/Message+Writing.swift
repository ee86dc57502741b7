import CProtobuf

extension Message {
    /// Encodes the message and passes the bytes to `append` in order, in pieces that may be small. Large fields are
    /// passed on without copying. The same message always results in the same bytes.
    /// - Throws: `Failure` if it exceeds the size limit of protobuf, and any error of `append`.
    func write(_ append: (UnsafeRawBufferPointer) throws -> Void) throws {
        let arena = StructureArena()
        try withExtendedLifetime((self, arena)) {
            let message = structure(in: arena).assumingMemoryBound(to: ProtobufCMessage.self)
            let size = protobuf_c_message_get_packed_size(message)
            guard size < 1 << 31 else { throw Failure.messageBeyondTwoGigabytes(size) }
            try withoutActuallyEscaping(append) { append in
                let sink = Sink(append, arena.pending)
                sink.withBuffer { _ = protobuf_c_message_pack_to_buffer(message, $0) }
                if let error = sink.error { throw error }
            }
        }
    }

    /// The message encoded in memory.
    func encoded() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try write { bytes.append(contentsOf: $0) }
        return bytes
    }

    // MARK: Structures

    /// The message as a protobuf-c structure. Bytes are referenced, not copied.
    private func structure(in arena: StructureArena) -> UnsafeMutableRawPointer {
        let message = arena.allocate(messageType.descriptor.pointee.sizeof_message)!
        messageType.descriptor.pointee.message_init(message.assumingMemoryBound(to: ProtobufCMessage.self))
        for (index, value) in entries {
            let field = messageType.fields[index]
            let address = message + Int(field.offset)
            if field.isRepeated {
                let (elements, count) = value.array(of: field, in: arena)
                message.storeBytes(of: count, toByteOffset: Int(field.quantifier_offset), as: Int.self)
                address.storeBytes(of: elements, as: UnsafeRawPointer.self)
            } else {
                if field.isChoice {
                    message.storeBytes(of: field.id, toByteOffset: Int(field.quantifier_offset), as: UInt32.self)
                }
                value.store(0, of: field, at: address, in: arena)
            }
        }
        return message
    }

    fileprivate func structurePointer(in arena: StructureArena) -> UnsafeRawPointer {
        UnsafeRawPointer(structure(in: arena))
    }
}

extension Message.Value {
    fileprivate func array(
        of field: ProtobufCFieldDescriptor, in arena: StructureArena
    ) -> (elements: UnsafeRawPointer, count: Int) {
        let count: Int
        switch self {
        case .bytes(let view):
            // Repeated floats: protobuf-c accepts any address and only copies them.
            return (view.bytes.baseAddress!, view.count / field.elementSize)
        case .pending(let pending): return (arena.address(for: pending), pending.count / field.elementSize)
        case .ints(let ints): count = ints.count
        case .numbers(let numbers): count = numbers.count
        case .strings(let strings): count = strings.count
        case .messages(let messages): count = messages.count
        }
        let elements = arena.allocate(count * field.elementSize)!
        for element in 0..<count { store(element, of: field, at: elements + element * field.elementSize, in: arena) }
        return (UnsafeRawPointer(elements), count)
    }

    /// Stores one element into a structure or an array.
    fileprivate func store(
        _ element: Int, of field: ProtobufCFieldDescriptor, at address: UnsafeMutableRawPointer,
        in arena: StructureArena
    ) {
        switch self {
        case .ints(let ints):
            switch field.type {
            case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_FIXED32:
                address.storeBytes(of: UInt32(ints[element]), as: UInt32.self)
            case _ where field.elementSize == 8: address.storeBytes(of: Int64(ints[element]), as: Int64.self)
            default: address.storeBytes(of: Int32(ints[element]), as: Int32.self)
            }
        case .numbers(let numbers):
            if field.type == PROTOBUF_C_TYPE_DOUBLE {
                address.storeBytes(of: numbers[element], as: Double.self)
            } else {
                address.storeBytes(of: Float(numbers[element]), as: Float.self)
            }
        case .strings(let strings):
            var text = strings[element]
            let copy = text.withUTF8 { utf8 in
                let copy = arena.allocate(utf8.count + 1)!
                copy.copyMemory(
                    from: UnsafeRawPointer(utf8.baseAddress ?? UnsafePointer(bitPattern: 1)!), byteCount: utf8.count)
                copy.storeBytes(of: 0, toByteOffset: utf8.count, as: UInt8.self)
                return copy
            }
            address.storeBytes(of: UnsafeRawPointer(copy), as: UnsafeRawPointer.self)
        case .bytes(let view):
            let start = UnsafeMutableRawPointer(mutating: view.bytes.baseAddress)
            address.assumingMemoryBound(to: ProtobufCBinaryData.self).initialize(
                to: ProtobufCBinaryData(len: view.count, data: start?.assumingMemoryBound(to: UInt8.self)))
        case .pending(let pending):
            let start = UnsafeMutableRawPointer(mutating: arena.address(for: pending))
            address.assumingMemoryBound(to: ProtobufCBinaryData.self).initialize(
                to: ProtobufCBinaryData(len: pending.count, data: start.assumingMemoryBound(to: UInt8.self)))
        case .messages(let messages):
            address.storeBytes(of: messages[element].structurePointer(in: arena), as: UnsafeRawPointer.self)
        }
    }
}

/// The memory of a message's structures, along with pending bytes. In a structure, pending bytes are represented by a
/// unique address: protobuf-c passes large fields on as address and size, and the sink produces the bytes at that
/// point.
private final class StructureArena {
    private let arena = MessageArena()
    private(set) var pending: [UnsafeRawPointer: PendingBytes] = [:]

    init() { arena.reset(limit: .max) }

    func allocate(_ count: Int) -> UnsafeMutableRawPointer? { arena.allocate(count) }

    func address(for bytes: PendingBytes) -> UnsafeRawPointer {
        let address = UnsafeRawPointer(arena.allocate(1)!)
        pending[address] = bytes
        return address
    }
}

/// The destination of protobuf-c's packing. Errors of `append` are kept until the end, since they cannot pass through
/// C.
private final class Sink {
    private let append: (UnsafeRawBufferPointer) throws -> Void
    private let pending: [UnsafeRawPointer: PendingBytes]
    private(set) var error: (any Error)?

    init(
        _ append: @escaping (UnsafeRawBufferPointer) throws -> Void, _ pending: [UnsafeRawPointer: PendingBytes]
    ) {
        self.append = append
        self.pending = pending
    }

    /// protobuf-c's buffer, followed in memory by the sink that it belongs to.
    private struct Buffer {
        var base: ProtobufCBuffer
        var sink: Unmanaged<Sink>
    }

    func withBuffer(_ body: (UnsafeMutablePointer<ProtobufCBuffer>) -> Void) {
        var buffer = Buffer(
            base: ProtobufCBuffer { buffer, count, data in
                let sink = UnsafeRawPointer(buffer!).assumingMemoryBound(to: Buffer.self).pointee.sink
                sink.takeUnretainedValue().take(UnsafeRawBufferPointer(start: data, count: count))
            },
            sink: .passUnretained(self))
        withUnsafeMutablePointer(to: &buffer) { pointer in
            pointer.withMemoryRebound(to: ProtobufCBuffer.self, capacity: 1) { body($0) }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard error == nil else { return }
        do {
            if let pending = bytes.baseAddress.flatMap({ pending[$0] }) {
                try pending.write(append)
            } else {
                try append(bytes)
            }
        } catch { self.error = error }
    }
}
