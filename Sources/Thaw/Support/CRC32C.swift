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

    /// The checksum of `bytes`, or of all bytes so far if `sum` is that of the preceding bytes.
    static func sum(_ bytes: UnsafeRawBufferPointer, after sum: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var value = ~sum
            var offset = 0
            while bytes.count - offset >= 8 {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(value)
                var next: UInt32 = 0
                for byte in 0..<8 {
                    next ^= tables[(7 - byte) * 256 + Int(truncatingIfNeeded: word >> UInt64(8 * byte) & 0xFF)]
                }
                value = next
                offset += 8
            }
            while offset < bytes.count {
                value = value >> 8 ^ tables[Int((value ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
            return ~value
        }
    }

    /// A checksum as stored by LevelDB and TensorFlow: rotated and offset, so that the checksum of data that contains
    /// checksums is not degenerate. Source: tensorflow/core/lib/hash/crc32c.h.
    static func masked(_ sum: UInt32) -> UInt32 { (sum >> 15 | sum << 17) &+ 0xA282_EAD8 }
}
