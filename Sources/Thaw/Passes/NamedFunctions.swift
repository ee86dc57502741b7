#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Recognizes elementwise functions that a graph spells out: x · sigmoid(x), x · relu6(x + 3) / 6, 0.5 · x · (1 +
// erf(x / √2)).
//
// There are too many spellings to list. Instead, a subgraph that computes one tensor elementwise from one other is
// treated as a formula: its parameters are read off a few of its values, and it is identified with a known function
// if the two agree over a wide range of inputs, small and large, to the last digits of single precision. A formula of
// so few steps that differs at all (another bound, a constant with an error in the fifth digit) differs at these
// points.

extension Graph {
    /// Replaces spelled-out activation functions by one operation each. Subgraphs with intermediate values that have
    /// other consumers are left unchanged.
    func withNamedFunctions() -> Graph {
        var graph = self
        var producers = [Int?](repeating: nil, count: types.count)
        let readers = graph.readers
        for index in graph.nodes.indices {
            for output in graph.nodes[index].outputs { producers[output.index] = index }
            for formula in graph.formulas(endingAt: index, producers, readers).reversed() {
                guard let function = formula.function else { continue }
                graph.nodes[index].operation = Unary(function)
                graph.nodes[index].inputs = [formula.source]
                break
            }
        }
        return graph.pruned()
    }

    /// The indices of the nodes that read each value, by value index. Graph outputs count as one consumer with the
    /// index `nodes.count`.
    var readers: [[Int]] {
        var readers = [[Int]](repeating: [], count: types.count)
        for (index, node) in nodes.enumerated() {
            for input in node.inputs { readers[input.index].append(index) }
        }
        for output in outputs { readers[output.value.index].append(nodes.count) }
        return readers
    }

    /// The subgraphs of two or more nodes that end at a node, read a single value, and have no other consumers
    /// inside; smaller ones first.
    private func formulas(endingAt root: Int, _ producers: [Int?], _ readers: [[Int]]) -> [Formula] {
        guard isFormula(nodes[root]) else { return [] }
        let largest = 16
        var inside: Set<Int> = [root]
        var sources = Set(nodes[root].inputs)
        var formulas: [Formula] = []
        while true {
            if sources.count == 1, inside.count > 1 {
                formulas.append(Formula(source: sources.first!, nodes: inside.sorted().map { nodes[$0] }))
            }
            // Only the latest source can depend on the others.
            guard let latest = sources.max(by: { (producers[$0.index] ?? -1) < (producers[$1.index] ?? -1) }),
                let producer = producers[latest.index], inside.count < largest, isFormula(nodes[producer]),
                readers[latest.index].allSatisfy(inside.contains)
            else { return formulas }
            inside.insert(producer)
            sources.remove(latest)
            sources.formUnion(nodes[producer].inputs)
        }
    }

    /// Whether a node is elementwise.
    private func isFormula(_ node: Node) -> Bool {
        guard node.outputs.count == 1, (node.inputs + node.outputs).allSatisfy({ self[$0] == self[node.outputs[0]] }),
            self[node.outputs[0]].element == .float32
        else { return false }
        return node.operation.scalarFunction() != nil
    }
}

/// An elementwise function in the steps that the graph takes.
private struct Formula {
    let source: Graph.Value
    private let parts: [Part]

    /// The value of part `i` has the index `i + 1`; the source has the index 0.
    private struct Part {
        let function: ([Double]) -> Double
        let inputs: [Int]
    }

    /// - Parameter nodes: In order; the last one has the result.
    init(source: Graph.Value, nodes: [Graph.Node]) {
        self.source = source
        var indices = [source: 0]
        for (index, node) in nodes.enumerated() { indices[node.outputs[0]] = index + 1 }
        parts = nodes.map { node in
            Part(function: node.operation.scalarFunction()!, inputs: node.inputs.map { indices[$0]! })
        }
    }

    func callAsFunction(_ x: Double) -> Double {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: parts.count + 1) { values in
            values.initialize(repeating: x)
            var inputs: [Double] = []
            for (index, part) in parts.enumerated() {
                inputs.removeAll(keepingCapacity: true)
                for input in part.inputs { inputs.append(values[input]) }
                values[index + 1] = part.function(inputs)
            }
            return values[parts.count]
        }
    }

    /// The equivalent known function, or nil.
    var function: Unary.Function? {
        // Near 0, where the hard functions are linear.
        let step = 0.01
        let (zero, one) = (self(0), self(1))
        let (share, next) = (self(step) / step, self(2 * step) / (2 * step))
        let slope = Float((next - share) / step)
        let logit = -log(1 / one - 1)
        let candidates: [Unary.Function] = [
            .leakyRelu(slope: Float(-self(-1))),
            .hardSigmoid(alpha: Float((share * step - zero) / step), beta: Float(zero)),
            .hardSwish(alpha: slope, beta: Float(2 * share - next)),
            .swish(beta: abs(logit - 1) < 1e-7 ? 1 : Float(logit)),
            .gelu, .geluByTanh, .mish,
        ]
        let first = self(Formula.probes[0])
        return candidates.first { candidate in
            guard candidate.isMeant else { return false }
            let function = Unary(candidate)
            return agrees(first, function, at: Formula.probes[0])
                && Formula.probes.allSatisfy { agrees(self($0), function, at: $0) }
        }
    }

    private func agrees(_ actual: Double, _ function: Unary, at x: Double) -> Bool {
        abs(actual - function.apply(x)) <= 1e-7 * max(1, abs(x))
    }

    /// Inputs of both signs, small and large, none of them round.
    private static let probes: [Double] =
        (0..<60).flatMap { i in
            let x = 0.0137 + 0.2091 * Double(i)
            return [x, -x]
        } + [0, 47.3, -47.3, 517.1, -517.1, 5.1e4, -5.1e4, 1.3e7, -1.3e7, 1.1e30, -1.1e30]
}

extension Unary.Function {
    /// Whether the parameters are not a special case that is really a simpler function.
    fileprivate var isMeant: Bool {
        switch self {
        case .leakyRelu(let slope): slope.isFinite && slope != 0 && slope != 1
        case .hardSigmoid(let alpha, let beta), .hardSwish(let alpha, let beta):
            alpha.isFinite && alpha != 0 && beta > 0 && beta < 1
        case .swish(let beta): beta.isFinite && beta != 0
        default: true
        }
    }
}
