extension [NodeDefinition] {
    /// Whether weights are stored in 16 bits or less: in a constant with more values than any list of sizes.
    var haveShortWeights: Bool {
        contains { node in
            guard node.has(.constant), let tensor = node.constant else { return false }
            return tensor.element.size <= 2 && tensor.element != .bool && tensor.elementCount >= 16
        }
    }
}
