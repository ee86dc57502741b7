/// The offset of each buffer of a program in the arena. Buffers that are never needed at the same time share memory.
struct MemoryPlan: Equatable {
    /// A buffer, and the first and last step that needs it.
    struct Request: Equatable {
        var byteCount: Int
        var steps: ClosedRange<Int>
    }

    /// The offset in bytes for each request.
    var offsets: [Int]
    var byteCount: Int

    /// Places the largest buffers first, each at the lowest offset where it overlaps none that is needed at the same time.
    /// That takes time in proportion to the square of their number, so the buffers of a graph with far more nodes than any
    /// real network are placed in the order of their steps.
    init(_ requests: [Request], alignment: Int = 64, maximumBuffers: Int = 1 << 12, maximumPairs: Int = 1 << 19) {
        let isSmall = requests.count <= maximumBuffers && MemoryPlan.pairs(requests, upTo: maximumPairs) != nil
        (offsets, byteCount) =
            isSmall ? MemoryPlan.largestFirst(requests, alignment) : MemoryPlan.inOrder(requests, alignment)
    }

    /// The number of pairs of buffers that are needed at the same time, or nil if there are more than `limit`.
    private static func pairs(_ requests: [Request], upTo limit: Int) -> Int? {
        let ends = requests.map(\.steps.upperBound).sorted()
        let starts = requests.map(\.steps.lowerBound).sorted()
        var (ended, pairs) = (0, 0)
        for (begun, start) in starts.enumerated() {
            while ends[ended] < start { ended += 1 }
            pairs += begun - ended
            if pairs > limit { return nil }
        }
        return pairs
    }

    private static func largestFirst(_ requests: [Request], _ alignment: Int) -> ([Int], Int) {
        var offsets = [Int](repeating: 0, count: requests.count)
        var byteCount = 0
        let order = requests.indices.sorted {
            (requests[$1].byteCount, $0) < (requests[$0].byteCount, $1)
        }
        var placed: [Int] = []
        for index in order {
            let request = requests[index]
            let size = request.byteCount.rounded(upToMultipleOf: alignment)
            let neighbors = placed.filter { requests[$0].steps.overlaps(request.steps) }
                .sorted { offsets[$0] < offsets[$1] }
            var offset = 0
            for neighbor in neighbors {
                if offset + size <= offsets[neighbor] { break }
                let end = offsets[neighbor] + requests[neighbor].byteCount
                offset = max(offset, end.rounded(upToMultipleOf: alignment))
            }
            offsets[index] = offset
            byteCount = max(byteCount, offset + size)
            placed.append(index)
        }
        return (offsets, byteCount)
    }

    /// Places the buffers by their first steps: in memory of the same size that is free again, or else at the end.
    private static func inOrder(_ requests: [Request], _ alignment: Int) -> ([Int], Int) {
        var offsets = [Int](repeating: 0, count: requests.count)
        var byteCount = 0
        // Offsets of free memory by its size.
        var free: [Int: [Int]] = [:]
        let order = requests.indices.sorted {
            (requests[$0].steps.lowerBound, $0) < (requests[$1].steps.lowerBound, $1)
        }
        let ending = requests.indices.sorted {
            (requests[$0].steps.upperBound, $0) < (requests[$1].steps.upperBound, $1)
        }
        var ended = 0
        for index in order {
            let request = requests[index]
            while requests[ending[ended]].steps.upperBound < request.steps.lowerBound {
                let done = ending[ended]
                free[requests[done].byteCount.rounded(upToMultipleOf: alignment), default: []].append(offsets[done])
                ended += 1
            }
            let size = request.byteCount.rounded(upToMultipleOf: alignment)
            if let offset = free[size]?.popLast() {
                offsets[index] = offset
            } else {
                offsets[index] = byteCount
                byteCount += size
            }
        }
        return (offsets, byteCount)
    }
}
