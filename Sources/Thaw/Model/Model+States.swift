extension Model {
    /// Whether runs depend on earlier ones.
    public var isStateful: Bool { !states.isEmpty }

    /// The names of the tensors in the model's state.
    public var stateNames: [String] { states.map(\.name) }

    /// The graph's inputs and outputs that are states.
    package var stateInputs: Set<Int> { Set(states.map(\.input)) }
    package var stateOutputs: Set<Int> { Set(states.compactMap(\.output)) }

    /// The initial state, for a new sequence of runs.
    /// - Throws: `Failure` for a model without a state.
    package func makeState() throws -> ModelState {
        guard isStateful else { throw Failure.stateless() }
        return ModelState(states)
    }

    /// - Throws: `Failure` if runs depend on earlier ones.
    package func requireStateless() throws {
        guard !isStateful else { throw Failure.stateful(states.map(\.name)) }
    }
}

extension Failure {
    fileprivate static func stateful(_ names: [String]) -> Failure {
        Failure(
            .unsupportedModel, "the model keeps \(names.quotedList()) between runs",
            remedy: "use \(task: .runWithState), which keeps a state", names: names)
    }

    fileprivate static func stateless() -> Failure {
        Failure(.unsupportedModel, "the model has no state", remedy: "run it without one")
    }
}
