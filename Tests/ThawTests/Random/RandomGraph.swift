@testable import Thaw

/// A small random graph: chains, branches that join again, and values with several consumers.
///
/// Each step is drawn separately and uses existing values; it does nothing if none fits. So any
/// steps may be omitted, and the rest is still a graph. This is how a failing graph is reduced.
struct RandomGraph: CustomStringConvertible, Sendable {
    let seed: UInt64
    /// The indices of the steps that are included.
    var steps: [Int]
    var input: Shape
    /// The output to check; nil means all of them.
    var output: Int?

    init(seed: UInt64) {
        self.seed = seed
        var draw = Draw(seed: seed)
        let channels = draw.element([1, 3, 5, 8, 16, 16, 20, 32, 48])
        let isImage = !draw.chance(oneIn: 6)
        let batch = draw.chance(oneIn: 4) ? 2 : 1
        input = isImage ? [batch, draw.int(1...12), draw.int(1...12), channels] : [draw.int(1...4), channels]
        steps = Array(0..<draw.int(2...12))
    }

    /// The code that creates the same graph again.
    var description: String {
        "RandomGraph(seed: \(seed), steps: \(steps), input: \(input), output: \(output.map { "\($0)" } ?? "nil"))"
    }

    init(seed: UInt64, steps: [Int], input: Shape, output: Int?) {
        self.seed = seed
        self.steps = steps
        self.input = input
        self.output = output
    }

    func array() -> Tensor { Tensor(noise(input.elementCount, seed: seed &+ 5), shape: input) }

    func graph() throws -> Graph {
        var builder = GraphBuilder()
        var values = [builder.input("input", TensorType(input))]
        var read: Set<Graph.Value> = []
        for step in steps {
            var draw = Draw(seed: seed ^ UInt64(step + 1) &* 0xD134_2543_DE82_EF95)
            let before = builder
            let made = try RandomStep.run(&draw, &builder, values)
            if made.contains(where: { builder[$0].shape.elementCount > 20_000 }) {
                builder = before
                continue
            }
            values += made
        }
        for node in builder.graph.nodes { read.formUnion(node.inputs) }
        let ends = values.filter { !read.contains($0) }
        for (index, end) in ends.enumerated() where output == nil || output == index {
            builder.output("output\(index)", end)
        }
        if builder.graph.outputs.isEmpty { builder.output("output0", ends[0]) }
        return builder.graph.pruned()
    }

    /// Slightly smaller graphs.
    var smaller: [RandomGraph] {
        var graphs: [RandomGraph] = []
        for index in steps.indices.reversed() {
            var copy = self
            copy.steps.remove(at: index)
            graphs.append(copy)
        }
        if output == nil {
            for index in 0..<8 {
                var copy = self
                copy.output = index
                graphs.append(copy)
            }
        }
        for axis in input.indices where input[axis] > 1 {
            for size in Set([1, input[axis] / 2, input[axis] - 1]).sorted() where size >= 1 {
                var copy = self
                copy.input[axis] = size
                graphs.append(copy)
            }
        }
        return graphs
    }

    /// The smallest graph reachable from this one for which `fails` is still true.
    func shrunk(while fails: (RandomGraph) -> Bool) -> RandomGraph {
        var smallest = self
        while let next = smallest.smaller.first(where: fails) { smallest = next }
        return smallest
    }
}
