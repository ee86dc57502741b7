import CMachine
import Kernels

// Rows of blocks: widened piece by piece, computed by the float32 kernels, and rounded. Layout conversions do the same.

/// Floats on the stack.
private struct Buffer {
    static var vectors: Int { 16 }
    static var count: Int { vectors * 16 }
    private typealias Four = (Vector, Vector, Vector, Vector)
    private static var zeros: Four { (.zero, .zero, .zero, .zero) }
    private var content = (zeros, zeros, zeros, zeros)

    @inline(__always)
    mutating func with(_ body: (UnsafeMutablePointer<Float>) -> Void) {
        withUnsafeMutableBytes(of: &content) { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
    }
}

@inline(__always)
private func widen(_ from: UnsafePointer<Value>, _ to: UnsafeMutablePointer<Float>, _ count: Int) {
    var index = 0
    while index < count {
        write(load(from + index), to + index)
        index += blockWidth
    }
}

@inline(__always)
private func round(_ from: UnsafePointer<Float>, _ to: UnsafeMutablePointer<Value>, _ count: Int) {
    var index = 0
    while index < count {
        write(load(from + index), to + index)
        index += blockWidth
    }
}

extension BFloat16Kernels {
    public static func unary(_ function: UnaryFunction, _ work: borrowing RowWork) {
        #if AVX512
            let (alpha, beta) = (Vector(repeating: function.alpha), Vector(repeating: function.beta))
            let (one, factor) = (Vector(repeating: 1), Vector(repeating: function.alpha * -1.442695041))
            @inline(__always) func swish(_ x: Vector) -> Vector { thaw_coarse_swish(x, factor) }
            @inline(__always) func hardSwish(_ x: Vector) -> Vector {
                x * minimum(maximum(x * alpha + beta, .zero), one)
            }
            switch function.kind {
            case .swish: return map(work, swish)
            case .hardSwish: return map(work, hardSwish)
            default: break
            }
        #endif
        forEachPiece(work) { Float32Kernels.unary(function, $0) }
    }

    public static func binary(_ function: BinaryFunction, _ work: borrowing RowWork) {
        forEachPiece(work) { Float32Kernels.binary(function, $0) }
    }

    /// - Parameter work: Images. A plane has the same factors in all rows.
    public static func scale(_ work: borrowing RowWork) {
        guard case .block = work.pattern else { preconditionFailure("only images have channels in blocks") }
        let (lower, upper) = (Vector(repeating: work.lower), Vector(repeating: work.upper))
        let (factor, summand) = (load(floats(work.right)), load(floats(work.offset)))
        @inline(__always) func scaled(_ x: Vector) -> Vector {
            minimum(maximum(multiplyAdd(summand, x, factor), lower), upper)
        }
        map(work, scaled)
    }

