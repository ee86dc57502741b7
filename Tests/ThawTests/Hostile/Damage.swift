/// A systematic change of a file.
struct Damage {
    /// A description of the change.
    let words: String
    let bytes: [UInt8]
}

/// All damage that is done to a file, one at a time: variants are made when they are asked for.
struct DamageList {
    let count: Int
    private let make: (Int) -> Damage

    subscript(index: Int) -> Damage { make(index) }

    // MARK: Messages

    /// Every field of a message dropped, repeated, exchanged, and with each of the values that are hard to compute
    /// with.
    init?(message bytes: [UInt8]) {
        guard let tree = WireTree(bytes[...]), !tree.fields.isEmpty else { return nil }
        let texts = tree.texts
        let changes = tree.paths.flatMap { path in
            WireTree.Change.all(for: tree.value(at: path[...])).map { (path, $0) }
        }
        count = changes.count
        make = { index in
            let (path, change) = changes[index]
            var damaged = tree
            damaged.change(path[...]) { change.apply(to: &$0, $1, texts: texts) }
            return Damage(words: "\(change) at \(path)", bytes: damaged.bytes)
        }
    }

    // MARK: Bytes

    /// A file without a structure that is known here: bytes changed, missing and repeated, and numbers replaced.
    /// - Parameter positions: How many positions, at most; those at the start are closer together, because headers are
    ///   there.
    init(bytes: [UInt8], positions limit: Int) {
        let dense = min(bytes.count, limit / 2)
        let step = max(1, (bytes.count - dense) / max(1, limit - dense))
        let positions = Array(0..<dense) + stride(from: dense, to: bytes.count, by: step)
        count = positions.count * ByteChange.allCases.count
        make = { index in
            let position = positions[index / ByteChange.allCases.count]
            let change = ByteChange.allCases[index % ByteChange.allCases.count]
            return Damage(words: "\(change) at byte \(position)", bytes: change.applied(to: bytes, position))
        }
    }
}

extension WireTree {
    /// A change of a field.
    enum Change {
        case drop, duplicate, exchange, empty
        case number(Int64)
        case float(Float)
        case double(Double)
        case text(String, [UInt8])
        case longText
        case otherText(Int)
        case shorten, lengthen, longerLength, shorterLength
        case otherType
        case inner

        private static let numbers: [Int64] = [0, -1, 1 << 31 - 1, 1 << 31, .max]
        private static let floats: [Float] = [.nan, .infinity, 1e38]

        static func all(for value: Value) -> [Change] {
            let whole: [Change] = [.drop, .duplicate, .exchange, .otherType]
            let lengths: [Change] = [.shorten, .lengthen, .longerLength, .shorterLength]
            switch value {
            case .varint: return whole + numbers.map { .number($0) }
            case .fixed32: return whole + numbers.map { .number($0) } + floats.map { .float($0) }
            case .fixed64: return whole + numbers.map { .number($0) } + floats.map { .double(Double($0)) }
            case .text:
                return whole + lengths + [
                    .text("an empty text", []), .text("invalid UTF-8", [0xFF, 0xFE, 0xC0]),
                    .longText, .otherText(1), .otherText(7),
                ]
            case .bytes(let bytes):
                let asFloats: [Change] = bytes.count % 4 == 0 ? floats.map { .float($0) } : []
                let asDoubles: [Change] = bytes.count % 8 == 0 ? [.double(.nan), .double(1e300)] : []
                return whole + lengths + [.empty] + numbers.map { .number($0) } + asFloats + asDoubles
            case .message: return whole + lengths + [.empty, .inner]
            case .lying: return []
            }
        }

