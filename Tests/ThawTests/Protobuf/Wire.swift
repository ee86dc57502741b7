/// Protobuf messages written by hand, valid or not, as input for the readers.
struct Wire {
    private(set) var bytes: [UInt8] = []

    init(_ build: (inout Wire) -> Void = { _ in }) { build(&self) }

    mutating func varint(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func tag(_ field: Int, _ wireType: Int) { varint(field << 3 | wireType) }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes += more }

    mutating func int(_ field: Int, _ number: Int) {
        tag(field, 0)
        varint(number)
    }

    mutating func bytes(_ field: Int, _ content: some Collection<UInt8>) {
        tag(field, 2)
        varint(content.count)
        bytes += content
    }

    mutating func string(_ field: Int, _ text: String) { bytes(field, Array(text.utf8)) }

    mutating func message(_ field: Int, _ build: (inout Wire) -> Void = { _ in }) { bytes(field, Wire(build).bytes) }

    mutating func packed(_ field: Int, varints numbers: [Int]) {
        message(field) { for number in numbers { $0.varint(number) } }
    }

    mutating func packed<T: BitwiseCopyable>(_ field: Int, _ numbers: [T]) {
        bytes(field, numbers.withUnsafeBytes { Array($0) })
    }
}

extension Wire {
    /// A GraphDef with one constant, whose tensor has this type (TensorFlow's enum value), shape and further fields.
    static func constant(type: Int, shape: [Int], _ content: (inout Wire) -> Void) -> [UInt8] {
        Wire {
            $0.node("weights", "Const") {
                $0.attribute("value") {
                    $0.message(8) {
                        $0.int(1, type)
                        $0.message(2) { for size in shape { $0.dimension(size) } }
                        content(&$0)
                    }
                }
            }
        }.bytes
    }

    mutating func dimension(_ size: Int) { message(2) { $0.int(1, size) } }

    mutating func node(_ name: String, _ op: String, _ build: (inout Wire) -> Void = { _ in }) {
        message(1) {
            $0.string(1, name)
            $0.string(2, op)
            build(&$0)
        }
    }

    mutating func attribute(_ key: String, _ value: (inout Wire) -> Void) {
        message(5) {
            $0.string(1, key)
            $0.message(2, value)
        }
    }
}

/// Random values that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64: https://prng.di.unimi.it/splitmix64.c
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
