extension Graph {
    /// Whether an operation reads indices that are floating point.
    var hasFloatIndices: Bool { nodes.contains { floatIndices(of: $0) != nil } }

    /// The graph for an ML Program, with the nodes marked as `InFloat32` whose results float16 would change by more than
    /// rounding: integers that are computed from inputs, and values that may be larger than float16 allows.
    func withFloat32Steps() throws -> Graph {
        let graph = hasFloatIndices ? try withIntegerIndices() : self
        let steps = graph.stepsToIntegers.union(graph.stepsOfLargeValues)
        guard !steps.isEmpty else { return graph }
        return try graph.rebuilt { node, inputs, builder in
            guard steps.contains(node.name) else { return nil }
            return try builder.add(InFloat32(node.operation), inputs, name: node.name)
        }
    }

    private func withIntegerIndices() throws -> Graph {
        try rebuilt { node, inputs, builder in
            guard let index = floatIndices(of: node) else { return nil }
            var inputs = inputs
            inputs[index] = try builder.add(Cast(element: .int32), [inputs[index]], name: node.name + "/indices")[0]
            return try builder.add(node.operation, inputs, name: node.name)
        }
    }

    /// The input of a node that contains indices if they are floating point.
    private func floatIndices(of node: Node) -> Int? {
        node.operation.indexInput.flatMap { self[node.inputs[$0]].element.isFloatingPoint ? $0 : nil }
    }

    /// The names of the nodes that compute integers of more than 8 bits from inputs, one by one, and of all nodes before
    /// them. Float16 has only the integers up to 2,048.
    private var stepsToIntegers: Set<String> {
        var isStep = [Bool](repeating: true, count: types.count)
        for node in nodes {
            let isSimple = node.operation.isElementwise || node.operation.family == .arrangement
            let result = isSimple && node.inputs.allSatisfy { isStep[$0.index] }
            for output in node.outputs { isStep[output.index] = result }
        }
        var isRead = [Bool](repeating: false, count: types.count)
        var names: Set<String> = []
        for node in nodes.reversed() where isStep[node.outputs[0].index] {
            let element = self[node.outputs[0]].element
            let floats = node.inputs.filter { self[$0].element.isFloatingPoint }
            let isLast = node.operation.isElementwise && !floats.isEmpty && element.bounds != nil && element.size > 1
            guard isLast || node.outputs.contains(where: { isRead[$0.index] }) else { continue }
            for input in floats { isRead[input.index] = true }
            names.insert(node.name)
        }
        return names
    }

    /// The names of the nodes with constants beyond the range of float16, and of those that read their results, until the
    /// results have a smaller range.
    ///
    /// Attention masks are such constants: a sum of scores and −10⁹ would be −∞, and a softmax of only that is not a number.
    /// Layers without such weights are computed in float16: their inputs rarely exceed its range.
    private var stepsOfLargeValues: Set<String> {
        var areLarge = [Bool](repeating: false, count: types.count)
        var names: Set<String> = []
        for node in nodes {
            let operation = node.operation
            guard operation.bound == nil else { continue }
            let isLayer = operation.family == .convolution || operation.family == .dense
            let readsLarge = !isLayer && node.inputs.contains { areLarge[$0.index] }
            guard readsLarge || operation.weights.contains(where: \.exceedsFloat16) else { continue }
            names.insert(node.name)
            let range = operation.range(inputs: node.inputs.count) { _ in nil }
            let isSmall = range.map { max(-$0.lowerBound, $0.upperBound) <= Double(Float.largestHalf) } ?? false
            for output in node.outputs { areLarge[output.index] = !isSmall && self[output].element.isFloatingPoint }
        }
        return names
    }
}
