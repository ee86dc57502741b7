import Kernels

@testable import Thaw

/// The kernels of every instruction set of this machine.
let kernelTables: [(set: InstructionSet, table: any (KernelTable & PlainKernels & WinogradKernels).Type)] =
    InstructionSet.availableForFloats.map { ($0, $0.kernels) }

/// Pseudorandom values between −1 and 1, the same in every run.
func noise(_ count: Int, seed: UInt64 = 1) -> [Float] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
    }
}

/// Works count bytes.
func bytes(_ floats: Int) -> Int { 4 * floats }

/// The largest difference relative to the largest expected magnitude (at least 1).
func error(_ actual: [Float], _ expected: [Float]) -> Float {
    precondition(actual.count == expected.count)
    let scale = expected.reduce(Float(1)) { max($0, abs($1)) }
    return zip(actual, expected).reduce(Float(0)) { worst, pair in
        let difference = abs(pair.0 - pair.1)
        return difference.isNaN ? .infinity : max(worst, difference / scale)
    }
}

/// A copy of `values` that lives as long as the tests.
func pointer<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let copy = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
    copy.initialize(from: values, count: values.count)
    lock.withLock { copies.append(UnsafeRawPointer(copy)) }
    return copy
}

/// All copies, so that a leak checker sees them in use.
private nonisolated(unsafe) var copies: [UnsafeRawPointer] = []
/// Protects them. (The thread sanitizer does not recognize the standard library's `Mutex`.)
private let lock = Lock()
