/// The encoding of a field's value.
enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case lengthPrefixed = 2
    case fixed32 = 5
}

/// One field of a message in a file.
struct WireField {
    let number: Int
    let wireType: WireType
    /// The offset of the field, including its number.
    let start: Int
    /// The range of its value, without the length before it.
    let value: Range<Int>
}

/// Iterates over the fields of one protobuf message in a file, without descending.
///
/// It never reads outside the message. Positions are byte offsets from the start of the file. Source:
/// https://protobuf.dev/programming-guides/encoding
struct WireReader {
    let file: UnsafeRawBufferPointer
    private(set) var position: Int
    private(set) var end: Int

    init(_ file: UnsafeRawBufferPointer, _ message: Range<Int>) {
        precondition(message.lowerBound >= 0 && message.upperBound <= file.count)
        self.file = file
        position = message.lowerBound
        end = message.upperBound
    }

    /// The next field, or nil at the end.
    /// - Throws: `Failure` if the next bytes are not a field, or the field extends past the end.
    mutating func next() throws -> WireField? {
        guard position < end else { return nil }
        let start = position
        let tag = try varint()
        guard let wireType = WireType(rawValue: UInt8(tag & 7)), tag >> 3 > 0, tag >> 3 < 1 << 29 else {
            throw Failure.malformedField(at: start)
        }
        let count: Int
        switch wireType {
        case .varint:
            let first = position
            _ = try varint()
            return WireField(number: Int(tag >> 3), wireType: wireType, start: start, value: first..<position)
        case .fixed64: count = 8
        case .fixed32: count = 4
        case .lengthPrefixed:
            let length = try varint()
            guard length <= UInt64(end - position) else { throw Failure.fieldPastEnd(at: start) }
            count = Int(length)
        }
        guard count <= end - position else { throw Failure.fieldPastEnd(at: start) }
        position += count
        return WireField(
            number: Int(tag >> 3), wireType: wireType, start: start, value: position - count..<position)
    }

    /// The varint at the current position: seven bits per byte, the lowest first.
    mutating func varint() throws -> UInt64 {
        let start = position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end {
            let byte = file[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            if shift > 63 { throw Failure.malformedField(at: start) }
        }
        throw Failure.fieldPastEnd(at: start)
    }

    /// Skips bytes that were read in another way.
    mutating func skip(_ count: Int) {
        precondition(count <= end - position)
        position += count
    }

    /// Enters a message that `next` has just returned.
    mutating func enter(_ message: Range<Int>) {
        position = message.lowerBound
        end = message.upperBound
    }

    /// Leaves a message that has been read and returns to the enclosing one, which ends at `end`.
    mutating func leave(to end: Int) { self.end = end }
}
