extension Recurrence {
    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let (steps, batch) = (inputs[0].shape[0], inputs[0].shape[1])
        let units = directions[0].units
        let columns = directions.count * units
        var states = inputs.dropFirst().map(\.floats)
        var sequence = [Float](repeating: 0, count: steps * batch * columns)
        inputs[0].withFloats { values in
            let width = inputs[0].shape[2]
            for (index, direction) in directions.enumerated() {
                var runner = CellRunner(self, direction)
                for item in 0..<batch {
                    let start = item * columns + index * units
                    let unitRange = start..<start + units
                    runner.start(states.map { $0[unitRange].map { Double($0) } })
                    for step in 0..<steps {
                        let position = direction.isReversed ? steps - 1 - step : step
                        let first = (position * batch + item) * width
                        runner.advance(UnsafeBufferPointer(rebasing: values[first..<first + width]))
                        // A single reversed direction returns its states in the order in which it computes them. Two
                        // directions return theirs in the order of the sequence.
                        let row = directions.count == 1 ? step : position
                        let target = row * batch * columns + start
                        for unit in 0..<units { sequence[target + unit] = Float(runner.hidden[unit]) }
                    }
                    for (state, final) in runner.states.enumerated() {
                        states[state].replaceSubrange(unitRange, with: final.map { Float($0) })
                    }
                }
            }
        }
        let finals = states.map { Tensor($0, shape: [batch, columns]) }
        let last =
            returnsSequence
            ? Tensor(sequence, shape: [steps, batch, columns]) : finals[0].reshaped([1, batch, columns])
        return [last] + finals
    }
}

/// A cell of a recurrent layer that runs over one sequence.
private struct CellRunner {
    /// The hidden state, and the cell state of an LSTM.
    private(set) var states: [[Double]] = []
    var hidden: [Double] { states[0] }

    private let cell: Recurrence.Cell
    private let activations: Recurrence.Activations
    private let clip: Double
    private let cellClip: Double
    private let units: Int
    private let inputWeights: Rows
    private let stateWeights: Rows
    private let peepholes: [Float]?

    init(_ recurrence: Recurrence, _ direction: Recurrence.Direction) {
        cell = recurrence.cell
        activations = direction.activations
        (clip, cellClip) = (Double(recurrence.clip), Double(recurrence.cellClip))
        units = direction.units
        inputWeights = Rows(direction.inputWeights, direction.inputBias)
        stateWeights = Rows(direction.stateWeights, direction.stateBias)
        peepholes = direction.peepholes?.floats
    }

    mutating func start(_ states: [[Double]]) { self.states = states }

    mutating func advance(_ input: UnsafeBufferPointer<Float>) {
        let sums = inputWeights.products { Double(input[$0]) }
        switch cell {
        case .simple:
            let products = stateWeights.products { hidden[$0] }
            states[0] = (0..<units).map { activations.candidate.apply(clipped(sums[$0] + products[$0])) }
        case .gru(let resetsAfterProduct): advanceGRU(sums, resetsAfterProduct)
        case .lstm(let couplesGates): advanceLSTM(sums, couplesGates)
        }
    }

    /// Gates: reset, candidate, update.
    private mutating func advanceGRU(_ sums: [Double], _ resetsAfterProduct: Bool) {
        let old = hidden
        let products = stateWeights.products(0..<units) { old[$0] }
        let reset = (0..<units).map { activations.gates.apply(clipped(sums[$0] + products[$0])) }
        let candidates = stateWeights.products(units..<2 * units) { resetsAfterProduct ? old[$0] : reset[$0] * old[$0] }
        let updates = stateWeights.products(2 * units..<3 * units) { old[$0] }
        states[0] = (0..<units).map { unit in
            let product = resetsAfterProduct ? reset[unit] * candidates[unit] : candidates[unit]
            let candidate = activations.candidate.apply(clipped(sums[units + unit] + product))
            let update = activations.gates.apply(clipped(sums[2 * units + unit] + updates[unit]))
            return (1 - update) * candidate + update * old[unit]
        }
    }

    /// Gates: input, forget, output, candidate. The peephole of the output gate sees the new cell state.
    private mutating func advanceLSTM(_ sums: [Double], _ couplesGates: Bool) {
        let old = hidden
        let products = stateWeights.products { old[$0] }
        for unit in 0..<units {
            func sum(_ gate: Int) -> Double { sums[gate * units + unit] + products[gate * units + unit] }
            func open(_ gate: Int, _ cell: Double) -> Double {
                let peephole = peepholes.map { Double($0[gate * units + unit]) * cell } ?? 0
                return activations.gates.apply(clipped(sum(gate) + peephole))
            }
            let cell = states[1][unit]
            let input = open(0, cell)
            let forget = couplesGates ? 1 - input : open(1, cell)
            let new = (forget * cell + input * activations.candidate.apply(clipped(sum(3)))).clamped(to: cellClip)
            states[1][unit] = new
            states[0][unit] = open(2, new) * activations.output.apply(new)
        }
    }

    private func clipped(_ sum: Double) -> Double { sum.clamped(to: clip) }
}

extension Double {
    /// Limited to a magnitude. NaN is preserved.
    fileprivate func clamped(to limit: Double) -> Double { self > limit ? limit : self < -limit ? -limit : self }
}

/// The rows of a weight matrix, with a bias for each.
private struct Rows {
    private let matrix: [Float]
    private let bias: [Float]?
    private let width: Int

    init(_ matrix: Tensor, _ bias: Tensor?) {
        (self.matrix, self.bias, width) = (matrix.floats, bias?.floats, matrix.shape[1])
    }

    /// The products of rows with a vector, plus their biases; of all rows if none are given.
    func products(_ rows: Range<Int>? = nil, _ value: (Int) -> Double) -> [Double] {
        let vector = (0..<width).map(value)
        let rows = rows ?? 0..<(width == 0 ? bias?.count ?? 0 : matrix.count / width)
        return matrix.withUnsafeBufferPointer { matrix in
            rows.map { row in
                var sum = bias.map { Double($0[row]) } ?? 0
                for column in 0..<width { sum += Double(matrix[row * width + column]) * vector[column] }
                return sum
            }
        }
    }
}
