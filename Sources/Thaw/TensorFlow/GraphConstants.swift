/// Values of a TensorFlow graph that depend only on its constants, computed on request.
struct GraphConstants {
    private let graph: GraphIndex
    private var context = ImportContext()
    private var known: [String: [Tensor]?] = [:]

    init(_ graph: GraphIndex) { self.graph = graph }

    /// The most nodes that a value may depend on: predicates and sizes depend on few.
    private static let limit = 1000

    /// The value of `input`, or nil if it depends on a placeholder, or on something that cannot be computed.
    mutating func value(_ input: String) -> Tensor? {
        let reference = GraphIndex.Reference(input)
        guard
            let order = try? graph.order(
                from: [reference.node], stoppingAt: { known[$0] != nil }, limit: Self.limit)
        else { return nil }
        for index in order {
            let node = graph.nodes[index]
            // Assigning nil to a subscript would remove the entry, so this uses `updateValue`.
            if known[node.name] == nil { known.updateValue(results(of: node), forKey: node.name) }
        }
        guard let results = known[reference.node] ?? nil, results.indices.contains(reference.output) else { return nil }
        return results[reference.output]
    }

    /// The value of `input` as integers; nil also if there are more of them than shapes and lists of sizes have.
    mutating func integers(_ input: String) -> [Int]? {
        guard let value = value(input), value.elementCount <= TensorFlowNode.maximumIntegers else { return nil }
        return value.integers
    }

    /// The sizes of a reshape's result after the batch, from its input `input`; nil unless all of them are known.
    mutating func sizesAfterBatch(_ input: String) -> [Int]? {
        let sizes: [Int]
        if let known = integers(input) {
            guard known.count == 1 || known.first.map({ [-1, 1].contains($0) }) == true else { return nil }
            sizes = known.count == 1 ? known : Array(known.dropFirst())
        } else {
            // The sizes after a batch size that is computed from the input.
            guard let pack = graph.producer(of: input), pack.has(.pack), pack.data.count > 1 else {
                return nil
            }
            sizes = pack.data.dropFirst().map { integers($0)?.first ?? -1 }
        }
        return sizes.allSatisfy { $0 > 0 } ? sizes : nil
    }

    private mutating func results(of node: NodeDefinition) -> [Tensor]? {
        guard let rule = Operations.tensorFlow[node.op] else { return nil }
        let references = node.data.map { GraphIndex.Reference($0) }
        var inputs: [Operand] = []
        for reference in references {
            guard let results = known[reference.node] ?? nil, results.indices.contains(reference.output) else {
                return nil
            }
            inputs.append(.constant(results[reference.output]))
        }
        let results = try? rule.build(TensorFlowNode(definition: node, inputs: inputs), &context)
        if !inputs.isEmpty, (try? context.count(results ?? [], from: inputs)) == nil { return nil }
        let tensors = results?.compactMap(\.constant)
        return tensors?.count == results?.count ? tensors : nil
    }
}
