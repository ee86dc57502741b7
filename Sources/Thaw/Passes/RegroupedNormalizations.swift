extension Graph {
    /// The graph with normalisations that stand between two reshapes, which only regroup an array's axes for them, done to
    /// the array itself.
    ///
    /// Keras lays a layer normalisation out as [1, rows, width, 1] for the sake of a batch normalisation's kernel; a whole
    /// image becomes one tall channel in Core ML.
    func withoutRegrouping() -> Graph {
        var graph = self
        let readers = readerCounts
        var producers = [Int?](repeating: nil, count: types.count)
        for index in nodes.indices {
            for output in nodes[index].outputs { producers[output.index] = index }
            guard nodes[index].operation is Reshape, let inner = producers[nodes[index].inputs[0].index],
                let normalization = nodes[inner].operation as? Normalization,
                readers[nodes[index].inputs[0].index] == 1,
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
    /// The same on an array of another shape with the same elements, where it takes rows of memory together.
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
