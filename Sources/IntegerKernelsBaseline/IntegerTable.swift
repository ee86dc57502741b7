import CMachine
import Kernels

/// The 8-bit integer kernels as compiled for this module's instruction set. Call them only if the machine has the
/// instructions. Each is in the file of its family.
///
/// With VNNI, a word of packed weights is a quad of bytes: the weights of four adjacent inputs for one output channel.
/// Without, a quad takes two steps, and a word is a pair of 16-bit weights; or, with AVX2 (COMPLEMENTS), the weights of a quad
/// are followed by its complements.
///
/// arm64's dotprod (DOTPROD, with VNNI's form of the weights) multiplies signed bytes: 128 is subtracted from the input, and
/// sums start with 128 times the weights. Its i8mm (MATRICES) multiplies unsigned bytes, as VNNI does, for two pixels at a
/// time (`MatrixTile`).
public enum Int8Kernels: IntegerKernels {
    #if AVX512 && VNNI
        public static var groupBlocks: Int { @inline(__always) get { 4 } }
        // Longer tiles are not faster, and take long to compile.
        public static var tilePixels: Int { @inline(__always) get { 8 } }
    #elseif AVX512
        public static var groupBlocks: Int { @inline(__always) get { 4 } }
        public static var tilePixels: Int { @inline(__always) get { 4 } }
    #elseif DOTPROD
        // Twenty accumulators, four quads of each pixel and the weights: six pixels would not stay in 32 registers.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 5 } }
    #elseif MATRICES
        // Twenty-four sums, three pairs of pixels and four vectors of weights.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
    #elseif VNNI
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
    #elseif COMPLEMENTS
        // Twelve sums, a quad, its products and ones: the weights are read from memory.
        public static var groupBlocks: Int { @inline(__always) get { 2 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
    #elseif arch(arm64)
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 3 } }
    #else
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 2 } }
    #endif

    #if COMPLEMENTS
        public static var supportsLowestPairs: Bool { false }
    #endif

    /// The steps of a quad.
    static var quadSteps: Int {
        @inline(__always) get {
            #if VNNI || COMPLEMENTS
                1
            #else
                2
            #endif
        }
    }

    /// The bytes of a quad's packed weights for one block of output channels.
    static var quadBytes: Int { @inline(__always) get { quadSteps * OneBlock.stepBytes } }

    public static func packedBytes(_ steps: IntegerSteps) -> Int {
        #if COMPLEMENTS
            ComplementedGroup(quads: steps.count, blocks: 1).byteCount
        #else
            quadBytes * steps.count
        #endif
    }

    /// The bytes of a tile's sums (`StoredSums`).
    static var sumBytes: Int { @inline(__always) get { 64 * groupBlocks * tilePixels } }

    /// The bytes for a tile's sums, a group's initial sums, and the group's complements.
    public static func scratchBytes(_ steps: IntegerSteps) -> Int {
        #if DOTPROD
            sumBytes + 64 * groupBlocks
        #elseif COMPLEMENTS
            sumBytes + 64 * groupBlocks + ComplementedGroup(quads: steps.count, blocks: groupBlocks).expandedBytes
        #else
            sumBytes
        #endif
    }
}

#if COMPLEMENTS
    extension Int8Kernels {
        /// Only the products of a tile. (Without memory, those of adjacent pixels would be computed only once.)
        public static func peak(_ rounds: Int) -> Int {
            var tile = Six<Pixel<OneBlock>>(offset: 0, stride: 0)
            withUnsafeBytes(of: (Words(repeating: 0x0102_0304), Words.zero)) { weights in
                let input = weights.baseAddress!
                let weights = PackedWeights(start: input, complements: input + 64)
                for _ in 0..<rounds {
                    tile.accumulate(input, step: 0, at: weights)
                    tile.accumulate(input, step: 0, at: weights)
                    tile.accumulate(input, step: 0, at: weights)
                    tile.accumulate(input, step: 0, at: weights)
                }
            }
            // The sums must be used, or nothing would be computed.
            var total: Int32 = 0
            tile.forEach(0) { sums, _ in sums.forEach(0) { words, _ in total &+= words[0] } }
            return total == -1 ? 0 : 4 * 2 * 4 * blockWidth * 6 * rounds
        }
    }
#else
    extension Int8Kernels {
        /// Independent accumulators, enough to hide the latency of an addition.
        public static func peak(_ rounds: Int) -> Int {
            var sums: Accumulators = (.zero, .zero, .zero, .zero, .zero, .zero)
            #if AVX512
                var more = sums
            #endif
            var a = Words(repeating: Int32(truncatingIfNeeded: rounds) & 0x7f7f)
            let b = Words(repeating: 0x0102_0304)
            for _ in 0..<rounds {
                // Otherwise the products would be computed only once. Several of each, as this addition takes time, too.
                a = a &+ b
                for _ in 0..<4 {
                    add(a, b, to: &sums)
                    #if AVX512
                        add(a, b, to: &more)
                    #endif
                }
            }
            var all = sums.0 &+ sums.1 &+ sums.2 &+ sums.3 &+ sums.4 &+ sums.5
            var accumulators = 6
            #if AVX512
                all = all &+ more.0 &+ more.1 &+ more.2 &+ more.3 &+ more.4 &+ more.5
                accumulators = 12
            #endif
            // The accumulators must be used, or nothing would be computed.
            var total: Int32 = 0
            for lane in 0..<blockWidth { total &+= all[lane] }
            return total == -1 ? 0 : 4 * 2 * 4 / quadSteps * blockWidth * accumulators * rounds
        }

        private typealias Accumulators = (Words, Words, Words, Words, Words, Words)

        @inline(__always)
        private static func add(_ a: Words, _ b: Words, to sums: inout Accumulators) {
            sums.0 = addProducts(sums.0, a, b)
            sums.1 = addProducts(sums.1, a, b)
            sums.2 = addProducts(sums.2, a, b)
            sums.3 = addProducts(sums.3, a, b)
            sums.4 = addProducts(sums.4, a, b)
            sums.5 = addProducts(sums.5, a, b)
        }
    }
#endif
