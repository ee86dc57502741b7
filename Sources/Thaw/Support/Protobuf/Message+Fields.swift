import CProtobuf

/// Access to fields by name, with Swift's own types. Inside an extension of `Message` they need `self`:
/// `self.kernelSize`.
extension Message {
    subscript<T: FieldValue>(field: String) -> T {
        get {
            let index = messageType.index(of: field)
            return T(entry(at: index), messageType.fields[index])
        }
        set {
            let index = messageType.index(of: field)
            setEntry(index, newValue.stored(messageType.fields[index]))
        }
    }

    /// A field that contains one message.
    subscript(field: String) -> Message {
        get {
            guard case .messages(let messages)? = entry(at: messageType.index(of: field)) else {
                return Message(messageType.type(of: field))
            }
            return messages[0]
        }
        set {
            precondition(newValue.messageType == messageType.type(of: field), "\(field) has another message type")
            setEntry(messageType.index(of: field), .messages([newValue]))
        }
    }

    subscript<T: FieldValue>(dynamicMember field: String) -> T {
        get { self[field] }
        set { self[field] = newValue }
    }

    subscript(dynamicMember field: String) -> Message {
        get { self[field] }
        set { self[field] = newValue }
    }

    /// Sets a field to an empty message, when its presence alone is significant: `layer.choose("softmax")`.
    mutating func choose(_ field: String) { self[field] = Message(messageType.type(of: field)) }
}

/// A map from strings to strings, stored as repeated messages of a key and a value. It is written in key order.
extension Dictionary: FieldValue where Key == String, Value == String {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        self.init()
        for entry in Message.elements(value, field) { self[entry["key"]] = entry["value"] as String }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        Message.stored(
            sorted { $0.key < $1.key }.map {
                var entry = Message(field.messageType!)
                entry.key = $0.key
                entry.value = $0.value
                return entry
            }, field)
    }
}
