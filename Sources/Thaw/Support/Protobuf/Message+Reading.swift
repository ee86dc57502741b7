import CProtobuf

extension Message {
    /// Reads a message that fills `file`. Large fields are views of it.
    /// - Throws: `Failure` when it is damaged, nested too deep, or would take too much memory.
    init(_ type: MessageType, reading file: ByteView) throws {
        let unpacker = Unpacker(file)
        self = try unpacker.unpack(type.descriptor, at: 0..<file.count) {
            try Message(type, copying: UnsafeRawPointer($0), unpacker)
        }
    }

    /// Copies one of protobuf-c's structures. Recurses no deeper than a skeleton is nested.
    private init(_ type: MessageType, copying message: UnsafeRawPointer, _ unpacker: Unpacker) throws {
        self.init(type)
        for (index, field) in type.fields.enumerated() where field.id < Skeleton.twinDistance {
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

    /// The value of a field that is not repeated, nil for a message that is not set.
    private static func single(
        _ field: ProtobufCFieldDescriptor, _ place: UnsafeRawPointer, _ unpacker: Unpacker
    ) throws -> Value? {
        switch field.content {
        case .ints: return .ints([integer(field, place)])
        case .numbers:
            return .numbers([
                field.type == PROTOBUF_C_TYPE_DOUBLE
                    ? place.load(as: Double.self) : Double(place.load(as: Float.self))
            ])
        case .strings:
            return place.load(as: UnsafePointer<CChar>?.self).map { .strings([String(cString: $0)]) }
        case .bytes:
            let data = place.load(as: ProtobufCBinaryData.self)
            return .bytes(ByteView(copying: UnsafeRawBufferPointer(start: data.data, count: data.len)))
        case .messages:
            guard let message = place.load(as: UnsafeRawPointer?.self) else { return nil }
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
        let places = (0..<count).lazy.map { start + $0 * field.elementSize }
        switch field.content {
        case .ints: return .ints(places.map { integer(field, $0) })
        case .bytes:
            precondition(field.type == PROTOBUF_C_TYPE_FLOAT, "the schemas repeat no bytes")
            return .bytes(ByteView(copying: UnsafeRawBufferPointer(start: start, count: count * 4)))
        case .numbers: return .numbers(places.map { $0.load(as: Double.self) })
        case .strings: return .strings(places.map { String(cString: $0.load(as: UnsafePointer<CChar>.self)) })
        case .messages:
            return .messages(
                try places.map {
                    try Message(field.messageType!, copying: $0.load(as: UnsafeRawPointer.self), unpacker)
                })
        }
    }

    /// The bytes of a field that are left in the file.
    private static func large(
        _ field: ProtobufCFieldDescriptor, _ message: UnsafeRawPointer, _ type: MessageType, _ unpacker: Unpacker
    ) throws -> ByteView? {
        guard field.content == .bytes,
            let twin = protobuf_c_message_descriptor_get_field(
                type.descriptor, field.id + UInt32(Skeleton.twinDistance))?.pointee
        else { return nil }
        let view = try unpacker.large(
            message.load(fromByteOffset: Int(twin.quantifier_offset), as: Int.self),
            message.load(fromByteOffset: Int(twin.offset), as: UnsafePointer<UInt64>?.self),
            String(cString: field.name))
        guard let view, field.isRepeated, view.count % 4 != 0 else { return view }
        throw Failure.malformedPackedField(String(cString: field.name))
    }

    /// An integer, truth value or enumeration. Unsigned numbers from 2^63 become negative.
    private static func integer(_ field: ProtobufCFieldDescriptor, _ place: UnsafeRawPointer) -> Int {
        switch field.type {
        case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_FIXED32: Int(place.load(as: UInt32.self))
        case _ where field.elementSize == 8: Int(place.load(as: Int64.self))
        default: Int(place.load(as: Int32.self))
        }
    }
}

extension Message.Value {
    /// Whether a field that is no choice counts as not set when it has this value.
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
