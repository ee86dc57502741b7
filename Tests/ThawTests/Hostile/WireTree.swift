/// A protobuf message as a tree that can be changed and written again, whatever it is a message of.
///
/// What the fields mean is not known, but guessed: text looks like text, and what can be read as a message is one. A wrong guess
/// is only another kind of damage.
struct WireTree {
    indirect enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case text([UInt8])
        case bytes([UInt8])
        case message(WireTree)
        /// Bytes with a length that is not theirs.
        case lying([UInt8], claimed: Int)
    }

    struct Field {
        var number: UInt64
        var value: Value
    }

    var fields: [Field] = []

    /// The message in these bytes, or nil if they are none.
    init?(_ bytes: ArraySlice<UInt8>, depth: Int = 0) {
        var rest = bytes
        func varint() -> UInt64? {
            var (value, shift) = (UInt64(0), UInt64(0))
            while let byte = rest.popFirst(), shift < 64 {
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func number<T: FixedWidthInteger>(_: T.Type) -> T? {
            take(MemoryLayout<T>.size).map { $0.reversed().reduce(0) { $0 << 8 | T($1) } }
        }
        while !rest.isEmpty {
            guard let tag = varint(), 1..<(1 << 20) ~= tag >> 3 else { return nil }
            let value: Value
            switch tag & 7 {
            case 0:
                guard let read = varint() else { return nil }
                value = .varint(read)
            case 1:
                guard let read = number(UInt64.self) else { return nil }
                value = .fixed64(read)
            case 5:
                guard let read = number(UInt32.self) else { return nil }
                value = .fixed32(read)
            case 2:
                guard let count = varint(), let length = Int(exactly: count), let content = take(length) else {
                    return nil
                }
                value = Self.guess(content, depth)
            default: return nil
            }
            fields.append(Field(number: tag >> 3, value: value))
        }
    }

    private static func guess(_ content: ArraySlice<UInt8>, _ depth: Int) -> Value {
        if !content.isEmpty, content.allSatisfy({ 0x20..<0x7F ~= $0 }) { return .text(Array(content)) }
        if depth < 40, let message = WireTree(content, depth: depth + 1) { return .message(message) }
        return .bytes(Array(content))
    }

    // MARK: Writing

    var bytes: [UInt8] {
        var result: [UInt8] = []
        for field in fields { field.append(to: &result) }
        return result
    }
}

extension WireTree.Field {
    fileprivate func append(to result: inout [UInt8]) {
        func varint(_ value: UInt64) {
            var rest = value
            while rest >= 0x80 {
                result.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            result.append(UInt8(rest))
        }
        func content(_ bytes: [UInt8], claimed: Int) {
            varint(number << 3 | 2)
            varint(UInt64(bitPattern: Int64(claimed)))
            result += bytes
        }
        switch value {
        case .varint(let value):
            varint(number << 3)
            varint(value)
        case .fixed64(let value):
            varint(number << 3 | 1)
            withUnsafeBytes(of: value.littleEndian) { result += $0 }
        case .fixed32(let value):
            varint(number << 3 | 5)
            withUnsafeBytes(of: value.littleEndian) { result += $0 }
        case .text(let bytes), .bytes(let bytes): content(bytes, claimed: bytes.count)
        case .message(let message):
            let bytes = message.bytes
            content(bytes, claimed: bytes.count)
        case .lying(let bytes, let claimed): content(bytes, claimed: claimed)
        }
    }
}

// MARK: Parts of the tree

extension WireTree {
    /// The index of a field in its message, after those of the messages that it is in.
    typealias Path = [Int]

    /// The paths of all fields, outer ones first.
    var paths: [Path] {
        fields.indices.flatMap { index -> [Path] in
            guard case .message(let inner) = fields[index].value else { return [[index]] }
            return [[index]] + inner.paths.map { [index] + $0 }
        }
    }

    /// All texts, in order.
    var texts: [[UInt8]] {
        fields.flatMap { field -> [[UInt8]] in
            switch field.value {
            case .text(let text): [text]
            case .message(let inner): inner.texts
            default: []
            }
        }
    }

    /// Calls `body` with the message that contains the field at `path`, and the field's index in it.
    mutating func change<Result>(_ path: ArraySlice<Int>, _ body: (inout WireTree, Int) -> Result) -> Result {
        let index = path.first!
        guard path.count > 1, case .message(var inner) = fields[index].value else { return body(&self, index) }
        defer { fields[index].value = .message(inner) }
        return inner.change(path.dropFirst(), body)
    }

    func value(at path: ArraySlice<Int>) -> Value {
        let value = fields[path.first!].value
        guard path.count > 1, case .message(let inner) = value else { return value }
        return inner.value(at: path.dropFirst())
    }
}
