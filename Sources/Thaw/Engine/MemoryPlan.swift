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

    /// Allocates the largest buffers first, each at the lowest offset where it overlaps none that is needed at the same
    /// time.
    init(_ requests: [Request], alignment: Int = 64) {
        offsets = [Int](repeating: 0, count: requests.count)
        byteCount = 0
        let order = requests.indices.sorted {
            (requests[$1].byteCount, $0) < (requests[$0].byteCount, $1)
        }
        var placed: [Int] = []
        for index in order {
            let request = requests[index]
            let size = (request.byteCount + alignment - 1) / alignment * alignment
            let neighbours = placed.filter { requests[$0].steps.overlaps(request.steps) }
                .sorted { offsets[$0] < offsets[$1] }
            var offset = 0
            for neighbour in neighbours {
                if offset + size <= offsets[neighbour] { break }
                let end = offsets[neighbour] + requests[neighbour].byteCount
                offset = max(offset, (end + alignment - 1) / alignment * alignment)
            }
            offsets[index] = offset
            byteCount = max(byteCount, offset + size)
            placed.append(index)
        }
    }
}
