import Kernels

@testable import Thaw

/// Every instruction set of this machine, with its kernels.
let kernelTables: [(set: InstructionSet, table: KernelTable)] = InstructionSet.available.map { ($0, $0.kernels) }

/// Numbers between −1 and 1 that look random and are the same in every run.
func noise(_ count: Int, seed: UInt64 = 1) -> [Float] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
    }
}

/// The largest difference, as a share of the largest expected magnitude (at least 1).
func error(_ actual: [Float], _ expected: [Float]) -> Float {
    precondition(actual.count == expected.count)
    let scale = expected.reduce(Float(1)) { max($0, abs($1)) }
    return zip(actual, expected).reduce(Float(0)) { worst, pair in
        let difference = abs(pair.0 - pair.1)
        return difference.isNaN ? .infinity : max(worst, difference / scale)
    }
}

/// A copy of `values` that lives as long as the tests do.
func pointer<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let copy = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
    copy.initialize(from: values, count: values.count)
    lock.withLock { copies.append(UnsafeRawPointer(copy)) }
    return copy
}

/// All copies, so that a leak checker finds them in use.
private nonisolated(unsafe) var copies: [UnsafeRawPointer] = []
/// Guards them. (The standard library's `Mutex` is a lock that the thread sanitizer does not see.)
private let lock = Lock()
