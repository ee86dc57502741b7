/// A protobuf message as a Swift value: fields by name, without C structures.
///
///     var layer = Message(.layer)
///     layer.name = "convolution"
///     layer.input = ["image"]
///     layer.convolution.kernelSize = [3, 3]
///     layer.convolution.weights.floatValue = view
///     let stride: [Int] = layer.convolution.stride
///
/// Reading an unset field returns its type's zero, empty string, empty array or empty message; writing inside an
/// unset message sets it. Setting one field of a `oneof` unsets the others. Enumerations are represented by the names
/// of their values (`layer.pooling.type = "AVERAGE"`), repeated floats and bytes by `ByteView`s, which may refer to a
/// mapped file. A field name that the type does not have, or a value of another type, traps.
@dynamicMemberLookup
struct Message: Sendable {
    let messageType: MessageType
    /// The fields that are set, by ascending index; never an empty array.
    private(set) var entries: [(index: Int, value: Value)] = []

    /// The value of a field; a non-repeated field has one element.
    enum Value: Sendable {
        case ints([Int])
        case numbers([Double])
        case strings([String])
        case bytes(ByteView)
        /// Bytes that are produced while the message is written.
        case pending(PendingBytes)
        case messages([Message])
    }

    init(_ type: MessageType) { messageType = type }

    // MARK: Fields

    /// Whether a field is set. Fields outside a `oneof` that are not messages count as unset if they have their
    /// type's zero.
    func has(_ field: String) -> Bool { entry(at: messageType.index(of: field)) != nil }

    /// The name of the field that is set in a `oneof`, such as a layer's type. If the type has several of them, use
    /// `has`.
    var choice: String? {
        entries.first { messageType.fields[$0.index].isChoice }
            .map { String(cString: messageType.fields[$0.index].name) }
    }

    /// The names of all fields that are set.
    var setFields: [String] { entries.map { String(cString: messageType.fields[$0.index].name) } }

    // MARK: Entries

    func entry(at index: Int) -> Value? {
        entries.first { $0.index == index }?.value
    }

    /// Calls `body` with every message in a field.
    func forEachMessage(_ body: (Message) throws -> Void) rethrows {
        for entry in entries {
            guard case .messages(let messages) = entry.value else { continue }
            try messages.forEach(body)
        }
    }

    /// Modifies every message in a field.
    mutating func mapMessages(_ body: (inout Message) throws -> Void) rethrows {
        for index in entries.indices {
            guard case .messages(var messages) = entries[index].value else { continue }
            for element in messages.indices { try body(&messages[element]) }
            entries[index].value = .messages(messages)
        }
    }

    /// Sets a field, or unsets it if `value` is nil.
    mutating func setEntry(_ index: Int, _ value: Value?) {
        let field = messageType.fields[index]
        entries.removeAll { $0.index == index || messageType.fields[$0.index].excludes(field) }
        guard let value else { return }
        entries.insert((index, value), at: entries.firstIndex { $0.index > index } ?? entries.count)
    }
}

extension Message: Equatable {
    static func == (a: Message, b: Message) -> Bool {
        a.messageType == b.messageType && a.entries.count == b.entries.count
            && zip(a.entries, b.entries).allSatisfy { $0.index == $1.index && $0.value == $1.value }
    }
}

extension Message.Value: Equatable {
    static func == (a: Message.Value, b: Message.Value) -> Bool {
        switch (a, b) {
        case (.ints(let a), .ints(let b)): a == b
        case (.numbers(let a), .numbers(let b)): a == b
        case (.strings(let a), .strings(let b)): a == b
        case (.bytes(let a), .bytes(let b)): a.withBytes { a in b.withBytes { a.elementsEqual($0) } }
        case (.pending(let a), _): .bytes(a.made) == b
        case (_, .pending(let b)): a == .bytes(b.made)
        case (.messages(let a), .messages(let b)): a == b
        default: false
        }
    }
}
