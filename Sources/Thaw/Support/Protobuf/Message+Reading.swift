import CProtobuf

extension Message {
    /// Parses a message that spans all of `file`. Large fields are views of it.
    /// - Throws: `Failure` if it is corrupt, nested too deeply, or would take too much memory.
    init(_ type: MessageType, reading file: ByteView) throws {
        let unpacker = Unpacker(file)
        self = try unpacker.unpack(type.descriptor, at: 0..<file.count) {
            try Message(type, copying: UnsafeRawPointer($0), unpacker)
        }
    }

    /// Copies a protobuf-c structure. The recursion is no deeper than the nesting of a skeleton.
    private init(_ type: MessageType, copying message: UnsafeRawPointer, _ unpacker: Unpacker) throws {
        self.init(type)
        for (index, field) in type.fields.enumerated() where field.id < Skeleton.extentDistance {
            if field.isRepeated {
                setEntry(index, try Message.repeated(field, message, type, unpacker))
            } else if field.isChoice {
                let chosen = message.load(fromByteOffset: Int(field.quantifier_offset), as: UInt32.self)
                if chosen == field.id {
                    setEntry(index, try Message.single(field, message + Int(field.offset), unpacker))
                }
            } else if let value = try Message.single(field, message + Int(field.offset), unpacker), !value.isZero {
                setEntry(index, value)
            } else if let view = try Message.large(field, message, type, unpacker) {
                setEntry(index, .bytes(view))
            }
        }
    }

    /// The value of a non-repeated field; nil for a message that is not set.
    private static func single(
        _ field: ProtobufCFieldDescriptor, _ address: UnsafeRawPointer, _ unpacker: Unpacker
    ) throws -> Value? {
        switch field.content {
        case .ints: return .ints([integer(field, address)])
        case .numbers:
            return .numbers([
                field.type == PROTOBUF_C_TYPE_DOUBLE
                    ? address.load(as: Double.self) : Double(address.load(as: Float.self))
            ])
        case .strings:
            return address.load(as: UnsafePointer<CChar>?.self).map { .strings([String(cString: $0)]) }
        case .bytes:
            let data = address.load(as: ProtobufCBinaryData.self)
            return .bytes(ByteView(copying: UnsafeRawBufferPointer(start: data.data, count: data.len)))
        case .messages:
            guard let message = address.load(as: UnsafeRawPointer?.self) else { return nil }
            return .messages([try Message(field.messageType!, copying: message, unpacker)])
        }
    }

    private static func repeated(
        _ field: ProtobufCFieldDescriptor, _ message: UnsafeRawPointer, _ type: MessageType, _ unpacker: Unpacker
    ) throws -> Value? {
        let view = try large(field, message, type, unpacker)
        let count = message.load(fromByteOffset: Int(field.quantifier_offset), as: Int.self)
        guard count > 0, let start = message.load(fromByteOffset: Int(field.offset), as: UnsafeRawPointer?.self)
        else { return view.map { .bytes($0) } }
        guard view == nil else { throw Failure.fieldInPieces(String(cString: field.name)) }
        let addresses = (0..<count).lazy.map { start + $0 * field.elementSize }
        switch field.content {
        case .ints: return .ints(addresses.map { integer(field, $0) })
        case .bytes:
            precondition(field.type == PROTOBUF_C_TYPE_FLOAT, "the schemas repeat no bytes")
            return .bytes(ByteView(copying: UnsafeRawBufferPointer(start: start, count: count * 4)))
        case .numbers: return .numbers(addresses.map { $0.load(as: Double.self) })
        case .strings: return .strings(addresses.map { String(cString: $0.load(as: UnsafePointer<CChar>.self)) })
        case .messages:
            return .messages(
                try addresses.map {
                    try Message(field.messageType!, copying: $0.load(as: UnsafeRawPointer.self), unpacker)
                })
        }
    }

    /// The bytes of a field that were left in the file.
    private static func large(
        _ field: ProtobufCFieldDescriptor, _ message: UnsafeRawPointer, _ type: MessageType, _ unpacker: Unpacker
    ) throws -> ByteView? {
        guard field.content == .bytes,
            let extent = protobuf_c_message_descriptor_get_field(
                type.descriptor, field.id + UInt32(Skeleton.extentDistance))?.pointee
        else { return nil }
        let view = try unpacker.large(
            message.load(fromByteOffset: Int(extent.quantifier_offset), as: Int.self),
            message.load(fromByteOffset: Int(extent.offset), as: UnsafePointer<UInt64>?.self),
            String(cString: field.name))
        guard let view, field.isRepeated, view.count % 4 != 0 else { return view }
        throw Failure.malformedPackedField(String(cString: field.name))
    }

    /// An integer, Boolean or enumeration. Unsigned values from 2^63 on become the largest `Int`.
    private static func integer(_ field: ProtobufCFieldDescriptor, _ address: UnsafeRawPointer) -> Int {
        switch field.type {
        case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_FIXED32: Int(address.load(as: UInt32.self))
        // No valid size is larger than the limit, and none must become negative.
        case PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_FIXED64: Int(clamping: address.load(as: UInt64.self))
        case _ where field.elementSize == 8: Int(address.load(as: Int64.self))
        default: Int(address.load(as: Int32.self))
        }
    }
}

extension Message.Value {
    /// Whether a field outside a `oneof` counts as unset when it has this value.
    fileprivate var isZero: Bool {
        switch self {
        case .ints(let ints): ints == [0]
        case .numbers(let numbers): numbers[0] == 0 && numbers[0].sign == .plus
        case .strings(let strings): strings == [""]
        case .bytes(let view): view.count == 0
        case .messages, .pending: false
        }
    }
}

extension Message {
    /// The first field with a value that its enumeration does not name, also in messages in this one.
    var unknownEnumerationValue: (field: String, number: Int)? {
        for entry in entries {
            let field = messageType.fields[entry.index]
            switch entry.value {
            case .ints(let numbers):
                guard let enumeration = field.enumeration else { continue }
                for number in numbers
                where protobuf_c_enum_descriptor_get_value(enumeration, Int32(truncatingIfNeeded: number)) == nil {
                    return (String(cString: field.name), number)
                }
            case .messages(let messages):
                if let found = messages.lazy.compactMap(\.unknownEnumerationValue).first { return found }
            case .numbers, .strings, .bytes, .pending: continue
            }
        }
        return nil
    }
}
