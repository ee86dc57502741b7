import CProtobuf

/// A Swift type that message fields can be read as and set to.
protocol FieldValue {
    /// The value of a field, or the type's zero if it is not set.
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor)
    /// The value to store in a field; nil if it is the default and the field should not be set.
    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value?
}

/// A Swift type for the elements of repeated fields.
protocol FieldElement: FieldValue {
    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [Self]
    static func stored(_ elements: [Self], _ field: ProtobufCFieldDescriptor) -> Message.Value?
}

extension FieldElement {
    static func expect(_ field: ProtobufCFieldDescriptor, _ content: ProtobufCFieldDescriptor.Content, _ repeated: Bool)
    {
        precondition(
            field.content == content && field.isRepeated == repeated,
            "the field '\(String(cString: field.name))' has another type")
    }
}

extension Array: FieldValue where Element: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) { self = Element.elements(value, field) }
    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? { Element.stored(self, field) }
}

extension Int: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        Int.expect(field, .ints, false)
        if case .ints(let ints)? = value { self = ints[0] } else { self = 0 }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        Int.expect(field, .ints, false)
        return self == 0 && !field.isChoice ? nil : .ints([self])
    }

    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [Int] {
        expect(field, .ints, true)
        if case .ints(let ints)? = value { return ints }
        return []
    }

    static func stored(_ elements: [Int], _ field: ProtobufCFieldDescriptor) -> Message.Value? {
        expect(field, .ints, true)
        return elements.isEmpty ? nil : .ints(elements)
    }
}

extension Bool: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) { self = Int(value, field) != 0 }
    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? { (self ? 1 : 0).stored(field) }

    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [Bool] {
        Int.elements(value, field).map { $0 != 0 }
    }

    static func stored(_ elements: [Bool], _ field: ProtobufCFieldDescriptor) -> Message.Value? {
        Int.stored(elements.map { $0 ? 1 : 0 }, field)
    }
}

extension Double: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        precondition(field.content == .numbers, "the field '\(String(cString: field.name))' has another type")
        if case .numbers(let numbers)? = value { self = numbers[0] } else { self = 0 }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        precondition(field.content == .numbers, "the field '\(String(cString: field.name))' has another type")
        return self == 0 && !field.isChoice ? nil : .numbers([self])
    }

    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [Double] {
        guard field.content == .numbers else { return Float.elements(value, field).map { Double($0) } }
        if case .numbers(let numbers)? = value { return numbers }
        return []
    }

    static func stored(_ elements: [Double], _ field: ProtobufCFieldDescriptor) -> Message.Value? {
        guard field.content == .numbers else { return Float.stored(elements.map { Float($0) }, field) }
        return elements.isEmpty ? nil : .numbers(elements)
    }
}

extension Float: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) { self = Float(Double(value, field)) }
    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? { Double(self).stored(field) }

    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [Float] {
        ByteView(value, field).withBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
    }

    static func stored(_ elements: [Float], _ field: ProtobufCFieldDescriptor) -> Message.Value? {
        elements.withUnsafeBytes { ByteView(copying: $0) }.stored(field)
    }
}

/// The value of an enumeration is its name. Values that the schema does not name are written as digits.
extension String: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        if let enumeration = field.enumeration {
            let number = Int(value, field)
            let known = protobuf_c_enum_descriptor_get_value(enumeration, Int32(truncatingIfNeeded: number))
            self = known.map { String(cString: $0.pointee.name) } ?? "\(number)"
        } else {
            String.expect(field, .strings, false)
            if case .strings(let strings)? = value { self = strings[0] } else { self = "" }
        }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        if let enumeration = field.enumeration {
            guard let known = protobuf_c_enum_descriptor_get_value_by_name(enumeration, self) else {
                preconditionFailure("\(String(cString: enumeration.pointee.name)) has no value '\(self)'")
            }
            return Int(known.pointee.value).stored(field)
        }
        String.expect(field, .strings, false)
        return isEmpty && !field.isChoice ? nil : .strings([self])
    }

    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [String] {
        expect(field, .strings, true)
        if case .strings(let strings)? = value { return strings }
        return []
    }

    static func stored(_ elements: [String], _ field: ProtobufCFieldDescriptor) -> Message.Value? {
        expect(field, .strings, true)
        return elements.isEmpty ? nil : .strings(elements)
    }
}

/// Bytes, or repeated floats as stored in memory.
extension ByteView: FieldValue {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        precondition(field.content == .bytes, "the field '\(String(cString: field.name))' has another type")
        switch value {
        case .bytes(let view)?: self = view
        case .pending(let pending)?: self = pending.made
        default: self = ByteView(copying: .init(start: nil, count: 0))
        }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        precondition(field.content == .bytes, "the field '\(String(cString: field.name))' has another type")
        return count == 0 && !field.isChoice ? nil : .bytes(self)
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

/// A message field, single or repeated.
extension Message: FieldElement {
    init(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) {
        Message.expect(field, .messages, false)
        if case .messages(let messages)? = value { self = messages[0] } else { self = Message(field.messageType!) }
    }

    func stored(_ field: ProtobufCFieldDescriptor) -> Message.Value? {
        Message.expect(field, .messages, false)
        precondition(messageType == field.messageType, "the field '\(String(cString: field.name))' has another type")
        return .messages([self])
    }

    static func elements(_ value: Message.Value?, _ field: ProtobufCFieldDescriptor) -> [Message] {
        expect(field, .messages, true)
        if case .messages(let messages)? = value { return messages }
        return []
    }

    static func stored(_ elements: [Message], _ field: ProtobufCFieldDescriptor) -> Message.Value? {
        expect(field, .messages, true)
        precondition(
            elements.allSatisfy { $0.messageType == field.messageType },
            "the field '\(String(cString: field.name))' has another type")
        return elements.isEmpty ? nil : .messages(elements)
    }
}
