import Foundation
import Testing

@testable import Thaw

/// Small random graphs: the engine, the passes, and writing and reading Core ML against the reference implementations.
///
/// Every run tests the same 120; `THAW_RANDOM=20000` tests that many, starting at `THAW_RANDOM_SEED`. A failing graph is
/// reduced and printed, to become a test of its own.
struct RandomTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["THAW_RANDOM"].flatMap { Int($0) }
    private static let firstSeed = environment["THAW_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: 0..<4)
    func `a random graph gives the same everywhere`(part: Int) throws {
        let count = Self.count ?? 120
        for index in stride(from: part, to: count, by: 4) {
            let random = RandomGraph(seed: Self.firstSeed + UInt64(index))
            if Self.count != nil, index % 1000 < 4 { print("random graphs: \(index) of \(count)") }
            guard let problem = try RandomCheck(random).problem() else { continue }
            let smallest = random.shrunk { (try? RandomCheck($0).problem()) != nil }
            let what = try RandomCheck(smallest).problem() ?? problem
            Issue.record("\(what)\n\(smallest)\n\(try smallest.graph())")
        }
    }

    @Test func `random graphs are not trivial`() throws {
        var kinds: [String: Int] = [:]
        var sizes: [Int] = []
        var counting = 0
        for seed in 1...UInt64(120) {
            let check = try RandomCheck(RandomGraph(seed: seed))
            if check.counts { counting += 1 }
            sizes.append(check.graph.nodes.count)
            for node in check.graph.nodes { kinds[node.operation.kind, default: 0] += 1 }
        }
        #expect(counting >= 100)
        #expect(sizes.sorted()[60] >= 6)
        #expect(kinds.count >= 40, "\(kinds.keys.sorted())")
    }

    @Test(arguments: InjectedFault.all)
    func `a fault of the engine is found, and shown by a minimal graph`(_ fault: InjectedFault) throws {
        func problem(_ random: RandomGraph) -> String? { try? RandomCheck(random, fault: fault).problem() }
        let random = try #require((1...120).lazy.map { RandomGraph(seed: $0) }.first { problem($0) != nil })
        let smallest = random.shrunk { problem($0) != nil }
        // The faulty operation, and at most one that computes its input.
        let kinds = try smallest.graph().nodes.map(\.operation.kind)
        #expect(kinds.count <= 2 && kinds.contains(fault.kind), "\(kinds)")
        #expect(smallest.input.elementCount <= fault.inputSize, "\(smallest)")
        #expect(problem(smallest)?.hasPrefix("the engine") == true)
        #expect(try RandomCheck(smallest).problem() == nil)
    }

    @Test func `a failing graph is reduced`() throws {
        // Every graph with a softmax "fails".
        func fails(_ random: RandomGraph) -> Bool {
            (try? random.graph().nodes.contains { $0.operation is Softmax }) == true
        }
        let random = try #require((1...100).map { RandomGraph(seed: $0) }.first { $0.steps.count > 6 && fails($0) })
        let smallest = random.shrunk(while: fails)
        #expect(try smallest.graph().nodes.count == 1)
        #expect(smallest.input.elementCount == 1)
    }
}
