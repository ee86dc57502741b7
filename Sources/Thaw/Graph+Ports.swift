extension Graph {
    /// Names inputs and outputs by the keys of a signature, unless a node already has the name.
    mutating func rename(by signature: MetaGraph.Signature) {
        let taken = Set(nodes.map(\.name) + inputs.map(\.name) + outputs.map(\.name))
        if signature.inputs.count == 1, !taken.contains(signature.inputs[0].key) {
            inputs[0].name = signature.inputs[0].key
        } else {
            for input in signature.inputs where !taken.contains(input.key) {
                let node = GraphSurvey.Reference(input.tensor).node
                for index in inputs.indices where inputs[index].name == node { inputs[index].name = input.key }
            }
        }
        guard signature.outputs.count == outputs.count else { return }
        for (index, output) in signature.outputs.enumerated() where !taken.contains(output.key) {
            outputs[index].name = output.key
        }
    }

    /// The node whose output the first output applies ArgMax or TopK to; nil if there is none.
    var scoresNode: String? {
        let producers = producers
        var value = outputs.first?.value
        while let current = value, let node = producers[current] {
            if node.operation is ArgMax || node.operation is TopK {
                return producers[node.inputs[0]]?.name
            }
            guard node.operation is Cast || node.operation.keepsElements else { return nil }
            value = node.inputs[0]
        }
        return nil
    }

    /// Moves the first output that has one value per class to the front.
    mutating func putFirst(classCount: Int) {
        let batch = inputs.first.map { self[$0.value].shape.first ?? 1 } ?? 1
        guard
            let index = outputs.firstIndex(where: {
                self[$0.value].element == .float32 && self[$0.value].shape.elementCount == classCount * batch
            })
        else { return }
        outputs.insert(outputs.remove(at: index), at: 0)
    }
}
