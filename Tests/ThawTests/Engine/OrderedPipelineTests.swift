import Foundation
import Testing

@testable import Thaw

@Suite struct OrderedPipelineTests {
    @Test(arguments: [1, 2, 5]) func `results come in order, and never more than the window are in flight`(
        _ threads: Int
    ) throws {
        let (fetched, taken) = (Counter(), Counter())
        let pipeline = OrderedPipeline<Int, Int, Int>(
            threads: threads, window: 7,
            nextItem: {
                let next = fetched.add()
                #expect(next - taken.value <= 7)
                return next < 3000 ? next : nil
            },
            prepare: { item in
                if item % 97 == 0 { usleep(300) }
                return item * 2
            },
            finish: { $0 + 1 })
        var expected = 0
        pipeline.run { result in
            #expect(result == expected * 2 + 1)
            expected += 1
            _ = taken.add()
        }
        #expect(expected == 3000)
    }

    @Test func `without threads the caller does the work`() {
        let fetched = Counter()
        let pipeline = OrderedPipeline<Int, Int, Int>(
            threads: 2, window: 4, nextItem: { fetched.add() < 10 ? fetched.value - 1 : nil }, prepare: { $0 * 2 },
            finish: { $0 + 1 }, startingThreadsBy: { _ in nil })
        var results: [Int] = []
        pipeline.run { results.append($0) }
        #expect(results == (0..<10).map { $0 * 2 + 1 })
    }

    @Test func `an error ends the work`() {
        struct Stop: Error {}
        let pipeline = OrderedPipeline<Int, Int, Int>(
            threads: 3, window: 8, nextItem: { 1 }, prepare: { $0 }, finish: { $0 })
        var count = 0
        #expect(throws: Stop.self) {
            try pipeline.run { _ in
                count += 1
                if count == 100 { throw Stop() }
            }
        }
        #expect(count == 100)
    }

    @Test func `items already fetched are finished while the source is slow`() {
        let (taken, fetched) = (Counter(), Counter())
        let pipeline = OrderedPipeline<Int, Int, Int>(
            threads: 2, window: 8,
            nextItem: {
                let next = fetched.add()
                guard next < 3 else {
                    // The source ends only when all other items have been finished.
                    while taken.value < 3 { usleep(1000) }
                    return nil
                }
                return next
            }, prepare: { $0 }, finish: { $0 })
        pipeline.run { _ in _ = taken.add() }
        #expect(taken.value == 3)
    }
}

/// A counter shared by threads.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    var value: Int { lock.withLock { number } }

    /// - Returns: The count before.
    func add() -> Int {
        lock.withLock {
            defer { number += 1 }
            return number
        }
    }
}
