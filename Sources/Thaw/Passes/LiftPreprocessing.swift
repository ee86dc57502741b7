extension Graph {
    /// The graph without the arithmetic by channel at its head, and that arithmetic: what belongs to the loading of the
    /// image, not to the network. Nil where there is none.
    ///
    /// Exact but for rounding: a factor and an offset by channel are the same done to the pixel. Nothing is moved across a
    /// padding.
    func withLiftedPreprocessing() throws -> (graph: Graph, lifted: ChannelArithmetic)? {
        guard let input = inputs.first?.value, self[input].shape.rank == 4 else { return nil }
        let readers = readerCounts
        var head = input
        var lifted: ChannelArithmetic?
        while readers[head.index] == 1, let node = nodes.first(where: { $0.inputs.contains(head) }),
            node.inputs.count == 1,
            let arithmetic = ChannelArithmetic(node.operation, on: self[head]), self[node.outputs[0]] == self[head],
            !outputs.contains(where: { $0.value == node.outputs[0] })
        {
            lifted = lifted?.followed(by: arithmetic) ?? arithmetic
            head = node.outputs[0]
        }
        guard let lifted else { return nil }
        var gone: Set<String> = []
        var value = input
        while value != head, let node = nodes.first(where: { $0.inputs.contains(value) }) {
            gone.insert(node.name)
            value = node.outputs[0]
        }
        return (try rebuilt { node, inputs, _ in gone.contains(node.name) ? inputs : nil }, lifted)
    }
}
