import CMachine
import Foundation
import Testing

@testable import Thaw

struct WorkersTests {
    @Test(arguments: [1, 2, 3, 8])
    func `every chunk runs exactly once, with any number of threads`(threads: Int) {
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

    @Test(arguments: [1, 2, 3, 8])
    func `more chunks than a job may have are split into several jobs`(threads: Int) {
        let workers = Workers(threads)
        for chunks in [0, 1, 9, 10, 11, 20, 21, 1000] {
            let counts = pointer([Int](repeating: 0, count: 1000))
            workers.run(chunks: chunks, context: counts, maximumChunks: 10) { context, chunk, _ in
                UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
            }
            #expect((0..<1000).allSatisfy { counts[$0] == ($0 < chunks ? 1 : 0) })
        }
    }

    @Test func `an unreasonable number of threads is limited`() {
        let workers = Workers(1_000_000)
        #expect(workers.count >= 16 && workers.count < 10_000)
        let counts = pointer([Int](repeating: 0, count: 100))
        workers.run(chunks: 100, context: counts) { context, chunk, _ in
            UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
        }
        #expect((0..<100).allSatisfy { counts[$0] == 1 })
    }

    /// The counter of jobs wraps around after 65,536.
    @Test func `jobs run one after another, also after sleep`() {
        let workers = Workers(2)
        let counts = pointer([Int](repeating: 0, count: 4))
        for run in 0..<66_000 {
            if run % 20_000 == 0 { usleep(3000) }
            workers.run(chunks: 4, context: counts) { context, chunk, _ in
                UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
            }
        }
        #expect((0..<4).allSatisfy { counts[$0] == 66_000 })
    }

    /// A thread that missed the end would sleep forever, and whoever frees the workers with it.
    @Test func `the threads end, even in the middle of a job's end`() {
        let counts = pointer([Int](repeating: 0, count: 2))
        for _ in 0..<10_000 {
            Workers(2).run(chunks: 2, context: counts) { context, chunk, _ in
                UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int.self)[chunk] += 1
            }
        }
        #expect((0..<2).allSatisfy { counts[$0] == 10_000 })
    }

    @Test(arguments: [2, 3])
    func `a thread without chunks takes over those of a delayed thread`(threads: Int) {
        let workers = Workers(threads)
        // Chunk 0 ends only when all others have been done, except those that its thread claims together with it: half of its
        // share.
        let others = Int32(24 - 24 / threads / 2)
        let done = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        defer { done.deallocate() }
        done.initialize(to: 0)
        workers.run(chunks: 24, context: done) { context, chunk, _ in
            let done = UnsafeMutableRawPointer(mutating: context).assumingMemoryBound(to: Int32.self)
            if chunk > 0 {
                _ = thaw_add(done, 1)
            } else {
                while thaw_load(done) < others { usleep(100) }
            }
        }
        #expect(thaw_load(done) == 23)
    }
}
