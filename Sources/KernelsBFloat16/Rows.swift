import CMachine
import Kernels

// Rows of blocks: widened piece by piece, computed by the float32 kernels, and rounded.

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

    public static func copyRows(_ work: borrowing RowWork) {
        for row in 0..<work.count {
            let from = floats(work.left + row * work.leftStride)
            let to = values(work.output + row * work.outputStride)
            let whole = work.width / blockWidth * blockWidth
            round(from, to, whole)
            for index in whole..<work.width { to[index] = nearest(from[index]) }
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
}
