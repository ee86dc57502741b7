import Foundation
import Testing

@testable import Thaw

@Suite struct BackgroundThreadsTests {
    @Test func `asynchronous classifications that wait do not keep other tasks from running`() async throws {
        let classifier = try Classifier(contentsOfFile: Fixtures.path("coreml/rgb.mlmodel"))
        let pixels = try Pixels(contentsOfFile: Fixtures.path("photographs/cat.jpg"))
        let expected = classifier.classify(pixels).probabilities
        let occupation = Occupation(of: classifier.executors)
        let classifications = (0..<4 * classifier.executors.limit).map { _ in
            Task { try await classifier.classification(of: pixels).probabilities }
        }
        // If the waiting classifications used Swift's threads, these tasks would run only when the occupation has ended by
        // itself.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await Task.yield() } }
        }
        #expect(!occupation.hasEnded)
        occupation.end()
        for classification in classifications { #expect(try await classification.value == expected) }
    }

    @Test func `a task that is canceled while it waits does not run`() async throws {
        let threads = BackgroundThreads(limit: 1)
        let goOn = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await threads.run { _ in
                start.finish()
                goOn.wait()
                return 1
            }
        }
        // Otherwise the second could run first, before it is canceled.
        for await _ in started {}
        let second = Task {
            try await threads.run { checkCancellation in
                try checkCancellation()
                return 2
            }
        }
        second.cancel()
        goOn.signal()
        #expect(try await first.value == 1)
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test(arguments: [1, 3]) func `every job runs once`(limit: Int) async throws {
        let threads = BackgroundThreads(limit: limit)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...100 { group.addTask { try await threads.run { _ in number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 5050)
    }
}

/// Keeps all executors of a pool borrowed until `end`, or for half an hour: the other tests occupy Swift's threads too.
private final class Occupation: @unchecked Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var isOver = false

    var hasEnded: Bool { lock.withLock { isOver } }

    /// Returns when all executors are borrowed.
    init(of pool: ExecutorPool) {
        let borrowed = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            func borrow(_ count: Int) {
                guard count == 0 else { return pool.with { _ in borrow(count - 1) } }
                borrowed.signal()
                _ = release.wait(timeout: .now() + .seconds(1800))
                lock.withLock { isOver = true }
            }
            borrow(pool.limit)
        }
        borrowed.wait()
    }

    func end() { release.signal() }
}