        func apply(to tree: inout WireTree, _ index: Int, texts: [[UInt8]]) {
            let value = tree.fields[index].value
            func set(_ value: Value) { tree.fields[index].value = value }
            func content() -> [UInt8] {
                switch value {
                case .text(let bytes), .bytes(let bytes): bytes
                case .message(let message): message.bytes
                default: []
                }
            }
            switch self {
            case .drop: tree.fields.remove(at: index)
            case .duplicate: tree.fields.insert(tree.fields[index], at: index)
            case .exchange: tree.fields.swapAt(index, (index + 1) % tree.fields.count)
            case .empty: set(.bytes([]))
            case .number(let number):
                switch value {
                case .fixed32: set(.fixed32(UInt32(truncatingIfNeeded: number)))
                case .fixed64: set(.fixed64(UInt64(bitPattern: number)))
                case .bytes(let bytes):
                    // Packed numbers: the first one is replaced.
                    var packed = WireTree()
                    packed.fields = [Field(number: 1, value: .varint(UInt64(bitPattern: number)))]
                    set(.bytes(Array(packed.bytes.dropFirst() + bytes.drop { $0 >= 0x80 }.dropFirst())))
                default: set(.varint(UInt64(bitPattern: number)))
                }
            case .float(let float):
                if case .bytes(var bytes) = value, bytes.count >= 4 {
                    withUnsafeBytes(of: float.bitPattern.littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
                    set(.bytes(bytes))
                } else {
                    set(.fixed32(float.bitPattern))
                }
            case .double(let double):
                if case .bytes(var bytes) = value, bytes.count >= 8 {
                    withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes.replaceSubrange(0..<8, with: $0) }
                    set(.bytes(bytes))
                } else {
                    set(.fixed64(double.bitPattern))
                }
            case .text(_, let text): set(.text(text))
            case .longText: set(.text([UInt8](repeating: 0x61, count: 1 << 20)))
            case .otherText(let distance):
                // Another name of the file: nodes with the same name, circles, references to themselves.
                let position = texts.firstIndex(of: content()) ?? 0
                if !texts.isEmpty { set(.text(texts[(position + distance) % texts.count])) }
            case .shorten: set(.bytes(content().dropLast()))
            case .lengthen: set(.bytes(content() + [0]))
            case .longerLength: set(.lying(content(), claimed: content().count + 1))
            case .shorterLength: set(.lying(content(), claimed: max(0, content().count - 1)))
            case .otherType:
                switch value {
                case .varint(let number): set(.fixed32(UInt32(truncatingIfNeeded: number)))
                case .fixed32, .fixed64, .lying: set(.varint(1))
                case .text, .bytes: set(.varint(3))
                case .message: set(.fixed64(7))
                }
            case .inner:
                // A message within itself.
                if case .message(var message) = value {
                    message.fields.append(tree.fields[index])
                    set(.message(message))
                }
            }
        }
    }

    init() {}
}

extension WireTree.Change: CustomStringConvertible {
    var description: String {
        switch self {
        case .drop: "a dropped field"
        case .duplicate: "a repeated field"
        case .exchange: "exchanged fields"
        case .empty: "an emptied field"
        case .number(let number): "the number \(number)"
        case .float(let float): "the number \(float)"
        case .double(let double): "the number \(double)"
        case .text(let words, _): words
        case .longText: "a text of 1 MB"
        case .otherText: "another text of the file"
        case .shorten: "a shorter field"
        case .lengthen: "a longer field"
        case .longerLength: "a length that is too large"
        case .shorterLength: "a length that is too small"
        case .otherType: "another type"
        case .inner: "a message within itself"
        }
    }
}

/// A change of the bytes at a position.
enum ByteChange: CaseIterable {
    case zero, ones, flip, remove, insert, truncate, digit
    case largest, largestBigEndian, negative, unsigned, unsignedBigEndian, largest64

    func applied(to bytes: [UInt8], _ position: Int) -> [UInt8] {
        var result = bytes
        func number<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
            let count = min(MemoryLayout<T>.size, bytes.count - position)
            withUnsafeBytes(of: number) { result.replaceSubrange(position..<position + count, with: $0.prefix(count)) }
            return result
        }
        switch self {
        case .zero: result[position] = 0
        case .ones: result[position] = 0xFF
        case .flip: result[position] ^= 0x10
        case .remove: result.remove(at: position)
        case .insert: result.insert(0x2D, at: position)
        case .truncate: result.removeSubrange(position...)
        case .digit: result.insert(contentsOf: "99999999999999999999".utf8, at: position)
        case .largest: return number(Int32.max.littleEndian)
        case .largestBigEndian: return number(Int32.max.bigEndian)
        case .negative: return number(Int32.min.littleEndian)
        case .unsigned: return number(UInt32.max)
        case .unsignedBigEndian: return number(UInt16(0x8001).littleEndian)
        case .largest64: return number(Int64.max.littleEndian)
        }
        return result
    }
}
