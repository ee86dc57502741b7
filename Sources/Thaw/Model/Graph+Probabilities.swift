extension Graph {
    /// Whether a softmax computes the value.
    func isSoftmax(_ value: Value) -> Bool { source(of: value) is Softmax }

    /// Whether a sigmoid computes the value.
    func isSigmoid(_ value: Value) -> Bool { source(of: value)?.applies(.sigmoid) == true }

    /// The operation that computes the elements of a value, which later ones may arrange.
    private func source(of value: Value) -> (any Operation)? {
        let producers = producers
        var value = value
        while let node = producers[value], node.operation.keepsElements { value = node.inputs[0] }
        return producers[value]?.operation
    }
}
