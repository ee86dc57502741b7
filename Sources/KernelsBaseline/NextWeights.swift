/// The weights of the next group. While tiles are computed, they prefetch its lines at an even rate: if the weights are not in
/// the L2 cache, they arrive while the current ones are still in use.
struct NextWeights {
    private(set) var start: UnsafeRawPointer
    /// The bytes to advance by every four steps. With 0, nothing new is prefetched.
    private(set) var stride = 0
    /// The bytes that each tile prefetches, and the end of all.
    private var tileBytes = 0
    private var end: UnsafeRawPointer

    /// Prefetches nothing if there are so few weights that they stay in the L1 cache anyway.
    /// - Parameters:
    ///   - start: The first weight.
    ///   - steps: The steps of each tile, and the number of tiles.
    ///   - stepBytes: The bytes of a step.
    @inline(__always)
    init(_ start: UnsafeRawPointer, steps: Int, tiles: Int, stepBytes: Int) {
        self.start = start
        end = start
        guard tiles > 1, steps >= 64 else { return }
        let fourSteps = 4 * stepBytes
        stride = (fourSteps + tiles - 1) / tiles
        tileBytes = steps / 4 * stride
        end += steps / 4 * fourSteps
    }

    /// Skips what a tile prefetches.
    @inline(__always) mutating func advance() {
        start += tileBytes
        if start >= end { stride = 0 }
    }
}
