import CMachine

/// Loads the first `count` lanes, zeros after them, with one instruction for all.
@inline(__always)
func load(_ pointer: UnsafePointer<Float>, count: Int) -> Vector {
    if count == blockWidth { return load(pointer) }
    #if AVX512 || AVX2
        return thaw_load_first(pointer, count)
    #elseif arch(arm64)
        // By quarters: a call to copy memory would have all vectors saved and restored around it.
        @inline(__always) func quarter(_ first: Int) -> Lanes {
            count > first ? loadLanes(pointer + first, count: min(count - first, laneCount)) : .zero
        }
        return Vector(
            lowHalf: SIMD8(lowHalf: quarter(0), highHalf: quarter(4)),
            highHalf: SIMD8(lowHalf: quarter(8), highHalf: quarter(12)))
    #else
        var vector = Vector.zero
        withUnsafeMutableBytes(of: &vector) { $0.baseAddress!.copyMemory(from: pointer, byteCount: count * 4) }
        return vector
    #endif
}

/// Stores only the first `count` lanes, with one instruction for all. (If lanes were extracted here one by one, the
/// compiler would also compute the vector lane by lane.)
@inline(__always)
func write(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
    if count == blockWidth { return write(vector, pointer) }
    #if AVX512 || AVX2
        thaw_store_first(pointer, vector, count)
    #elseif arch(arm64)
        @inline(__always) func put(_ lanes: Lanes, _ first: Int) {
            if count > first { writeLanes(lanes, pointer + first, count: min(count - first, laneCount)) }
        }
        put(vector.lowHalf.lowHalf, 0)
        put(vector.lowHalf.highHalf, 4)
        put(vector.highHalf.lowHalf, 8)
        put(vector.highHalf.highHalf, 12)
    #else
        withUnsafeBytes(of: vector) {
            UnsafeMutableRawPointer(pointer).copyMemory(from: $0.baseAddress!, byteCount: count * 4)
        }
    #endif
}
