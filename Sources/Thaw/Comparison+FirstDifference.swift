/// Finds the first value that differs between two models.
///
/// Values are matched by the names of the nodes that compute them. Converters keep names as far as the format allows, and
/// a node into which others were folded has the name of the last. The cause may therefore be an unmatched value shortly
/// before the reported one, but no earlier matched value.
extension Comparison {
    /// A value of the first model's graph with its counterpart in the second's.
    private struct Pair {
        let value: Graph.Value
        let counterpart: Graph.Value
        let node: String
        let operation: String
    }

    /// The first value, in the order of the first model's graph, that differs by more than the tolerance on this image.
    ///
    /// - Parameter largest: The largest difference at the outputs, which is the result if nothing before them differs.
    /// - Throws: `Failure` if the engine cannot keep all values in memory at once.
    func firstDifference(
        _ pixels: Pixels, _ largest: (difference: Difference, image: String, output: String)
    ) throws -> NodeDifference {
        if let input = differingInput(pixels, largest.image) { return input }
        var found: NodeDifference?
        try forEachPair(pixels) { pair, difference in
            guard found == nil else { return }
            let value = difference()
            guard !(value.relative <= tolerance) else { return }
            found = NodeDifference(
                node: pair.node, operation: pair.operation, difference: value, image: largest.image)
        }
        return found
            ?? NodeDifference(
                node: largest.output, operation: "output", difference: largest.difference, image: largest.image)
    }

    /// The differences of all values that both models have, in the order of the first model's graph.
    /// - Throws: `Failure` if the engine cannot keep all values in memory at once.
    func layerDifferences(_ pixels: Pixels, _ image: String) throws -> [NodeDifference] {
        var layers: [NodeDifference] = []
        try forEachPair(pixels) { pair, difference in
            layers.append(
                NodeDifference(node: pair.node, operation: pair.operation, difference: difference(), image: image))
        }
        return layers
    }

    /// Runs both models on an image, and calls `body` for each value that both have.
    private func forEachPair(_ pixels: Pixels, _ body: (Pair, () -> Difference) -> Void) throws {
        let pairs = self.pairs()
        var graph = second.graph
        graph.outputs = pairs.map { Graph.Port(name: $0.node, value: $0.counterpart) }
        let executor = Executor(try Program(graph, precision: program.precision))
        load(pixels, into: executor)
        try executor.run()

        let indices = Dictionary(pairs.enumerated().map { ($1.value, $0) }) { first, _ in first }
        _ = try first.graph.evaluate([input(of: first, pixels)]) { node, results in
            for (value, expected) in zip(node.outputs, results) {
                guard let index = indices[value] else { continue }
                body(pairs[index]) { Comparison.difference(expected, executor.output(at: index)) }
            }
        }
    }

    /// The image input itself, if the two models scale the image differently.
    private func differingInput(_ pixels: Pixels, _ path: String) -> NodeDifference? {
        let sides = [first, second].map { Side(graph: $0.graph, image: $0.image, scaling: $0.image.scaling) }
        let inputs = sides.map { input(of: $0, pixels).floats }
        let difference = Difference(inputs[0], inputs[1])
        guard !(difference.relative <= tolerance) else { return nil }
        return NodeDifference(node: second.image.name, operation: "image input", difference: difference, image: path)
    }

    /// The values that appear in both graphs, and the outputs.
    private func pairs() -> [Pair] {
        let values = Comparison.named(first.graph)
        let counterparts = Comparison.named(second.graph, known: values)
        var pairs = values.compactMap { key, named in
            counterparts[key].flatMap { counterpart -> Pair? in
                let shapes = [first.graph[named.value].shape, second.graph[counterpart.value].shape]
                guard shapes[0].sorted().filter({ $0 != 1 }) == shapes[1].sorted().filter({ $0 != 1 }) else {
                    return nil
                }
                return Pair(
                    value: named.value, counterpart: counterpart.value, node: named.node,
                    operation: counterpart.operation.kind)
            }
        }
        let known = Set(pairs.map(\.value))
        for (port, other) in zip(first.graph.outputs, second.graph.outputs) where !known.contains(port.value) {
            pairs.append(
                Pair(
                    value: port.value, counterpart: other.value, node: port.name,
                    operation: "output"))
        }
        return pairs.sorted(on: \.value.index)
    }

    private typealias Named = [String: (value: Graph.Value, node: String, operation: any Operation)]

    /// The values that nodes compute, by the nodes' names in characters that every format allows. Names that are no longer
    /// unique are omitted.
    ///
    /// - Parameter known: The names of the other graph. If a layer is read as several nodes, all names but the first get a
    ///   numeric suffix. The last of these nodes has the layer's value; the one with weights has its operation.
    private static func named(_ graph: Graph, known: Named? = nil) -> Named {
        var result: Named = [:]
        var owners: [String: String] = [:]
        for node in graph.nodes where !node.inputs.isEmpty {
            for (index, value) in node.outputs.enumerated() {
                var name = index == 0 ? node.name : "\(node.name):\(index)"
                if let known, known[featureName(name)] == nil { name = withoutSuffix(name) }
                let key = featureName(name)
                let isDistinct = owners.updateValue(name, forKey: key).map { $0 == name && known != nil } ?? true
                let before = result[key]?.operation
                let operation = before?.weights.isEmpty == false ? before! : node.operation
                result[key] = isDistinct ? (value, node.name, operation) : nil
            }
        }
        return result
    }

    /// `name` without a numeric suffix such as `_1`.
    private static func withoutSuffix(_ name: String) -> String {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let rest = name.dropLast(digits)
        return digits > 0 && rest.last == "_" ? String(rest.dropLast()) : name
    }

    /// The difference of two values. If their axes are in different orders, the permutation with the smallest difference
    /// counts.
    private static func difference(_ a: Tensor, _ b: Tensor) -> Difference {
        let shape = Shape(a.shape.filter { $0 != 1 })
        let other = b.reshaped(Shape(b.shape.filter { $0 != 1 }))
        if shape == other.shape { return Difference(a.floats, b.floats) }
        let candidates = orders(shape.rank).filter { other.shape.permuted($0) == shape }
        return candidates.map { Difference(a.floats, other.transposed($0).floats) }.min { $0.absolute < $1.absolute }!
    }

    /// All permutations of this many axes.
    private static func orders(_ count: Int) -> [[Int]] {
        (0..<count).reduce([[]]) { orders, _ in
            orders.flatMap { order in (0..<count).filter { !order.contains($0) }.map { order + [$0] } }
        }
    }
}
