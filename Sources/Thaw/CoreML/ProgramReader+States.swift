/// The state that a program keeps between runs. In the graph, a state is an input, and also an output if it is written.
extension ProgramReader {
    mutating func addState(_ name: String, _ wrapped: Message) throws {
        let (sizes, element) = try openType(wrapped, of: name)
        let shape = Shape(sizes)
        guard let count = shape.declaredCount, count > 0, element.isFloatingPoint else {
            throw Failure.valueShape(name, sizes)
        }
        let type = TensorType(shape, .float32)
        let value = Operand.edge(reading.builder.input(name, type), type)
        states.append((name, value, false))
        try define(name, .operand(value))
    }

    /// The value of a state after the operation that changed it.
    mutating func accessState(_ operation: Message) throws -> Operand {
        let name = operation.boundNames("state").first ?? operation.boundNames("input").first ?? ""
        guard let index = states.firstIndex(where: { $0.name == name }) else { throw Failure.valueMissing(name) }
        guard path.isEmpty else { throw Failure.stateInBlock(name) }
        guard operation.type as String != "read_state" else { return states[index].value }
        let given = operation.boundNames("value").first ?? operation.boundNames("data").first ?? ""
        guard case .operand(let value)? = names[given] else { throw Failure.valueMissing(given) }
        guard value.shape == states[index].value.shape else {
            throw Failure.stateValue(name, TensorType(states[index].value.shape), value.shape)
        }
        (states[index].value, states[index].isWritten) = (value, true)
        return value
    }

    /// Adds the outputs of the states that were written.
    /// - Returns: Their names in the graph by those of the states.
    mutating func addStates() throws -> [String: String] {
        var outputs: [String: String] = [:]
        for state in states where state.isWritten {
            let name = state.name + "/state"
            reading.builder.output(name, try reading.edge(state.value, name: name + "/constant"))
            outputs[state.name] = name
        }
        return outputs
    }
}
