/// A recurrent layer: at each step of a sequence, a cell computes its next state from the input and its current state.
///
/// Inputs: the sequence (step, batch, value), the hidden state before the first step (batch, unit), and, for an
/// LSTM, the cell state (batch, unit). Outputs: the hidden states of all steps or of the last one (step, batch, unit), and
/// the final states. If there are two directions, the units of the second follow those of the first.
struct Recurrence: Operation {
    enum Cell: Hashable, Sendable {
        /// One gate: the candidate (Elman, Finding Structure in Time, 1990).
        case simple
        /// Gates: reset, candidate, update (Cho et al., Learning Phrase Representations, 2014). The reset gate is
        /// applied to the state, or to the product of the state and its weights.
        case gru(resetsAfterProduct: Bool)
        /// Gates: input, forget, output, candidate (Hochreiter and Schmidhuber, Long Short-Term Memory, 1997). If the
        /// gates are coupled, the forget gate is 1 minus the input gate.
        case lstm(couplesGates: Bool)

        var gateCount: Int {
            switch self {
            case .simple: 1
            case .gru: 3
            case .lstm: 4
            }
        }

        /// The number of states: hidden, and for an LSTM that of the cell.
        var stateCount: Int { if case .lstm = self { 2 } else { 1 } }
    }

    /// A function of a gate's accumulator, or of the cell state.
    enum Activation: Hashable, Sendable {
        case linear(scale: Float, offset: Float)
        case function(Unary.Function)
        /// alpha · tanh(beta · x).
        case scaledTanh(alpha: Float, beta: Float)

        static let identity = Activation.linear(scale: 1, offset: 0)

        func apply(_ x: Double) -> Double {
            switch self {
            case .linear(let scale, let offset): Double(scale) * x + Double(offset)
            case .function(let function): Unary(function).apply(x)
            case .scaledTanh(let alpha, let beta): Double(alpha) * Unary(.tanh).apply(Double(beta) * x)
            }
        }
    }

    struct Activations: Hashable, Sendable {
        var gates = Activation.function(.sigmoid)
        var candidate = Activation.function(.tanh)
        /// Applied to the cell state.
        var output = Activation.function(.tanh)
    }

    /// The weights of a cell, and the direction in which it runs over the sequence. The rows contain the units of each
    /// gate in turn.
    struct Direction: Sendable {
        /// Axes: row, value.
        var inputWeights: Tensor
        /// Axes: row, unit.
        var stateWeights: Tensor
        /// One value per row.
        var inputBias: Tensor?
        /// One value per row, added to the product of the state and its weights.
        var stateBias: Tensor?
        /// The weights of the cell state in the gates input, forget, output.
        var peepholes: Tensor?
        var activations = Activations()
        var isReversed = false

        var units: Int { stateWeights.shape.last ?? 0 }
        var weights: [Tensor] { [inputWeights, stateWeights] + [inputBias, stateBias, peepholes].compactMap { $0 } }
    }

    var cell: Cell
    /// One, or the forward and the backward one.
    var directions: [Direction]
    /// Whether the hidden states of all steps are returned.
    var returnsSequence: Bool
    /// The gates' accumulators are clamped to this magnitude.
    var clip = Float.infinity
    /// The cell state is clamped to this magnitude.
    var cellClip = Float.infinity

    var kind: String {
        switch cell {
        case .simple: "RNN"
        case .gru: "GRU"
        case .lstm: "LSTM"
        }
    }

    var weights: [Tensor] { directions.flatMap(\.weights) }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let sequence = inputs[0].shape
        guard sequence.rank == 3 else { throw Failure.wrongRank(3, sequence) }
        let units = directions[0].units
        let rows = cell.gateCount * units
        for direction in directions {
            try require(direction.inputWeights, [rows, sequence[2]])
            try require(direction.stateWeights, [rows, units])
            for bias in [direction.inputBias, direction.stateBias].compactMap({ $0 }) { try require(bias, [rows]) }
            if let peepholes = direction.peepholes { try require(peepholes, [3 * units]) }
        }
        let state: Shape = [sequence[1], directions.count * units]
        for input in inputs.dropFirst() where input.shape != state { throw Failure.stateShape(input.shape, state) }
        let steps = returnsSequence ? sequence[0] : 1
        let states = Array(repeating: TensorType(state), count: cell.stateCount)
        return [TensorType([steps, state[0], state[1]])] + states
    }

    private func require(_ weights: Tensor, _ shape: Shape) throws {
        guard weights.shape == shape else { throw Failure.weightShape(weights.shape, "\(shape)") }
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        let products = directions.reduce(0) { $0 + $1.inputWeights.elementCount + $1.stateWeights.elementCount }
        return inputs[0].shape[0] * inputs[0].shape[1] * products
    }
}

// MARK: Facts

extension Recurrence {
    var family: Family { .dense }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .combined }
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? { nil }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let direction = directions.count == 2 ? "bidirectional" : directions[0].isReversed ? "reversed" : ""
        return Caption(kind, ["\(directions[0].units) units", direction])
    }
}

extension Failure {
    fileprivate static func stateShape(_ shape: Shape, _ expected: Shape) -> Failure {
        Failure(.wrongShape, "the initial state has shape \(shape)", remedy: "expected \(expected): batch, units")
    }
}
