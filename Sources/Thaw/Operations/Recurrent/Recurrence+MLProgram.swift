extension Recurrence {
    static let mil = [
        MILRule("rnn", "gru", "lstm") { op, reading in
            let direction = try op.text("direction", default: "forward")
            let isBoth = direction == "bidirectional"
            guard ["forward", "reverse"].contains(direction) || isBoth && op.kind == "lstm" else {
                throw op.refused("the direction '\(direction)' is not supported")
            }
            let isReversed = direction == "reverse"
            let cell: Cell =
                switch op.kind {
                case "gru": .gru(resetsAfterProduct: try op.bool("reset_after", default: false))
                case "lstm": .lstm(couplesGates: false)
                default: .simple
                }
            let first = try Direction(op, cell, isReversed: isReversed)
            let recurrence = Recurrence(
                cell: cell,
                directions: isBoth ? [first, try Direction(op, cell, suffix: "_back", isReversed: true)] : [first],
                returnsSequence: try op.bool("output_sequence", default: false), cellClip: try cellClip(op))
            let states = cell.stateCount == 2 ? ["initial_h", "initial_c"] : ["initial_h"]
            return try reading.add(recurrence, (["x"] + states).map { try op.operand($0) }, op)
        }
    ]

    /// coremltools writes TensorFlow's `cell_clip`, and in neural networks `cellClipThreshold`, as this argument of an LSTM.
    private static func cellClip(_ op: MILRead) throws -> Float {
        let clip = try op.number("clip", default: .infinity)
        guard clip > 0 else { throw op.refused("the cell state is clipped to a magnitude of \(clip)") }
        return clip
    }
}

extension Recurrence.Direction {
    /// - Parameter suffix: The suffix of the names of the arguments with the weights.
    fileprivate init(_ op: MILRead, _ cell: Recurrence.Cell, suffix: String = "", isReversed: Bool) throws {
        self.init(
            inputWeights: try op.constant("weight_ih" + suffix), stateWeights: try op.constant("weight_hh" + suffix),
            inputBias: try op.weights("input_bias" + suffix), stateBias: try op.weights("bias" + suffix),
            peepholes: try op.weights("peephole" + suffix), activations: try Recurrence.Activations(op, cell),
            isReversed: isReversed)
    }
}

extension Recurrence.Activations {
    fileprivate init(_ op: MILRead, _ cell: Recurrence.Cell) throws {
        func activation(_ key: String, _ defaultName: String) throws -> Recurrence.Activation {
            let name = try op.text(key, default: defaultName)
            switch name {
            case "sigmoid": return .function(.sigmoid)
            case "tanh": return .function(.tanh)
            case "relu": return .function(.relu)
            case "linear": return .identity
            case "hard_sigmoid", "sigmoid_hard": return .defaultHardSigmoid
            // The format does not define its scales.
            default: throw op.refused("the \(key) '\(name)' is not supported")
            }
        }
        gates = try activation("recurrent_activation", "sigmoid")
        guard case .lstm = cell else {
            candidate = try activation("activation", "tanh")
            return
        }
        candidate = try activation("cell_activation", "tanh")
        output = try activation("activation", "tanh")
    }
}

extension Recurrence.Activation {
    /// The hard sigmoid of a layer without parameters: Keras' version.
    static let defaultHardSigmoid = Recurrence.Activation.function(.hardSigmoid(alpha: 0.2, beta: 0.5))
}

extension MILRead {
    /// The weights of an optional argument.
    fileprivate func weights(_ key: String) throws -> Tensor? { has(key) ? try constant(key) : nil }
}
