/// A message in a file whose fields are accessed by number: for messages that are small, or that contain many others
/// to be read one at a time. Only its range is stored; every access scans the message's own fields.
struct RawMessage {
    let file: ByteView
    let range: Range<Int>

    init(_ file: ByteView, at range: Range<Int>? = nil) {
        self.file = file
        self.range = range ?? 0..<file.count
    }

    /// Calls `body` with each field in file order.
    /// - Throws: `Failure` if the message is corrupt.
    func forEachField(_ body: (WireField) throws -> Void) throws {
        try file.withBytes {
            var reader = WireReader($0, range)
            while let field = try reader.next() { try body(field) }
        }
    }

    /// The messages, strings or bytes in the field `number`, in order.
    func messages(_ number: Int) throws -> [RawMessage] {
        var found: [RawMessage] = []
        try forEachField {
            if $0.number == number, $0.wireType == .lengthPrefixed { found.append(RawMessage(file, at: $0.value)) }
        }
        return found
    }

    func message(_ number: Int) throws -> RawMessage? { try messages(number).last }

    var text: String { file.withBytes { String(decoding: $0[range], as: UTF8.self) } }
    var bytes: ByteView {
        ByteView(viewing: UnsafeRawBufferPointer(rebasing: file.bytes[range]), of: file.owner)
    }

    func strings(_ number: Int) throws -> [String] { try messages(number).map(\.text) }
    func string(_ number: Int) throws -> String { try message(number)?.text ?? "" }

    /// The value of a field encoded as a varint or four bytes; nil if it is not set.
    func integer(_ number: Int) throws -> FileNumber? {
        var result: FileNumber?
        try forEachField { field in
            guard field.number == number else { return }
            switch field.wireType {
            case .varint:
                var reader = WireReader(file.bytes, field.value)
                result = FileNumber(Int64(bitPattern: try reader.varint()))
            case .fixed32:
                result = try file.bytes.number(UInt32.self, at: field.value.lowerBound)
            default: break
            }
        }
        return result
    }

    /// The values of a repeated field of varints, packed or not, in order.
    func integers(_ number: Int) throws -> [FileNumber] {
        var result: [FileNumber] = []
        try forEachField { field in
            guard field.number == number, [.varint, .lengthPrefixed].contains(field.wireType) else { return }
            var reader = WireReader(file.bytes, field.value)
            while reader.position < reader.end { result.append(FileNumber(Int64(bitPattern: try reader.varint()))) }
        }
        return result
    }

    /// The entries of a map from strings to messages or strings, in file order.
    func map(_ number: Int) throws -> [(key: String, value: RawMessage)] {
        try messages(number).map { entry in
            (
                try entry.string(1),
                try entry.message(2) ?? RawMessage(file, at: entry.range.upperBound..<entry.range.upperBound)
            )
        }
    }
}
