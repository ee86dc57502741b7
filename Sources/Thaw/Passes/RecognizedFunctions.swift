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
    func withRecognizedFunctions() -> Graph {
        var graph = self
        var producers = [Int?](repeating: nil, count: types.count)
        let consumers = graph.consumerIndices
        var functions: [Formula.Function?] = []
        for index in graph.nodes.indices {
            functions.append(graph.elementwiseFunction(graph.nodes[index]))
            for output in graph.nodes[index].outputs { producers[output.index] = index }
            guard let formula = graph.formula(endingAt: index, functions, producers, consumers),
                let (source, function) = formula.namedFunction
            else { continue }
            graph.nodes[index].operation = Unary(function)
            graph.nodes[index].inputs = [source]
            functions[index] = graph.elementwiseFunction(graph.nodes[index])
        }
        return graph.pruned()
    }

    /// The indices of the nodes that read each value, by value index. Graph outputs count as one consumer with the
    /// index `nodes.count`.
    var consumerIndices: [[Int]] {
        var consumers = [[Int]](repeating: [], count: types.count)
        for (index, node) in nodes.enumerated() {
            for input in node.inputs { consumers[input.index].append(index) }
        }
        for output in outputs { consumers[output.value.index].append(nodes.count) }
        return consumers
    }

    /// The subgraphs of two or more nodes that end at a node, read a single value, and have no other consumers
    /// inside; nil if there are none.
    private func formula(
        endingAt root: Int, _ functions: [Formula.Function?], _ producers: [Int?], _ consumers: [[Int]]
    ) -> Formula? {
        guard functions[root] != nil else { return nil }
        let largest = 16
        // Each node is before those that are already here, because only the latest source can depend on the others.
        var inside = [root]
        var sources: [Value] = []
        var formula = Formula()
        func addSources(of node: Int) {
            for input in nodes[node].inputs where !sources.contains(input) { sources.append(input) }
        }
        addSources(of: root)
        while true {
            if sources.count == 1, inside.count > 1 { formula.ends.append((inside.count, sources[0])) }
            guard let latest = sources.max(by: { (producers[$0.index] ?? -1) < (producers[$1.index] ?? -1) }),
                let producer = producers[latest.index], inside.count < largest, functions[producer] != nil,
                consumers[latest.index].allSatisfy(inside.contains)
            else { break }
            inside.append(producer)
            sources.removeAll { $0 == latest }
            addSources(of: producer)
        }
        guard !formula.ends.isEmpty else { return nil }
        formula.parts = inside.map { node in
            let inputs = nodes[node].inputs.map { input in
                inside.firstIndex { nodes[$0].outputs[0] == input } ?? Int.max
            }
            return Formula.Part(function: functions[node]!, inputs: inputs)
        }
        return formula
    }

    /// The function that a node computes for each element, if it is elementwise.
    private func elementwiseFunction(_ node: Node) -> Formula.Function? {
        guard node.outputs.count == 1, self[node.outputs[0]].element == .float32,
            (node.inputs + node.outputs).allSatisfy({ self[$0] == self[node.outputs[0]] })
        else { return nil }
        return node.operation.scalarFunction()
    }
}

/// Elementwise functions of one value in the steps that the graph takes. They have the last step in common; each begins at
/// another value.
private struct Formula {
    typealias Function = ([Double]) -> Double

    struct Part {
        let function: Function
        /// The indices of the parts that it reads; `Int.max` for a value from outside.
        let inputs: [Int]
    }

    /// The last part is first.
    var parts: [Part] = []
    /// The number of parts of each function, and the value that it reads; in ascending order.
    var ends: [(count: Int, source: Graph.Value)] = []

    /// The longest function that is a known one.
    var namedFunction: (source: Graph.Value, function: Unary.Function)? {
        for (count, source) in ends.reversed() {
            if let function = Suffix(parts: parts[..<count]).function { return (source, function) }
        }
        return nil
    }
}

/// One of a formula's functions.
private struct Suffix {
    let parts: ArraySlice<Formula.Part>

    func callAsFunction(_ x: Double) -> Double {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: parts.count) { values in
            values.initialize(repeating: x)
            var inputs: [Double] = []
            for index in parts.indices.reversed() {
                inputs.removeAll(keepingCapacity: true)
                for input in parts[index].inputs { inputs.append(input < parts.count ? values[input] : x) }
                values[index] = parts[index].function(inputs)
            }
            return values[0]
        }
    }

    /// The equivalent known function, or nil.
    var function: Unary.Function? {
        // Far from 0, on one side or the other, all known functions are x or 1; most others are not.
        guard
            [Self.farthest, -Self.farthest].contains(where: { x in
                let y = self(x)
                return abs(y - 1) < 1e-6 || abs(y / x - 1) < 1e-6
            })
        else { return nil }
        // Near 0, where the hard functions are linear.
        let step = 0.01
        let zero = self(0)
        // All known functions rise or fall at 0; most others do not.
        if zero == 0, self(-1e-6) == 0 { return nil }
        let one = self(1)
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
        let first = self(Suffix.probes[0])
        return candidates.first { candidate in
            guard candidate.isNondegenerate else { return false }
            return agrees(first, candidate, at: Suffix.probes[0])
                && Suffix.probes.dropFirst().allSatisfy { agrees(self($0), candidate, at: $0) }
        }
    }

    private func agrees(_ actual: Double, _ candidate: Unary.Function, at x: Double) -> Bool {
        let value = Unary(candidate).apply(x)
        return abs(actual - value) <= candidate.tolerance(at: x, value)
    }

    private static let farthest = 1.1e30

    /// Inputs of both signs, small and large, none of them round. The smallest tell a steep function from its slope at 0.
    private static let probes: [Double] = {
        let usual = (0..<60).map { 0.0137 + 0.2091 * Double($0) }
        let small = (1...13).map { 0.0137 / Double(1 << $0) }
        let large = [47.3, 517.1, 5.1e4, 1.3e7, farthest]
        return [0] + (usual + small + large).flatMap { [$0, -$0] }
    }()
}

extension Unary.Function {
    /// How far from its value at `x` another spelling may be, whose constants are rounded to single precision.
    ///
    /// It is relative to the function's own terms, not to `x`: a small constant that keeps a logarithm or a quotient
    /// finite makes another function.
    fileprivate func tolerance(at x: Double, _ value: Double) -> Double {
        let rounding = 1e-7
        switch self {
        case .leakyRelu: return rounding * abs(value)
        case .hardSigmoid(let alpha, let beta):
            if value == 0 { return 1e-9 * Double(beta) }
            return rounding * (value < 1 ? abs(Double(alpha) * x) + Double(beta) : 1)
        case .hardSwish(let alpha, let beta):
            let gate = Unary.Function.hardSigmoid(alpha: alpha, beta: beta)
            return abs(x) * gate.tolerance(at: x, Unary(gate).apply(x))
        default:
            // Where the function decays, rounding its argument changes it more, and 1 + erf(x) loses digits.
            let isDecaying = abs(value) < abs(x) / 2
            return min(1, rounding * (isDecaying ? 1 + x * x : 1)) * abs(value) + 1e-15 * abs(x)
        }
    }

    /// Whether the parameters do not make it a simpler function.
    fileprivate var isNondegenerate: Bool {
        switch self {
        case .leakyRelu(let slope): slope.isFinite && slope != 0 && slope != 1
        case .hardSigmoid(let alpha, let beta), .hardSwish(let alpha, let beta):
            alpha.isFinite && alpha != 0 && beta > 0 && beta < 1
        case .swish(let beta): beta.isFinite && beta != 0
        default: true
        }
    }
}
