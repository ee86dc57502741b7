import Kernels

/// The distance between the inputs of adjacent outputs in a row. The compiler knows it, so one pointer addresses them
/// all.
protocol HorizontalStride {
    static var pixels: Int { get }
    /// The maximum number of outputs that are computed together.
    static var limit: Int { get }
    /// Computes a run of `count` outputs, at most the limit.
    static func compute<K: RunKernel>(
        _ kernel: K, _ count: Int, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>
    ) where K.S == Self
}

extension HorizontalStride {
    @inline(__always)
    static func compute<K: RunKernel>(
        _ kernel: K, _ count: Int, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>
    ) where K.S == Self {
        computeRun(kernel, count, input, output)
    }
}

/// A pixel of a run is one register of AVX-512 or NEON, two of AVX2 and four of SSE.
private var runLimit: Int {
    #if AVX512 || arch(arm64)
        14
    #else
        Table.tilePixels
    #endif
}

enum StrideOne: HorizontalStride {
    @inline(__always) static var pixels: Int { 1 }
    @inline(__always) static var limit: Int { runLimit }
}

enum StrideTwo: HorizontalStride {
    @inline(__always) static var pixels: Int { 2 }
    #if arch(arm64) && BFLOAT16
        // Values that are widened need registers too.
        @inline(__always) static var limit: Int { 12 }
    #elseif arch(arm64)
        // With 14, one would be kept in memory.
        @inline(__always) static var limit: Int { 13 }
    #else
        @inline(__always) static var limit: Int { runLimit }
    #endif
}

/// Any other stride: one output at a time.
enum AnyStride: HorizontalStride {
    @inline(__always) static var pixels: Int { 0 }
    @inline(__always) static var limit: Int { 1 }
    @inline(__always)
    static func compute<K: RunKernel>(
        _ kernel: K, _ count: Int, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>
    ) where K.S == Self {
        kernel.run(Single<AnyStride>.self, input, output)
    }
}

/// The registers of some adjacent outputs in a row of one block: a tree that the compiler resolves completely, as in
/// `Tile`.
protocol Run {
    associatedtype S: HorizontalStride
    static var count: Int { get }
    init(_ start: Lanes)
    /// Combines each output with the value at the same offset from `input`.
    mutating func combine(at input: UnsafePointer<Value>, _ function: (Lanes, UnsafePointer<Value>) -> Lanes)
    /// Adds three adjacent pixels times the weights to each output. If the outputs are adjacent too, two of the three
    /// pixels have been read for the previous output and are in `seen`; at a distance of two pixels, the first of them.
    mutating func slide(
        _ input: UnsafePointer<Value>, _ seen: inout (Lanes, Lanes), _ weights: (Lanes, Lanes, Lanes))
    mutating func update(_ function: (Lanes) -> Lanes)
    func store(_ output: UnsafeMutablePointer<Value>)
}

extension Run {
    /// Combines each output with its input. `input` is the first output's.
    @inline(__always)
    mutating func combine(_ input: UnsafePointer<Value>, _ function: (Lanes, Lanes) -> Lanes) {
        combine(at: input) { function($0, loadLanes($1)) }
    }
}

struct Single<S: HorizontalStride>: Run {
    private var value: Lanes
    @inline(__always) static var count: Int { 1 }
    @inline(__always) init(_ start: Lanes) { value = start }
    @inline(__always)
    mutating func combine(at input: UnsafePointer<Value>, _ function: (Lanes, UnsafePointer<Value>) -> Lanes) {
        value = function(value, input)
    }
    @inline(__always)
    mutating func slide(
        _ input: UnsafePointer<Value>, _ seen: inout (Lanes, Lanes), _ weights: (Lanes, Lanes, Lanes)
    ) {
        let next = loadLanes(input + 2 * blockWidth)
        if S.pixels == 2 { seen.1 = loadLanes(input + blockWidth) }
        value = multiplyAdd(value, seen.0, weights.0)
        value = multiplyAdd(value, seen.1, weights.1)
        value = multiplyAdd(value, next, weights.2)
        seen = (S.pixels == 2 ? next : seen.1, next)
    }
    @inline(__always) mutating func update(_ function: (Lanes) -> Lanes) { value = function(value) }
    @inline(__always) func store(_ output: UnsafeMutablePointer<Value>) { writeLanes(value, output) }
}

