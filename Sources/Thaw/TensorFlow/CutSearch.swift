/// Searches for the cut that keeps most of a graph without the nodes that cannot be converted: after them with the
/// option `input`, or before them with `outputs`. Every suggestion has been tried.
struct CutSearch {
    private let nodes: [NodeDefinition]
    private let outputs: [String]
    /// For each node, whether it is refused or depends on a refused one, and whether it depends on the input.
    private var isTainted: [Bool]
    private var dependsOnInput: [Bool]
    /// Whether it depends on the input through a layer with weights, so that no image can replace it.
    private var isPastLayer: [Bool]
    private var reads: [[Int]]
    private let refused: Set<String>
    /// For each node, whether it is the input itself, possibly with another name or type.
    private var isInput: [Bool]

    /// The number of cuts after the refused nodes that are tried.
    private static let limit = 8

    /// - Parameters:
    ///   - nodes: The nodes that the outputs need, in topological order.
    ///   - refused: The names of the nodes that cannot be converted.
    init(_ nodes: [NodeDefinition], input: String, outputs: [String], refused: Set<String>) {
        self.nodes = nodes
        self.outputs = outputs
        self.refused = refused
        isTainted = Array(repeating: false, count: nodes.count)
        (dependsOnInput, isPastLayer, isInput) = (isTainted, isTainted, isTainted)
        var indices: [String: Int] = [:]
        reads = []
        for (index, node) in nodes.enumerated() {
            reads.append(node.data.compactMap { indices[GraphIndex.Reference($0).node] })
            indices[node.name] = index
            isTainted[index] = refused.contains(node.name) || reads[index].contains { isTainted[$0] }
            dependsOnInput[index] = node.name == input || reads[index].contains { dependsOnInput[$0] }
            isPastLayer[index] =
                dependsOnInput[index] && (node.has(.layer) || reads[index].contains { isPastLayer[$0] })
            isInput[index] =
                node.name == input
                || (node.has([.identity, .cast]) && reads[index].first.map { isInput[$0] } ?? false)
        }
    }

    /// The options of the best cut, or nil if there is none.
    ///
    /// - Parameters:
    ///   - size: The size of the graph's own input, which nodes before a cut may have kept.
    ///   - convert: Converts with other inputs, outputs and size; returns the number of weights, or nil on failure.
    func optionsText(
        _ size: ImageSize?,
        _ convert: (_ input: String?, _ outputs: [String], _ size: ImageSize?) -> Int?
    ) -> Phrase? {
        var best: (optionsText: Phrase, weights: Int)?
        func offer(_ optionsText: Phrase, _ weights: Int?) {
            if let weights, weights > best?.weights ?? 0 { best = (optionsText, weights) }
        }
        for name in inputs().prefix(CutSearch.limit) {
            if let weights = convert(name, outputs, nil) {
                offer("\(option: .input) \(name)", weights)
                break
            }
            if let size, let weights = convert(name, outputs, size) {
                // A refused node may change the size, so this is only likely.
                let text = "\(size.optionText) (if it still has that size there)"
                offer("\(option: .input) \(name) \(option: .size) \(text)", weights)
                break
            }
        }
        let ends = ends()
        if !ends.isEmpty, ends.count <= 4 {
            offer(ends.map { "\(option: .outputs) \($0)" }.joined(separator: " "), convert(nil, ends, nil))
        }
        return best?.optionsText
    }

    /// Nodes after all refused ones that every value that depends on those passes through, in topological order.
    private func inputs() -> [String] {
        var lastConsumer = Array(nodes.indices)
        for (index, sources) in reads.enumerated() { for source in sources { lastConsumer[source] = index } }
        for (index, node) in nodes.enumerated() where outputs.contains(node.name) { lastConsumer[index] = nodes.count }
        guard let last = nodes.lastIndex(where: { refused.contains($0.name) }) else { return [] }
        // The number of values that depend on refused nodes and are still read later.
        var open = 0
        var closing = [Int](repeating: 0, count: nodes.count + 1)
        var found: [String] = []
        for index in nodes.indices {
            open -= closing[index]
            guard isTainted[index], lastConsumer[index] > index else { continue }
            open += 1
            closing[lastConsumer[index]] += 1
            if open == 1, index >= last, !isPastLayer[index] { found.append(nodes[index].name) }
        }
        return found
    }

    /// The values computed from the input that refused nodes read, and the outputs that do not need refused nodes.
    private func ends() -> [String] {
        var ends: [String] = []
        func add(_ index: Int) {
            if dependsOnInput[index], !isInput[index], !isTainted[index], !ends.contains(nodes[index].name) {
                ends.append(nodes[index].name)
            }
        }
        for (index, node) in nodes.enumerated() {
            // The predicate of a condition is useless without the condition.
            let choices =
                node.has(.condition)
                ? reads[index].dropFirst()
                : node.has([.switching, .selecting]) ? reads[index].dropLast() : reads[index][...]
            if refused.contains(node.name) { choices.forEach(add) }
            if outputs.contains(node.name) { add(index) }
        }
        return ends
    }
}
