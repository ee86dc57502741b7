extension Graph {
    /// Checks the invariants: every value is computed once, before it is read; every type is what the operation
    /// returns; node names are unique; every output exists.
    /// - Throws: `Failure` naming the node that violates an invariant.
    package func validate() throws {
        var isKnown = [Bool](repeating: false, count: types.count)
        var names = Set<String>(minimumCapacity: nodes.count)
        func knows(_ value: Value) -> Bool { types.indices.contains(value.index) && isKnown[value.index] }
        func define(_ value: Value, at name: String) throws {
            guard types.indices.contains(value.index) else { throw Failure.invalidGraph(name, "a value has no type") }
            guard !isKnown[value.index] else { throw Failure.invalidGraph(name, "a value is computed twice") }
            isKnown[value.index] = true
        }
        for port in inputs { try define(port.value, at: port.name) }
        // By index, without copies of the nodes, because it runs after each pass.
        for index in nodes.indices {
            let name = nodes[index].name
            guard names.insert(name).inserted else { throw Failure.invalidGraph(name, "two nodes have this name") }
            for input in nodes[index].inputs where !knows(input) {
                throw Failure.invalidGraph(name, "an input is read before it is computed")
            }
            let expected = try naming(location: name) {
                try outputTypes(of: nodes[index].operation, nodes[index].inputs.map { self[$0] })
            }
            for output in nodes[index].outputs { try define(output, at: name) }
            guard expected == nodes[index].outputs.map({ self[$0] }) else {
                throw Failure.invalidGraph(name, "an output does not have the type that the operation returns")
            }
        }
        for port in outputs where !knows(port.value) {
            throw Failure.invalidGraph(port.name, "the output is not computed")
        }
    }
}

extension Graph: CustomStringConvertible {
    /// One line per node: its operation, inputs and output types.
    public var description: String {
        var lines = inputs.map { "%\($0.value.index) = input \($0.name): \(self[$0.value])" }
        for node in nodes {
            let outputs = node.outputs.map { "%\($0.index)" }.joined(separator: ", ")
            let inputs = node.inputs.map { "%\($0.index)" }.joined(separator: ", ")
            let types = node.outputs.map { self[$0].description }.joined(separator: ", ")
            lines.append("\(outputs) = \(node.operation.kind)(\(inputs)) \(node.name): \(types)")
        }
        lines += outputs.map { "output \($0.name): %\($0.value.index)" }
        return lines.joined(separator: "\n")
    }
}
