/// A graph with its nodes in topological order, for searches that follow its edges.
struct TopologicalGraph {
    let index: GraphIndex
    /// The indices of all nodes, each after those that it reads, except in loops.
    let order: [Int]
    /// For each node, the indices of the nodes that it reads.
    let sources: [[Int]]

    /// - Throws: `Failure` for a cycle, and for a node that reads one that does not exist.
    init(_ index: GraphIndex) throws {
        self.index = index
        order = try index.order(from: index.nodes.map(\.name))
        sources = index.nodes.indices.map(index.sources)
    }

    /// For each node, whether it reads one of certain values, or depends on a node that does.
    ///
    /// - Parameters:
    ///   - isStart: Whether a value is one of them.
    ///   - passes: Whether a node counts. A node that depends on the values only through others does not.
    func reached(
        from isStart: (GraphIndex.Reference) -> Bool, through passes: (NodeDefinition) -> Bool = { _ in true }
    ) -> [Bool] {
        var isReached = [Bool](repeating: false, count: index.nodes.count)
        for node in order where passes(index.nodes[node]) {
            isReached[node] = index.data[node].contains(where: isStart) || sources[node].contains { isReached[$0] }
        }
        return isReached
    }
}
