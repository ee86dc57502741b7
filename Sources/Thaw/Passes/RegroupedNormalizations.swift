extension Graph {
    /// Applies normalizations that are enclosed in two reshapes, which only regroup axes, directly to the original
    /// tensor.
    ///
    /// Keras reshapes the input of a layer normalization to [1, rows, width, 1] in order to use the batch
    /// normalization kernel. A whole image would become one tall channel in Core ML.
    func withoutRegrouping() -> Graph {
        var graph = self
        let counts = consumerCounts
        var producers = [Int?](repeating: nil, count: types.count)
        for index in nodes.indices {
            for output in nodes[index].outputs { producers[output.index] = index }
            guard nodes[index].operation is Reshape, let inner = producers[nodes[index].inputs[0].index],
                let normalization = nodes[inner].operation as? Normalization,
                counts[nodes[index].inputs[0].index] == 1,
                let outer = producers[nodes[inner].inputs[0].index], nodes[outer].operation is Reshape
            else { continue }
            let source = nodes[outer].inputs[0]
            guard self[source] == self[nodes[index].outputs[0]],
                let moved = normalization.regrouped(from: self[nodes[inner].inputs[0]].shape, to: self[source].shape)
            else { continue }
            graph.nodes[index].operation = moved
            graph.nodes[index].inputs = [source]
        }
        return graph.pruned()
    }
}

extension Normalization {
    /// The same normalization on another shape with the same elements, if it normalizes contiguous rows.
    fileprivate func regrouped(from: Shape, to: Shape) -> Normalization? {
        guard weights.allSatisfy({ $0.elementCount == 1 }) else { return nil }
        let long = from.indices.filter { from[$0] != 1 }
        let reduced = long.filter(axes.contains)
        let width = reduced.reduce(1) { $0 * from[$1] }
        guard !reduced.isEmpty, reduced == Array(long.suffix(reduced.count)),
            let first = to.indices.last(where: { to[$0...].reduce(1, *) == width })
        else { return nil }
        var copy = self
        copy.axes = Array(first..<to.rank)
        return copy
    }
}
