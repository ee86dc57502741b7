/// Finds a batch size that is fixed inside a graph whose input leaves it open: an input [?, 3] plus a constant [4, 3].
///
/// TensorFlow runs such a graph with a batch of that size, or repeats a single item. Run item by item, it would return
/// the whole batch for each.
enum FixedBatch {
    /// A node that returns the whole batch, and the batch size.
    struct Finding {
        var node: String
        var batch: Int
    }

    /// - Parameters:
    ///   - graph: The graph imported with a batch of one.
    ///   - convert: Imports it with another batch; nil if that fails.
    static func find(in graph: Graph, import convert: (_ batch: Int) -> Graph?) -> Finding? {
        var tried: [Int: Graph?] = [:]
        for node in graph.nodes {
            for batch in graph.growth(of: node).sorted() {
                let other = tried[batch] ?? convert(batch)
                tried.updateValue(other, forKey: batch)
                guard let other, let counterpart = other.nodes.first(where: { $0.name == node.name }),
                    counterpart.inputs.count == node.inputs.count, counterpart.outputs.count == node.outputs.count
                else { continue }
                // A node whose output for one item is as large as for many has repeated the item.
                let readsMore = zip(node.inputs, counterpart.inputs).contains { graph[$0].shape != other[$1].shape }
                let givesMore = zip(node.outputs, counterpart.outputs).contains { graph[$0].shape != other[$1].shape }
                if readsMore, !givesMore { return Finding(node: node.name, batch: batch) }
            }
        }
        return nil
    }
}

extension Graph {
    /// The sizes that axes of one element, which may be the batch, grow to in a node that broadcasts.
    fileprivate func growth(of node: Node) -> Set<Int> {
        let result = self[node.outputs[0]].shape
        func growth(_ shape: Shape, along axes: some Sequence<Int>) -> [Int] {
            axes.filter { axis in
                let shapeAxis = axis - (result.rank - shape.rank)
                return shapeAxis >= 0 && shape[shapeAxis] == 1 && result[axis] > 1
            }.map { result[$0] }
        }
        guard node.operation.broadcasts else { return [] }
        // With two tensors, only the first axis counts: per-channel gates grow along the others in many networks.
        let axes = node.operation.weights.isEmpty ? 0..<min(1, result.rank) : 0..<result.rank
        return Set(node.inputs.flatMap { growth(self[$0].shape, along: axes) })
    }
}
