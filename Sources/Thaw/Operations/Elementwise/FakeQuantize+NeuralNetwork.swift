extension FakeQuantize: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        try layers.addSteps(steps, node)
    }

    /// The arithmetic of `Levels`, one operation behind the other.
    private var steps: [any Operation] {
        func numbers(_ number: (Levels) -> Float) -> Tensor {
            Tensor(channels.map(number), shape: channels.count == 1 ? [] : [channels.count])
        }
        let low = numbers(\.low)
        let inverse = numbers { $0.step == 0 ? 0 : 1 / $0.step }
        let start = numbers { $0.step == 0 ? 0 : (0.5 - $0.low * (1 / $0.step)).rounded(.down) - 0.5 }
        return [
            Binary(.maximum, constant: low), Binary(.minimum, constant: numbers(\.high)),
            Binary(.subtract, constant: low),
            Binary(.multiply, constant: inverse), Binary(.subtract, constant: start), Unary(.floor),
            Binary(.multiply, constant: numbers(\.step)),
        ]
    }
}
