import CMachine
import Foundation
import Testing

@testable import Thaw

@Suite struct ExecutorPoolTests {
    @Test(arguments: [1, 2, 5]) func `a pool makes no more executors than its limit`(_ limit: Int) throws {
        var builder = GraphBuilder()
        let input = builder.input("x", TensorType([4]))
        builder.output("y", try builder.add(Unary(.relu), [input], name: "y")[0])
        let pool = ExecutorPool(try Program(builder.graph), threads: 1, limit: limit)
        let counts = UnsafeMutablePointer<Int32>.allocate(capacity: 2)
        counts.initialize(repeating: 0, count: 2)
        defer { counts.deallocate() }
        nonisolated(unsafe) let (active, most) = (counts, counts + 1)
        let threads = (0..<8).compactMap { number in
            startThread {
                for round in 0..<50 {
                    let value = Float(number * 50 + round)
                    let output = pool.with { executor in
                        let now = thaw_add(active, 1) + 1
                        if now > thaw_load(most) { thaw_store(most, now) }
                        if round % 10 == 0 { usleep(200) }
                        executor.load(Tensor([value, -1, 2, -value], shape: [4]), forInputAt: 0)
                        try? executor.run()
                        _ = thaw_add(active, -1)
                        return executor.output(at: 0).floats
                    }
                    #expect(output == [value, 0, 2, 0])
                }
            }
        }
        #expect(threads.count == 8)
        for thread in threads { pthread_join(thread, nil) }
        #expect(thaw_load(most) <= Int32(limit) && pool.count <= limit && pool.count >= 1)
    }

    @Test func `an error returns the executor`() throws {
        struct Stop: Error {}
        var builder = GraphBuilder()
        let input = builder.input("x", TensorType([4]))
        builder.output("y", try builder.add(Unary(.relu), [input], name: "y")[0])
        let pool = ExecutorPool(try Program(builder.graph), threads: 1, limit: 1)
        for _ in 0..<3 {
            #expect(throws: Stop.self) { try pool.with { _ in throw Stop() } }
        }
        #expect(pool.count == 1)
    }
}
