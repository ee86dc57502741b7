import Foundation
import Testing

@testable import Thaw

struct WorkersTests {
    @Test("Every chunk is done once, whatever the number of threads", arguments: [1, 2, 3, 8])
    func chunks(threads: Int) {
        let workers = Workers(threads)
        #expect(workers.count == threads)
        for chunks in [0, 1, 2, 7, 100, 1000] {
            let counts = pointer([Int](repeating: 0, count: 1000))
            workers.run(chunks: chunks, context: counts) { context, chunk, _ in
                UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
            }
            #expect((0..<1000).allSatisfy { counts[$0] == ($0 < chunks ? 1 : 0) })
        }
    }

    @Test("A number of threads beyond all reason is not taken literally")
    func excess() {
        let workers = Workers(1_000_000)
        #expect(workers.count >= 16 && workers.count < 10_000)
        let counts = pointer([Int](repeating: 0, count: 100))
        workers.run(chunks: 100, context: counts) { context, chunk, _ in
            UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
        }
        #expect((0..<100).allSatisfy { counts[$0] == 1 })
    }

    @Test("Work follows work, after sleep too")
    func manyRuns() {
        let workers = Workers(2)
        let counts = pointer([Int](repeating: 0, count: 8))
        for run in 0..<2000 {
            if run % 500 == 0 { usleep(3000) }
            workers.run(chunks: 8, context: counts) { context, chunk, _ in
                UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
            }
        }
        #expect((0..<8).allSatisfy { counts[$0] == 2000 })
    }
}
