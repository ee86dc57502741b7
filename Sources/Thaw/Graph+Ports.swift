extension Graph {
    /// Names inputs and outputs by the keys of a signature, unless a node already has the name.
    mutating func rename(by signature: MetaGraph.Signature) {
        let taken = Set(nodes.map(\.name) + inputs.map(\.name) + outputs.map(\.name))
        if signature.inputs.count == 1, !taken.contains(signature.inputs[0].key) {
            inputs[0].name = signature.inputs[0].key
        } else {
            for input in signature.inputs where !taken.contains(input.key) {
                let node = GraphIndex.Reference(input.tensor).node
                for index in inputs.indices where inputs[index].name == node { inputs[index].name = input.key }
            }
        }
        guard signature.outputs.count == outputs.count else { return }
        for (index, output) in signature.outputs.enumerated() where !taken.contains(output.key) {
            outputs[index].name = output.key
        }
    }

    /// The node whose output the first output applies ArgMax or TopK to; nil if there is none.
    var scoresNode: (name: String, isOfIndices: Bool)? {
        let producers = producers
        var value = outputs.first?.value
        while let current = value, let node = producers[current] {
            if let indices = node.operation.selectedIndexOutput {
                return producers[node.inputs[0]].map { ($0.name, isOfIndices: current == node.outputs[indices]) }
            }
            guard node.operation is Cast || node.operation.keepsElements else { return nil }
            value = node.inputs[0]
        }
        return nil
    }

    /// Moves an output that has one value per class to the front.
    /// - Parameter prefersProbabilities: Whether the first one that ends in a softmax or sigmoid precedes others.
    /// - Returns: The names of all outputs that have one value per class, in the new order.
    mutating func putFirst(classCount: Int, prefersProbabilities: Bool) -> [String] {
        let batch = inputs.first.map { self[$0.value].shape.first ?? 1 } ?? 1
        let fitting = outputs.indices.filter {
            let type = self[outputs[$0].value]
            return type.element == .float32 && type.shape.elementCount == classCount * batch
        }
        let probabilities =
            prefersProbabilities ? fitting.first { isSoftmax(outputs[$0].value) || isSigmoid(outputs[$0].value) } : nil
        guard let index = probabilities ?? fitting.first else { return [] }
        let names = fitting.map { outputs[$0].name }
        outputs.insert(outputs.remove(at: index), at: 0)
        return [outputs[0].name] + names.filter { $0 != outputs[0].name }
    }
}
