extension Graph {
    /// Whether an operation reads indices that are floating point.
    var hasFloatIndices: Bool { nodes.contains { floatIndices(of: $0) != nil } }

    /// The graph for an ML Program, in which float16 does not change indices and other integers that are computed from
    /// inputs: float16 has only the integers up to 2,048.
    ///
    /// Indices become integers, and the steps from an input to integers are computed in float32. That is done only if all
    /// steps move values or compute with them one by one: layers are computed in float16.
    func withExactIntegers() throws -> Graph {
        let graph = hasFloatIndices ? try withIntegerIndices() : self
        let steps = graph.stepsToIntegers
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
    /// them.
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
}
