/// The cyclic redundancy check with Castagnoli's polynomial (RFC 3720, B.4), eight bytes at a time.
enum CRC32C {
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
            tables[byte] = value
        }
        for byte in 0..<256 {
            for table in 1..<8 {
                let before = tables[(table - 1) * 256 + byte]
                tables[table * 256 + byte] = before >> 8 ^ tables[Int(before & 0xFF)]
            }
        }
        return tables
    }()

    /// The check of `bytes`, or of all bytes so far where `sum` is that of the bytes before.
    static func sum(_ bytes: UnsafeRawBufferPointer, after sum: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var value = ~sum
            var place = 0
            while bytes.count - place >= 8 {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ UInt64(value)
                var next: UInt32 = 0
                for byte in 0..<8 {
                    next ^= tables[(7 - byte) * 256 + Int(truncatingIfNeeded: word >> UInt64(8 * byte) & 0xFF)]
                }
                value = next
                place += 8
            }
            while place < bytes.count {
                value = value >> 8 ^ tables[Int((value ^ UInt32(bytes[place])) & 0xFF)]
                place += 1
            }
            return ~value
        }
    }

    /// A check as LevelDB and TensorFlow store it: turned and shifted, so that a check of checks is none of zeros.
    /// Source: tensorflow/core/lib/hash/crc32c.h.
    static func masked(_ sum: UInt32) -> UInt32 { (sum >> 15 | sum << 17) &+ 0xA282_EAD8 }
}
