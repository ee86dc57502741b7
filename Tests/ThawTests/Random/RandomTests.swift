import Foundation
import Testing

@testable import Thaw

/// Small graphs drawn at random: the engine, the passes and both directions of Core ML against the plain references.
///
/// A few hundred fixed ones in every run; `THAW_RANDOM=20000` tries so many, from `THAW_RANDOM_SEED` on. One that fails is
/// made as small as it can be and printed, to be put among the `found` ones.
struct RandomTests {
    /// Graphs that once failed.
    static let found: [RandomGraph] = []

    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["THAW_RANDOM"].flatMap { Int($0) }
    private static let firstSeed = environment["THAW_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    @Test("A graph drawn at random gives the same everywhere", arguments: 0..<4)
    func agrees(part: Int) throws {
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

    @Test("The graphs drawn are not trivial")
    func variety() throws {
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

    @Test("What once failed does no more", arguments: found)
    func staysMended(_ random: RandomGraph) throws {
        let problem = try RandomCheck(random).problem()
        #expect(problem == nil)
    }

    @Test("A failing graph is made small")
    func shrinks() throws {
        // Whatever holds a softmax "fails".
        func fails(_ random: RandomGraph) -> Bool {
            (try? random.graph().nodes.contains { $0.operation is Softmax }) == true
        }
        let random = try #require((1...100).map { RandomGraph(seed: $0) }.first { $0.steps.count > 6 && fails($0) })
        let smallest = random.shrunk(while: fails)
        #expect(try smallest.graph().nodes.count == 1)
        #expect(smallest.input.elementCount == 1)
    }
}

/// All that must agree of one graph.
private struct RandomCheck {
    let graph: Graph
    let input: Tensor
    let expected: [Tensor]
    /// The largest number on the way: errors are measured against it, for differences of large numbers have large errors.
    let magnitude: Float

    init(_ random: RandomGraph) throws {
        graph = try random.graph()
        input = random.array()
        var largest: Float = 1
        expected = graph.evaluate([input]) { _, tensors in
            for tensor in tensors where tensor.element == .float32 {
                largest = tensor.floats.reduce(largest) { max($0, abs($1)) }
            }
        }
        magnitude = largest
    }

    /// Numbers that grow beyond all bounds prove nothing.
    var counts: Bool { magnitude < 1e4 }

    /// What disagrees first, or nil.
    func problem() throws -> String? {
        guard counts else { return nil }
        if let problem = try engineProblem(graph, InstructionSet.available) { return problem }
        let simplified = try Passes.run(Passes.simplification, on: graph)
        if let problem = difference(simplified.evaluate([input])) { return "the passes: \(problem)" }
        if let problem = try engineProblem(simplified, [InstructionSet.available.last!]) {
            return "behind the passes, \(problem)"
        }
        let turned = try simplified.reordered(to: .first, imageInput: false)
        if let problem = difference(turned.evaluate([input])) { return "channels first: \(problem)" }
        return try coreMLProblem(simplified)
    }

    private func engineProblem(_ graph: Graph, _ sets: [InstructionSet]) throws -> String? {
        for set in sets {
            let program = try Program(graph, instructionSet: set)
            let one = program.run([input], threads: 1)
            if let problem = difference(one) { return "the engine, \(set): \(problem)" }
            if program.run([input], threads: 2) != one { return "the engine, \(set): two threads give other bits" }
        }
        return nil
    }

    private func coreMLProblem(_ graph: Graph) throws -> String? {
        let back: Model
        do { back = try roundTrip(Model(graph: graph)) } catch let failure as Failure {
            let kinds = Set(graph.nodes.map(\.operation.kind))
            let hasTooManyAxes = graph.types.contains { $0.shape.rank > NeuralLayers.mostAxes }
            return hasTooManyAxes || !kinds.isDisjoint(with: RoundTripTests.withoutLayer) ? nil : "Core ML: \(failure)"
        }
        let shape = back.graph[back.graph.inputs[0].value].shape
        guard shape.elementCount == input.elementCount else { return "Core ML: the input has shape \(shape)" }
        return difference(back.graph.evaluate([input.reshaped(shape)])).map { "read back from Core ML: \($0)" }
    }

    /// How results differ from what is expected, or nil where they agree to the digits of single precision.
    private func difference(_ results: [Tensor]) -> String? {
        for (index, (actual, wanted)) in zip(results, expected).enumerated() {
            guard actual.elementCount == wanted.elementCount else { return "output \(index) has shape \(actual.shape)" }
            for (place, (a, b)) in zip(actual.floats, wanted.floats).enumerated() {
                if a == b || (a.isNaN && b.isNaN) || abs(a - b) <= 3e-5 * magnitude { continue }
                return "output \(index) is \(a) at \(place), not \(b)"
            }
        }
        return nil
    }
}
