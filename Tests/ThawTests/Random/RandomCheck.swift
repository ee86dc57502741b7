@testable import Thaw

/// Everything about a graph that must agree.
struct RandomCheck {
    let graph: Graph
    let input: Tensor
    let expected: [Tensor]
    /// The largest intermediate value. Errors are relative to it, because differences of large values have large errors.
    let magnitude: Float
    /// The fault injected into the engine.
    let fault: InjectedFault?

    init(_ random: RandomGraph, fault: InjectedFault? = nil) throws {
        self.fault = fault
        graph = try random.graph()
        input = random.array()
        var largest: Float = 1
        expected = try graph.evaluate([input]) { _, tensors in
            for tensor in tensors where tensor.element == .float32 {
                largest = tensor.floats.reduce(largest) { max($0, abs($1)) }
            }
        }
        magnitude = largest
    }

    /// Graphs whose values overflow prove nothing.
    var counts: Bool { magnitude < 1e4 }

    /// The first disagreement, or nil.
    func problem() throws -> String? {
        guard counts else { return nil }
        if let problem = try engineProblem(graph, InstructionSet.availableForFloats) { return problem }
        let simplified = try Passes.run(Passes.simplification, on: graph)
        if let problem = try difference(simplified.evaluate([input])) { return "the passes: \(problem)" }
        if let problem = try engineProblem(simplified, [InstructionSet.available.last!]) {
            return "after the passes, \(problem)"
        }
        let turned = try simplified.reordered(to: .channelsFirst, imageInputs: [])
        if let problem = try difference(turned.evaluate([input])) { return "channels first: \(problem)" }
        return try coreMLProblem(simplified)
    }

    private func engineProblem(_ graph: Graph, _ sets: [InstructionSet]) throws -> String? {
        for set in sets {
            let program = try Program(fault?.broken(graph) ?? graph, instructionSet: set)
            let one = try program.run([input], threads: 1)
            if let problem = difference(one) { return "the engine, \(set): \(problem)" }
            if try program.run([input], threads: 2) != one { return "the engine, \(set): two threads give other bits" }
        }
        return nil
    }

    private func coreMLProblem(_ graph: Graph) throws -> String? {
        // Core ML does not load models without layers.
        if graph.nodes.isEmpty { return nil }
        let back: Model
        do { back = try Dialect.neuralNetwork.roundTrip(Model(graph: graph)) } catch let failure as Failure {
            let hasTooManyAxes = graph.types.contains { $0.shape.rank > CoreMLDialect.maximumRank }
            return hasTooManyAxes ? nil : "Core ML: \(failure)"
        }
        let shape = back.graph[back.graph.inputs[0].value].shape
        guard shape.elementCount == input.elementCount else { return "Core ML: the input has shape \(shape)" }
        return try difference(back.graph.evaluate([input.reshaped(shape)])).map { "read back from Core ML: \($0)" }
    }

    /// The difference of results from the expected ones, or nil if they agree within single precision.
    private func difference(_ results: [Tensor]) -> String? {
        for (index, (actual, wanted)) in zip(results, expected).enumerated() {
            guard actual.elementCount == wanted.elementCount else { return "output \(index) has shape \(actual.shape)" }
            for (position, (a, b)) in zip(actual.floats, wanted.floats).enumerated() {
                if a == b || (a.isNaN && b.isNaN) || abs(a - b) <= 3e-5 * magnitude { continue }
                return "output \(index) is \(a) at \(position), not \(b)"
            }
        }
        return nil
    }
}
