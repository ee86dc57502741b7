extension Graph {
    /// Applies operations that are enclosed in two reshapes, which only regroup axes, directly to the original tensor.
    ///
    /// Keras reshapes the input of a layer normalization to [1, rows, width, 1] in order to use the batch
    /// normalization kernel; a whole image would become one tall channel in Core ML. It reshapes the input of a dense
    /// layer to a matrix; the reshape would allow only one image size.
    func withoutRegrouping() -> Graph {
        var graph = self
        let counts = consumerCounts
        var producers = [Int?](repeating: nil, count: types.count)
        for index in nodes.indices {
            for output in nodes[index].outputs { producers[output.index] = index }
            guard nodes[index].operation is Reshape, let inner = producers[nodes[index].inputs[0].index],
                nodes[inner].inputs.count == 1, counts[nodes[index].inputs[0].index] == 1,
                let outer = producers[nodes[inner].inputs[0].index], nodes[outer].operation is Reshape
            else { continue }
            let source = nodes[outer].inputs[0]
            guard
                let moved = nodes[inner].operation.regrouped(
                    self[nodes[inner].inputs[0]].shape, as: self[source].shape, to: self[nodes[index].outputs[0]].shape),
                // In a channels-first graph its axes would have other meanings.
                channelOrder == .channelsLast || !moved.isSpatial
            else { continue }
            graph.nodes[index].operation = moved
            graph.nodes[index].inputs = [source]
        }
        return graph.pruned()
    }
}
