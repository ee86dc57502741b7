/// A tensor of the state that a model keeps between runs. In the graph it is an input, and also an output if runs
/// change it.
struct StateTensor: Sendable {
    var name: String
    var type: TensorType
    /// The index among the graph's inputs.
    var input: Int
    /// The index among the graph's outputs; nil if no run changes it.
    var output: Int?
}

/// The state that a model keeps between runs, as in coremltools' `make_state`. It begins as zeros.
///
/// A state belongs to one sequence of runs. Threads that share it wait for each other.
public final class ModelState: @unchecked Sendable {
    private let states: [StateTensor]
    private var tensors: [Tensor]
    private let lock = Lock()

    init(_ states: [StateTensor]) {
        self.states = states
        tensors = states.map { state in Tensor(shape: state.type.shape, element: state.type.element) { _ in 0 } }
    }

    /// The names of its tensors.
    public var names: [String] { states.map(\.name) }

    /// A tensor after the last run; nil if there is none with this name.
    public func tensor(named name: String) -> Tensor? {
        states.firstIndex { $0.name == name }.map { index in lock.withLock { tensors[index] } }
    }

    /// Likewise, but throws.
    /// - Throws: `Failure` if there is none of this name.
    package func existingTensor(named name: String) throws -> Tensor {
        guard let tensor = tensor(named: name) else { throw Failure.noSuchState(name, names) }
        return tensor
    }

    /// Replaces a tensor, for example by one from another state.
    /// - Throws: `Failure` if there is none of this name, or if it has another shape.
    public func setTensor(_ tensor: Tensor, named name: String) throws {
        guard let index = states.firstIndex(where: { $0.name == name }) else { throw Failure.noSuchState(name, names) }
        let type = states[index].type
        guard tensor.shape == type.shape else { throw Failure.stateShape(name, tensor.shape, type.shape) }
        let converted = tensor.converted(to: type.element)
        lock.withLock { tensors[index] = converted }
    }

    /// Whether it is a state of this model.
    func belongs(to states: [StateTensor]) -> Bool {
        self.states.map(\.name) == states.map(\.name) && self.states.map(\.type) == states.map(\.type)
    }

    /// Changes the tensors in a run.
    func update<Result>(_ body: (inout [Tensor]) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&tensors) }
    }
}

extension Failure {
    fileprivate static func noSuchState(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "the model's state has no tensor '\(name)'",
            remedy: "it has \(names.quotedList())", names: names)
    }

    fileprivate static func stateShape(_ name: String, _ shape: Shape, _ expected: Shape) -> Failure {
        Failure(
            .wrongShape, "the state '\(name)' is given with shape \(shape)", remedy: "expected \(expected)",
            names: [name])
    }
}
