import CProtobuf
import CSchemas

/// A message type as declared in the schemas.
struct MessageType: @unchecked Sendable {
    let descriptor: Descriptor

    /// A whole Core ML model.
    static let model = MessageType(descriptor: thaw_core_ml_model())
    /// A layer of a Core ML neural network.
    static let layer = MessageType(descriptor: thaw_core_ml_layer())

    /// Weights of a layer.
    static let weights = MessageType.layer.type(of: "bias").type(of: "bias")

    var name: String { String(cString: descriptor.pointee.short_name) }

    /// All fields, by ascending number; extent fields are at the end.
    var fields: UnsafeBufferPointer<ProtobufCFieldDescriptor> {
        UnsafeBufferPointer(start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
    }

    /// The index of the field with this name. Traps if there is none, which is a bug of the caller.
    func index(of field: String) -> Int {
        guard let found = protobuf_c_message_descriptor_get_field_by_name(descriptor, field) else {
            preconditionFailure("\(name) has no field '\(field)'")
        }
        return found - descriptor.pointee.fields
    }

    /// The type of the messages in a field. Traps if the field does not contain messages.
    func type(of field: String) -> MessageType { fields[index(of: field)].messageType! }
}

extension MessageType: Equatable {
    static func == (a: MessageType, b: MessageType) -> Bool { a.descriptor == b.descriptor }
}

extension ProtobufCFieldDescriptor {
    /// The Swift representation of a field's values.
    enum Content { case ints, numbers, strings, bytes, messages }

    /// Repeated floats are represented as bytes: they are weights, and there may be many.
    var content: Content {
        switch type {
        case PROTOBUF_C_TYPE_MESSAGE: .messages
        case PROTOBUF_C_TYPE_STRING: .strings
        case PROTOBUF_C_TYPE_BYTES: .bytes
        case PROTOBUF_C_TYPE_FLOAT: isRepeated ? .bytes : .numbers
        case PROTOBUF_C_TYPE_DOUBLE: .numbers
        default: .ints
        }
    }

    var isRepeated: Bool { label == PROTOBUF_C_LABEL_REPEATED }

    /// Whether the field is part of a `oneof`.
    var isChoice: Bool { flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0 }

    func excludes(_ other: ProtobufCFieldDescriptor) -> Bool {
        isChoice && other.isChoice && quantifier_offset == other.quantifier_offset
    }

    var messageType: MessageType? {
        type == PROTOBUF_C_TYPE_MESSAGE
            ? MessageType(descriptor: descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)) : nil
    }

    var enumeration: UnsafePointer<ProtobufCEnumDescriptor>? {
        type == PROTOBUF_C_TYPE_ENUM ? descriptor.assumingMemoryBound(to: ProtobufCEnumDescriptor.self) : nil
    }

    /// The size of one element in protobuf-c's structures.
    var elementSize: Int {
        switch type {
        case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_SINT64, PROTOBUF_C_TYPE_FIXED64,
            PROTOBUF_C_TYPE_SFIXED64, PROTOBUF_C_TYPE_DOUBLE, PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_MESSAGE:
            8
        case PROTOBUF_C_TYPE_BYTES: MemoryLayout<ProtobufCBinaryData>.size
        default: 4
        }
    }
}
