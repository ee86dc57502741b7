import CProtobuf

typealias Descriptor = UnsafePointer<ProtobufCMessageDescriptor>

/// A copy of a message that is safe to pass to protobuf-c: validated, and without large fields.
///
/// protobuf-c trusts its input: it recurses as deep as messages are nested, copies every byte, and ends a text at its first
/// NUL, so that two names become the same. So each message is first scanned here, iteratively and using protobuf-c's own
/// descriptors. The result
/// - is nested at most `depthLimit` deep, and contains only known fields with valid encodings;
/// - contains, instead of each large field with an extent field, that extent field: the offset and length of the large
///   field's bytes in the file. (The schemas declare the extent field of field n as `repeated fixed64`, number
///   n + `extentDistance`. Extent fields in the file itself are dropped.)
/// - is never longer than the message itself.
struct Skeleton {
    static let depthLimit = 64
    /// A field with an extent field is copied up to this many bytes, which must be no less than the size of the latter (20).
    static let inlineLimit = 256
    static let extentDistance = 100_000

    private(set) var bytes: [UInt8] = []
    private var open: [OpenMessage] = []

    /// A message that is being scanned.
    private struct OpenMessage {
        let descriptor: Descriptor
        let end: Int
        /// The position of its length in the skeleton; empty for the outermost message.
        let lengthRange: Range<Int>
    }

    /// Makes this the skeleton of the message of `type` that is at `range` in `file`.
    /// - Throws: `Failure` if the message is corrupt, or nested too deeply.
    mutating func copy(_ type: Descriptor, from file: UnsafeRawBufferPointer, _ range: Range<Int>) throws {
        bytes.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        open.append(OpenMessage(descriptor: type, end: range.upperBound, lengthRange: 0..<0))
        var reader = WireReader(file, range)
        while let message = open.last {
            guard let field = try reader.next() else {
                close()
                if let outer = open.last { reader.leave(to: outer.end) }
                continue
            }
            let number = UInt32(field.number)
            guard field.number < Skeleton.extentDistance,
                let descriptor = protobuf_c_message_descriptor_get_field(message.descriptor, number)
            else { continue }
            guard descriptor.pointee.accepts(field.wireType) else {
                throw Failure.wrongWireType(String(cString: descriptor.pointee.name), at: field.start)
            }
            if descriptor.pointee.type == PROTOBUF_C_TYPE_MESSAGE {
                try begin(field, descriptor)
                reader.enter(field.value)
            } else if field.wireType == .lengthPrefixed, field.value.count > Skeleton.inlineLimit,
                protobuf_c_message_descriptor_get_field(message.descriptor, number + UInt32(Skeleton.extentDistance))
                    != nil
            {
                appendExtent(of: field)
            } else {
                if descriptor.pointee.type == PROTOBUF_C_TYPE_STRING, file[field.value].contains(0) {
                    throw Failure.textWithNull(String(cString: descriptor.pointee.name), at: field.start)
                }
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: file[field.start..<field.value.upperBound]))
            }
        }
    }

    private mutating func begin(_ field: WireField, _ descriptor: UnsafePointer<ProtobufCFieldDescriptor>) throws {
        guard open.count < Skeleton.depthLimit else {
            throw Failure.nestedTooDeep(at: field.start, limit: Skeleton.depthLimit)
        }
        appendVarint(field.number << 3 | Int(WireType.lengthPrefixed.rawValue))
        // The skeleton's length is not known yet, but it takes no more bytes than that of the message.
        let position = bytes.count
        appendVarint(field.value.count)
        open.append(
            OpenMessage(
                descriptor: descriptor.pointee.descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self),
                end: field.value.upperBound, lengthRange: position..<bytes.count))
    }

    /// Closes the innermost message and sets its length.
    private mutating func close() {
        let message = open.removeLast()
        var length = bytes.count - message.lengthRange.upperBound
        for position in message.lengthRange {
            bytes[position] = UInt8(length & 0x7F) | (position + 1 < message.lengthRange.upperBound ? 0x80 : 0)
            length >>= 7
        }
    }

    private mutating func appendExtent(of field: WireField) {
        appendVarint((field.number + Skeleton.extentDistance) << 3 | Int(WireType.lengthPrefixed.rawValue))
        bytes.append(16)
        for number in [field.value.lowerBound, field.value.count] {
            withUnsafeBytes(of: UInt64(number).littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    private mutating func appendVarint(_ number: Int) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

extension ProtobufCFieldDescriptor {
    /// Whether a value of this field may have this encoding.
    fileprivate func accepts(_ wireType: WireType) -> Bool {
        switch type {
        case PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES: wireType == .lengthPrefixed
        case PROTOBUF_C_TYPE_FLOAT, PROTOBUF_C_TYPE_FIXED32, PROTOBUF_C_TYPE_SFIXED32:
            wireType == .fixed32 || isPacked(wireType)
        case PROTOBUF_C_TYPE_DOUBLE, PROTOBUF_C_TYPE_FIXED64, PROTOBUF_C_TYPE_SFIXED64:
            wireType == .fixed64 || isPacked(wireType)
        default: wireType == .varint || isPacked(wireType)
        }
    }

    private func isPacked(_ wireType: WireType) -> Bool {
        label == PROTOBUF_C_LABEL_REPEATED && wireType == .lengthPrefixed
    }
}
