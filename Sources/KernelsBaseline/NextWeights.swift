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
    ///   - weights: The current group's. The next group's follow.
    ///   - byteCount: The bytes of a group.
    ///   - steps: The steps of each tile.
    ///   - tiles: The number of tiles.
    @inline(__always)
    init(after weights: UnsafeRawPointer, byteCount: Int, steps: Int, tiles: Int) {
        start = weights + byteCount
        end = start
        guard tiles > 1, steps >= 64 else { return }
        let advances = steps / 4
        stride = (byteCount + advances * tiles - 1) / (advances * tiles)
        tileBytes = advances * stride
        end += byteCount
    }

    /// Skips the lines that a tile prefetches.
    @inline(__always) mutating func advance() {
        start += tileBytes
        if start >= end { stride = 0 }
    }
}
