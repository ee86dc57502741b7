extension OneHot: NeuralOperation {
    /// Each index compared with all places: where they are the same the one number, else the other.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        var shape = node.input.shape
        shape.dimensions.insert(1, at: axis)
        let places = Tensor(
            (0..<depth).map(Float.init), shape: Shape([depth] + Array(repeating: 1, count: shape.rank - 1 - axis)))
        try layers.addSteps(
            [
                Reshape(shape), Binary(.equal, constant: places), Cast(element: .float32),
                Binary(.multiply, constant: Tensor(on - off)), Binary(.add, constant: Tensor(off)),
            ], node)
    }
}
