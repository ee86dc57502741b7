import CMachine
import Kernels

// AVX2's multiplication of bytes (COMPLEMENTS) adds two adjacent products, and saturates the sum if it exceeds 16 bits. That
// takes two large weights of the same sign. One of them is then negated, and its input x replaced by 255 − x, the complement of
// its bits, as the sum of two products of opposite signs always fits: x·w = (255 − x)·(−w) + 255·w. The last terms are
// constant, so sums start with them.
//
// Packed weights have a bit that says whether they are negated. For the tiles of a group, the bits are expanded to bytes in
// scratch memory, which stays in the cache. Storing the bytes beside the weights would double the bytes read from memory.

#if COMPLEMENTS
    /// The packed weights of a step, and the bytes that complement its inputs: 255 or 0, an operand of exclusive or.
    struct PackedWeights {
        let start: UnsafeRawPointer
        let complements: UnsafeRawPointer
        /// The first operand in memory, if it has been loaded: half of a block's complements, or 16-bit weights.
        private(set) var first: SIMD8<Int32>?

        @inline(__always) init(start: UnsafeRawPointer, complements: UnsafeRawPointer) {
            (self.start, self.complements) = (start, complements)
        }
        /// 16-bit weights, which have no complements.
        @inline(__always) init(_ pairs: UnsafeRawPointer) { self.init(start: pairs, complements: pairs) }

        @inline(__always) static func + (weights: PackedWeights, offset: Int) -> PackedWeights {
            PackedWeights(start: weights.start + offset, complements: weights.complements + offset)
        }
        @inline(__always) static func += (weights: inout PackedWeights, offset: Int) { weights = weights + offset }

        /// These weights, with the first operand loaded once for all pixels of a tile: the processor reads two operands from
        /// memory in a cycle, fewer than it could use.
        @inline(__always) var loaded: PackedWeights {
            var weights = self
            weights.first = complements.loadUnaligned(as: SIMD8<Int32>.self)
            return weights
        }
    }

    /// Where the packed weights of a group are: constants `[block]`, bits `[eight quads][block]`, and weights `[quad][block]`,
    /// in vectors of a word for each channel of a block.
    struct ComplementedGroup {
        let quads: Int
        let blocks: Int

        private var rowBytes: Int { @inline(__always) get { 64 * blocks } }
        private var octets: Int { @inline(__always) get { (quads + 7) / 8 } }
        private var bits: Int { @inline(__always) get { rowBytes } }
        var weights: Int { @inline(__always) get { bits + octets * rowBytes } }
        var byteCount: Int { @inline(__always) get { weights + quads * rowBytes } }
        /// The bytes of the expanded complements.
        var expandedBytes: Int { @inline(__always) get { 8 * octets * rowBytes } }

        /// Complements the packed weights. The constants and the bits are zeros before.
        func complement(_ packed: UnsafeMutableRawPointer) {
            for block in 0..<blocks {
                let start = packed + block * 64
                var constants = Words.zero
                for quad in 0..<quads {
                    var complements = SIMD64<UInt8>.zero
                    constants = thaw_complement(start + (weights + quad * rowBytes), &complements, constants)
                    let octet = start + (bits + quad / 8 * rowBytes)
                    let bits = complements & SIMD64(repeating: 0x80 >> UInt8(quad % 8))
                    octet.storeBytes(of: octet.loadUnaligned(as: SIMD64<UInt8>.self) | bits, as: SIMD64<UInt8>.self)
                }
                start.storeBytes(of: constants, as: Words.self)
            }
        }

        /// Expands the complements.
        @inline(__always)
        func expanded(_ packed: UnsafeRawPointer, to complements: UnsafeMutableRawPointer) -> PackedWeights {
            let rowBytes = rowBytes
            var (from, to) = (packed + bits, complements)
            for _ in 0..<octets {
                for block in 0..<blocks { thaw_expand_bits(from + block * 64, to + block * 64, rowBytes) }
                from += rowBytes
                to += 8 * rowBytes
            }
            return PackedWeights(start: packed + weights, complements: complements)
        }
    }
#else
    typealias PackedWeights = UnsafeRawPointer

    extension PackedWeights {
        @inline(__always) var loaded: PackedWeights { self }
    }
#endif
