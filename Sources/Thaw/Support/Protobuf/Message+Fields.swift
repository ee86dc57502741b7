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
}
