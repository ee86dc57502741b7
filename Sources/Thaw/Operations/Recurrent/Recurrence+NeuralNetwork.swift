extension Recurrence {
    static let neural = [
        NeuralRule("simpleRecurrent") { layer, reading in
            let parameters = layer.parameters
            let form = try RecurrentLayerForm(layer)
            let direction = Direction(
                inputWeights: try layer.weights(parameters.weightMatrix, [form.units, form.width]),
                stateWeights: try layer.weights(parameters.recursionMatrix, [form.units, form.units]),
                stateBias: parameters.hasBiasVector
                    ? try layer.weights(parameters.biasVector, [form.units]) : nil,
                activations: Activations(candidate: try Activation(parameters["activation"], layer)),
                isReversed: parameters.reverseInput)
            let recurrence = Recurrence(
                cell: .simple, directions: [direction], returnsSequence: parameters.sequenceOutput, clip: defaultClip)
            return try form.outputs(of: recurrence, layer, &reading)
        },
        NeuralRule("gru") { layer, reading in
            let parameters = layer.parameters
            let form = try RecurrentLayerForm(layer)
            let gates = ["reset", "output", "update"].map { $0 + "Gate" }
            let activations = try layer.activations("activations", 2)
            let direction = Direction(
                inputWeights: try layer.concatenatedRows(
                    gates.map { $0 + "WeightMatrix" }, parameters, [form.units, form.width]),
                stateWeights: try layer.concatenatedRows(
                    gates.map { $0 + "RecursionMatrix" }, parameters, [form.units, form.units]),
                stateBias: parameters.hasBiasVectors
                    ? try layer.concatenatedRows(gates.map { $0 + "BiasVector" }, parameters, [form.units]) : nil,
                activations: Activations(gates: activations[0], candidate: activations[1]),
                isReversed: parameters.reverseInput)
            let recurrence = Recurrence(
                cell: .gru(resetsAfterProduct: false), directions: [direction],
                returnsSequence: parameters.sequenceOutput, clip: defaultClip)
            return try form.outputs(of: recurrence, layer, &reading)
        },
        NeuralRule("uniDirectionalLSTM") { layer, reading in
            let form = try RecurrentLayerForm(layer)
            let direction = try Direction(
                layer, layer.parameters["weightParams"], form, "activations",
                isReversed: layer.parameters.reverseInput)
            return try form.outputs(of: lstm([direction], layer), layer, &reading)
        },
        NeuralRule("biDirectionalLSTM") { layer, reading in
            let form = try RecurrentLayerForm(layer)
            let weights: [Message] = layer.parameters.weightParams
            guard weights.count == 2 else {
                throw layer.refused("there are weights for \(weights.count) directions", remedy: "expected 2")
            }
            let directions = [
                try Direction(layer, weights[0], form, "activationsForwardLSTM", isReversed: false),
                try Direction(layer, weights[1], form, "activationsBackwardLSTM", isReversed: true),
            ]
            return try form.outputs(of: lstm(directions, layer), layer, &reading)
        },
    ]

    /// The format clips the accumulators of all gates to this magnitude, and the cell state unless a layer says otherwise.
    private static let defaultClip: Float = 50

    private static func lstm(_ directions: [Direction], _ layer: NeuralLayer) throws -> Recurrence {
        let parameters: Message = layer.parameters.params
        let clip: Float = parameters.cellClipThreshold
        guard clip >= 0 else { throw layer.refused("the cell state is clipped to a magnitude of \(clip)") }
        return Recurrence(
            cell: .lstm(couplesGates: parameters.coupledInputAndForgetGate), directions: directions,
            returnsSequence: parameters.sequenceOutput, clip: defaultClip, cellClip: clip == 0 ? defaultClip : clip)
    }
}

// MARK: Shapes

/// The sizes of a recurrent layer, and the conversion of its inputs and outputs. In the older form, a blob is an image
/// of one pixel that is one step of a sequence; in the exact form, it has two more axes of size 1.
private struct RecurrentLayerForm {
    let width: Int
    let units: Int
    private let sequence: Operand
    private let isExact: Bool

    init(_ layer: NeuralLayer) throws {
        width = layer.parameters.inputVectorSize
        units = layer.parameters.outputVectorSize
        sequence = try layer.input()
        let shape = sequence.shape
        isExact = shape.rank == 5
        guard isExact || shape.rank == 4, shape.suffix(2).allSatisfy({ $0 == 1 }) else {
            throw layer.refused("the input has shape \(shape)", remedy: "expected sequence, batch, \(width), 1, 1")
        }
        guard shape[shape.rank - 3] == width, (1..<1 << 24).contains(units) else {
            throw layer.refused(
                "the weights are for \(width) inputs and \(units) units", remedy: "the input has shape \(shape)")
        }
    }

