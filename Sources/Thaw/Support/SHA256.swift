/// A 256-bit checksum, as printed by `sha256sum`. Source: NIST, FIPS 180-4.
struct SHA256 {
    private var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    /// The checksum of these bytes as 64 hexadecimal digits.
    static func text(of bytes: UnsafeRawBufferPointer) -> String {
        var sum = SHA256()
        let whole = bytes.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) {
            sum.add(block: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]))
        }
        // The remaining bytes, a one bit, zeros, and the length in bits.
        var rest = Array(bytes[whole...]) + [0x80]
        while rest.count % 64 != 56 { rest.append(0) }
        let bits = UInt64(bytes.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            rest.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        rest.withUnsafeBytes { rest in
            for start in stride(from: 0, to: rest.count, by: 64) {
                sum.add(block: UnsafeRawBufferPointer(rebasing: rest[start..<start + 64]))
            }
        }
        return sum.state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private mutating func add(block: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            for index in 0..<16 {
                words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let first: UInt32 = early.rotated(7) ^ early.rotated(18) ^ (early >> 3)
                let second: UInt32 = late.rotated(17) ^ late.rotated(19) ^ (late >> 10)
                words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for index in 0..<64 {
                let upper: UInt32 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
                let choice: UInt32 = (e & f) ^ (~e & g)
                let first: UInt32 = h &+ upper &+ choice &+ Self.constants[index] &+ words[index]
                let lower: UInt32 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
                let majority: UInt32 = (a & b) ^ (a & c) ^ (b & c)
                (h, g, f, e) = (g, f, e, d &+ first)
                (d, c, b, a) = (c, b, a, first &+ lower &+ majority)
            }
            for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
        }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { UInt32(truncatingIfNeeded: cubeRoot($0)) }
    }()

    /// The cube root of a number below 512, times 2^32 and truncated: the largest integer whose cube is at most the
    /// number times 2^96.
    private static func cubeRoot(_ number: UInt64) -> UInt64 {
        var root: UInt64 = 0
        for bit in stride(from: 34, through: 0, by: -1) {
            let next = root | 1 << UInt64(bit)
            // next³ ≤ number · 2^96, in 128 bits.
            let square = next.multipliedFullWidth(by: next)
            let low = square.low.multipliedFullWidth(by: next)
            let (high, overflow) = (square.high &* next).addingReportingOverflow(low.high)
            if !overflow, high < number << 32 || high == number << 32 && low.low == 0 { root = next }
        }
        return root
    }
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