    public static func block(_ work: borrowing RelayoutWork) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            let lanes = min(blockWidth, work.channels - block * blockWidth)
            for row in 0..<work.height {
                var from = UnsafeRawPointer(work.plain) + (row * work.plainRowStride + block * blockWidth * 4)
                var to = work.blocked + (block * work.blockedBlockStride + row * work.blockedRowStride)
                for _ in 0..<work.width {
                    write(load(floats(from), count: lanes), values(to))
                    from += work.plainPixelStride
                    to += pixelBytes
                }
            }
        }
    }

    public static func unblock(_ work: borrowing RelayoutWork) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            let lanes = min(blockWidth, work.channels - block * blockWidth)
            for row in 0..<work.height {
                var to = work.plain + (row * work.plainRowStride + block * blockWidth * 4)
                var from =
                    UnsafeRawPointer(work.blocked) + (block * work.blockedBlockStride + row * work.blockedRowStride)
                for _ in 0..<work.width {
                    write(load(values(from)), floats(to), count: lanes)
                    to += work.plainPixelStride
                    from += pixelBytes
                }
            }
        }
    }

    /// A function in registers.
    @inline(__always)
    private static func map(_ work: borrowing RowWork, _ function: (Vector) -> Vector) {
        for row in 0..<work.count {
            let left = values(work.left + row * work.leftStride)
            let output = values(work.output + row * work.outputStride)
            var index = 0
            while index < work.width {
                write(function(load(left + index)), output + index)
                index += blockWidth
            }
        }
    }

    /// Calls a float32 kernel with pieces of the rows. Rows of images are whole blocks.
    @inline(__always)
    private static func forEachPiece(_ borrowed: borrowing RowWork, _ kernel: (borrowing RowWork) -> Void) {
        let work = copy borrowed
        var (left, right) = (Buffer(), Buffer())
        left.with { left in
            right.with { right in
                for row in 0..<work.count {
                    var first = 0
                    while first < work.width {
                        let count = min(Buffer.count, work.width - first)
                        widen(values(work.left + row * work.leftStride) + first, left, count)
                        var piece = work
                        (piece.left, piece.leftStride) = (UnsafeRawPointer(left), 0)
                        (piece.output, piece.outputStride) = (UnsafeMutableRawPointer(left), 0)
                        (piece.width, piece.count) = (count, 1)
                        piece.right = work.right + row * work.rightStride
                        piece.offset = work.offset + row * work.rightStride
                        if work.pattern == .each {
                            widen(values(piece.right) + first, right, count)
                            piece.right = UnsafeRawPointer(right)
                        }
                        kernel(piece)
                        round(left, values(work.output + row * work.outputStride) + first, count)
                        first += count
                    }
                }
            }
        }
    }

    /// A convolution that reads floats, computed by the float32 kernels, for as many pixels and blocks at a time as fit
    /// on the stack.
    static func convolvePlain(_ borrowed: borrowing ConvolutionWork) {
        let work = copy borrowed
        if work.writesPlain { return Float32Kernels.convolve(work) }
        var buffers = Tiles()
        let blocks = (work.channels + blockWidth - 1) / blockWidth
        buffers.with { sums, offsets in
            var block = work.firstBlock
            while block < work.firstBlock + work.blockCount {
                let width = BlockGroups.width(remaining: blocks - block, maximum: groupBlocks)
                var first = work.firstPixel
                while first < work.firstPixel + work.pixelCount {
                    let count = min(Tiles.pixels, work.firstPixel + work.pixelCount - first)
                    var part = work
                    part.inputOffsets = work.inputOffsets + first
                    part.output = UnsafeMutableRawPointer(sums)
                    part.outputOffsets = offsets
                    (part.firstPixel, part.pixelCount) = (0, count)
                    (part.firstBlock, part.blockCount) = (block, width)
                    part.residual = nil
                    part.outputBlockStride = Tiles.pixels * blockWidth * 4
                    // Blocks are counted from the first of the image.
                    part.output -= block * part.outputBlockStride
                    if work.residual != nil {
                        (part.lower, part.upper, part.activation) = (-.infinity, .infinity, nil)
                    }
                    Float32Kernels.convolve(part)
                    for index in 0..<width {
                        finish(work, sums + index * Tiles.pixels * blockWidth, block + index, first, count)
                    }
                    first += count
                }
                block += width
            }
        }
    }

    @inline(__always)
    private static func finish(
        _ work: borrowing ConvolutionWork, _ sums: UnsafePointer<Float>, _ block: Int, _ first: Int, _ count: Int
    ) {
        let output = work.output + block * work.outputBlockStride
        for pixel in 0..<count {
            var sum = load(sums + pixel * blockWidth)
            let target = values(output + Int(work.outputOffsets[first + pixel]))
            if let residual = work.residual, let offsets = work.residualOffsets {
                sum += load(values(residual + (block * work.residualBlockStride + Int(offsets[first + pixel]))))
                sum = minimum(
                    maximum(sum, Vector(repeating: work.lower)), Vector(repeating: work.upper))
            }
            write(sum, target)
            if work.residual != nil, let activation = work.activation {
                activate(activation, target, width: blockWidth)
            }
        }
    }
}

/// The accumulators of some pixels of the widest group, and the offsets of the pixels.
private struct Tiles {
    static var pixels: Int { 12 }
    private typealias Four = (Vector, Vector, Vector, Vector)
    private typealias Twelve = (Four, Four, Four)
    private static var four: Four { (.zero, .zero, .zero, .zero) }
    private static var twelve: Twelve { (four, four, four) }
    private var sums = (twelve, twelve, twelve, twelve)
    private var offsets = SIMD16<Int32>(0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 0, 0, 0, 0)

    @inline(__always)
    mutating func with(_ body: (UnsafeMutablePointer<Float>, UnsafePointer<Int32>) -> Void) {
        withUnsafeMutableBytes(of: &sums) { sums in
            withUnsafeBytes(of: offsets) { offsets in
                body(
                    sums.baseAddress!.assumingMemoryBound(to: Float.self),
                    offsets.baseAddress!.assumingMemoryBound(to: Int32.self))
            }
        }
    }
}
