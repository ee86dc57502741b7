import Testing

@testable import Thaw

struct MemoryPlanTests {
    typealias Request = MemoryPlan.Request

    @Test func `a chain of buffers needs no more than its two largest neighbors`() {
        let plan = MemoryPlan([
            Request(byteCount: 1000, steps: 0...1), Request(byteCount: 640, steps: 1...2),
            Request(byteCount: 1000, steps: 2...3), Request(byteCount: 64, steps: 3...4),
        ])
        #expect(plan.offsets == [0, 1024, 0, 1024])
        #expect(plan.byteCount == 1024 + 640)
    }

    @Test func `no buffers need no memory`() {
        #expect(MemoryPlan([]).byteCount == 0)
    }

    @Test func `many buffers in a chain take turns in the same memory`() {
        let requests = (0..<10_000).map { Request(byteCount: 100, steps: $0...$0 + 1) }
        #expect(MemoryPlan(requests).byteCount == 2 * 128)
    }

    @Test(arguments: 1...20, [1 << 12, 0])
    func `buffers needed at the same time never overlap, and all are aligned`(seed: Int, maximumBuffers: Int) {
        let numbers = noise(120, seed: UInt64(seed)).map { Int(abs($0) * 5000) }
        let requests = (0..<40).map { i in
            let first = numbers[3 * i] % 30
            return Request(byteCount: numbers[3 * i + 1] + 1, steps: first...first + numbers[3 * i + 2] % 8)
        }
        let plan = MemoryPlan(requests, maximumBuffers: maximumBuffers)
        let peak = (0..<40).map { step in
            requests.filter { $0.steps.contains(step) }.reduce(0) { $0 + ($1.byteCount + 63) / 64 * 64 }
        }.max()!
        #expect(plan.byteCount >= peak)
        // In the order of their steps, buffers share memory only with others of their size.
        if maximumBuffers > 0 { #expect(plan.byteCount < 2 * peak) }
        for a in 0..<40 {
            #expect(plan.offsets[a] % 64 == 0)
            #expect(plan.offsets[a] + requests[a].byteCount <= plan.byteCount)
            for b in 0..<a where requests[a].steps.overlaps(requests[b].steps) {
                let before = plan.offsets[a] + requests[a].byteCount <= plan.offsets[b]
                let after = plan.offsets[b] + requests[b].byteCount <= plan.offsets[a]
                #expect(before || after)
            }
        }
    }
}