    func outputs(
        of recurrence: Recurrence, _ layer: NeuralLayer, _ reading: inout ImportContext
    ) throws -> [Operand] {
        let shape = sequence.shape
        let (steps, batch) = isExact ? (shape[0], shape[1]) : (1, shape[0])
        let directions = recurrence.directions.count
        let states = recurrence.cell.stateCount
        guard [1, 1 + directions * states].contains(layer.inputs.count) else {
            throw layer.refused(
                "it has \(layer.inputs.count) inputs", remedy: "expected 1 or \(1 + directions * states)")
        }
        func reshaped(_ operand: Operand, _ shape: Shape) throws -> Operand {
            guard operand.shape.elementCount == shape.elementCount else {
                throw layer.refused("an initial state has shape \(operand.shape)", remedy: "expected \(shape)")
            }
            return try reading.add(Reshape(shape), operand, layer)
        }
        var inputs = [try reshaped(sequence, [steps, batch, width])]
        for state in 0..<states {
            guard layer.inputs.count > 1 else {
                inputs.append(
                    try ImportContext.filled([batch, directions * units], 0, .float32))
                continue
            }
            let parts = try (0..<directions).map {
                try reshaped(layer.input(1 + $0 * states + state), [batch, units])
            }
            inputs.append(directions == 1 ? parts[0] : try reading.add(Concatenation(axis: 1), parts, layer)[0])
        }
        let results = try reading.add(recurrence, inputs, layer)
        let rows = recurrence.returnsSequence ? steps : 1
        func blob(_ operand: Operand, _ rows: Int, _ columns: Int) throws -> Operand {
            try reading.add(
                Reshape(isExact ? [rows, batch, columns, 1, 1] : [batch, columns, 1, 1]), operand, layer)
        }
        let finals = try results.dropFirst().map { state in
            directions == 1 ? [state] : try reading.add(Split(axis: 1, sizes: [units, units]), [state], layer)
        }
        let outputs =
            [try blob(results[0], rows, directions * units)]
            + (try (0..<directions).flatMap { direction in try finals.map { try blob($0[direction], 1, units) } })
        return Array(outputs.prefix(layer.outputCount))
    }
}

// MARK: Weights and activations

extension Recurrence.Direction {
    fileprivate init(
        _ layer: NeuralLayer, _ weights: Message, _ form: RecurrentLayerForm, _ activations: String, isReversed: Bool
    ) throws {
        let parameters: Message = layer.parameters.params
        let gates = ["inputGate", "forgetGate", "outputGate", "blockInput"]
        var bias: Tensor?
        if parameters.hasBiasVectors {
            bias = try layer.concatenatedRows(gates.map { $0 + "BiasVector" }, weights, [form.units])
        }
        if parameters.forgetBias {
            let stored = bias?.floats ?? [Float](repeating: 0, count: 4 * form.units)
            let forget = form.units..<2 * form.units
            bias = Tensor(stored.indices.map { stored[$0] + (forget.contains($0) ? 1 : 0) }, shape: [stored.count])
        }
        let functions = try layer.activations(activations, 3)
        self.init(
            inputWeights: try layer.concatenatedRows(
                gates.map { $0 + "WeightMatrix" }, weights, [form.units, form.width]),
            stateWeights: try layer.concatenatedRows(
                gates.map { $0 + "RecursionMatrix" }, weights, [form.units, form.units]),
            stateBias: bias,
            peepholes: parameters.hasPeepholeVectors
                ? try layer.concatenatedRows(gates.dropLast().map { $0 + "PeepholeVector" }, weights, [form.units])
                : nil,
            activations: Recurrence.Activations(gates: functions[0], candidate: functions[1], output: functions[2]),
            isReversed: isReversed)
    }
}

extension Recurrence.Activation {
    /// Parameters that are all 0 are not set.
    fileprivate init(_ message: Message, _ layer: NeuralLayer) throws {
        let kind = message.choice ?? "none"
        var parameters: (alpha: Float, beta: Float)?
        if ["linear", "sigmoidHard", "scaledTanh"].contains(kind) {
            let given: Message = message[kind]
            if given.alpha as Float != 0 || given.beta as Float != 0 { parameters = (given.alpha, given.beta) }
        }
        switch (kind, parameters) {
        case ("sigmoid", _): self = .function(.sigmoid)
        case ("tanh", _): self = .function(.tanh)
        case ("ReLU", _): self = .function(.relu)
        case ("linear", nil): self = .identity
        case ("linear", let given?): self = .linear(scale: given.alpha, offset: given.beta)
        case ("sigmoidHard", nil): self = .defaultHardSigmoid
        case ("sigmoidHard", let given?): self = .function(.hardSigmoid(alpha: given.alpha, beta: given.beta))
        case ("scaledTanh", let given?): self = .scaledTanh(alpha: given.alpha, beta: given.beta)
        case ("scaledTanh", nil): throw layer.refused("the activation 'scaledTanh' has no scales")
        default: throw layer.refused("activations of type '\(kind)' are not supported")
        }
    }
}

extension NeuralLayer {
    fileprivate func activations(_ field: String, _ count: Int) throws -> [Recurrence.Activation] {
        let messages: [Message] = parameters[field]
        guard messages.count == count else {
            throw refused("it has \(messages.count) activations", remedy: "expected \(count)")
        }
        return try messages.map { try Recurrence.Activation($0, self) }
    }

    /// The weights in several fields, each of this shape, concatenated by rows.
    fileprivate func concatenatedRows(_ fields: [String], _ message: Message, _ shape: Shape) throws -> Tensor {
        let parts = try fields.map { try weights(message[$0], shape) }
        return Tensor(parts.flatMap(\.floats), shape: Shape([fields.count * shape[0]] + shape.dropFirst()))
    }
}