/// Some outputs, then some more.
struct Joined<A: Run, B: Run>: Run where A.S == B.S {
    typealias S = A.S
    private var a: A
    private var b: B
    @inline(__always) static var count: Int { A.count + B.count }
    @inline(__always) init(_ start: Lanes) {
        a = A(start)
        b = B(start)
    }
    @inline(__always)
    mutating func combine(at input: UnsafePointer<Value>, _ function: (Lanes, UnsafePointer<Value>) -> Lanes) {
        a.combine(at: input, function)
        b.combine(at: input + A.count * S.pixels * blockWidth, function)
    }
    @inline(__always)
    mutating func slide(
        _ input: UnsafePointer<Value>, _ seen: inout (Lanes, Lanes), _ weights: (Lanes, Lanes, Lanes)
    ) {
        a.slide(input, &seen, weights)
        b.slide(input + A.count * S.pixels * blockWidth, &seen, weights)
    }
    @inline(__always) mutating func update(_ function: (Lanes) -> Lanes) {
        a.update(function)
        b.update(function)
    }
    @inline(__always) func store(_ output: UnsafeMutablePointer<Value>) {
        a.store(output)
        b.store(output + A.count * blockWidth)
    }
}

/// The computation for the outputs of one run.
protocol RunKernel {
    associatedtype S: HorizontalStride
    func run<R: Run>(_: R.Type, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>) where R.S == S
}

/// How the outputs of a row are split: into as few runs as possible, of nearly equal length.
struct RunLengths {
    let count: Int
    private let shorter: Int
    /// The number of runs that are longer by one output.
    private let longer: Int

    @inline(__always) init(_ width: Int, limit: Int) {
        count = (width + limit - 1) / limit
        (shorter, longer) = count == 0 ? (0, 0) : width.quotientAndRemainder(dividingBy: count)
    }

    /// The number of outputs of a run.
    @inline(__always) subscript(run: Int) -> Int { run < longer ? shorter + 1 : shorter }
}

/// Computes a row of outputs.
@inline(__always)
func computeRow<K: RunKernel>(
    _ kernel: K, _ runs: RunLengths, _ input: UnsafePointer<Value>, step: Int, _ output: UnsafeMutablePointer<Value>
) {
    var (input, output) = (input, output)
    for run in 0..<runs.count {
        let count = runs[run]
        K.S.compute(kernel, count, input, output)
        input += count * step
        output += count * blockWidth
    }
}

@inline(__always)
private func computeRun<K: RunKernel>(
    _ kernel: K, _ count: Int, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>
) {
    typealias A = Single<K.S>
    typealias B = Joined<A, A>
    typealias D = Joined<B, B>
    typealias H = Joined<D, D>
    switch count {
    case 1: kernel.run(A.self, input, output)
    case 2: kernel.run(B.self, input, output)
    case 3: kernel.run(Joined<B, A>.self, input, output)
    #if AVX2 || AVX512 || arch(arm64)
        case 4: kernel.run(D.self, input, output)
        case 5: kernel.run(Joined<D, A>.self, input, output)
        case 6: kernel.run(Joined<D, B>.self, input, output)
    #endif
    #if AVX512 || arch(arm64)
        case 7: kernel.run(Joined<D, Joined<B, A>>.self, input, output)
        case 8: kernel.run(H.self, input, output)
        case 9: kernel.run(Joined<H, A>.self, input, output)
        case 10: kernel.run(Joined<H, B>.self, input, output)
        case 11: kernel.run(Joined<H, Joined<B, A>>.self, input, output)
        case 12: kernel.run(Joined<H, D>.self, input, output)
        case 13 where K.S.limit > 12: kernel.run(Joined<H, Joined<D, A>>.self, input, output)
        case 14 where K.S.limit > 13: kernel.run(Joined<H, Joined<D, B>>.self, input, output)
    #endif
    default: fatalError("unsupported run length")
    }
}
