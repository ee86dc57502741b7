/// Searches for the cut that leaves most of a graph without the nodes that cannot be converted: behind them with `--input`,
/// or before them with `--output`. What it finds was tried.
struct CutSearch {
    private let nodes: [NodeDefinition]
    private let outputs: [String]
    /// Per node: whether it cannot be converted or depends on one that cannot; whether it depends on the input.
    private var isTainted: [Bool]
    private var dependsOnInput: [Bool]
    private var reads: [[Int]]
    private let refused: Set<String>
    /// Per node: whether it is the input itself, under whatever name or type.
    private var isInput: [Bool]

    /// Operations that hand on what they read.
    private static let passing: Set<String> = [
        "Identity", "StopGradient", "CheckNumerics", "PreventGradient", "Snapshot", "PlaceholderWithDefault", "Cast",
    ]

    /// How many cuts behind the refused nodes are tried.
    private static let limit = 8

    /// - Parameters:
    ///   - nodes: What the outputs need, each after what it reads.
    ///   - refused: The names of those that cannot be converted.
    init(_ nodes: [NodeDefinition], input: String, outputs: [String], refused: Set<String>) {
        self.nodes = nodes
        self.outputs = outputs
        self.refused = refused
        isTainted = Array(repeating: false, count: nodes.count)
        dependsOnInput = isTainted
        isInput = isTainted
        var places: [String: Int] = [:]
        reads = []
        for (place, node) in nodes.enumerated() {
            reads.append(node.data.compactMap { places[GraphSurvey.Reference($0).node] })
            places[node.name] = place
            isTainted[place] = refused.contains(node.name) || reads[place].contains { isTainted[$0] }
            dependsOnInput[place] = node.name == input || reads[place].contains { dependsOnInput[$0] }
            isInput[place] =
                node.name == input
                || (CutSearch.passing.contains(node.op) && reads[place].first.map { isInput[$0] } ?? false)
        }
    }

    /// The words of the command line that do, or nil where nothing does.
    ///
    /// - Parameters:
    ///   - size: The size of the graph's own input, which what lies before a cut may have kept.
    ///   - convert: Converts with other inputs, outputs and size; gives the number of weights, nil where that fails.
    func words(
        _ size: (width: Int, height: Int)?,
        _ convert: (_ input: String?, _ outputs: [String], _ size: (width: Int, height: Int)?) -> Int?
    ) -> String? {
        var best: (words: String, weights: Int)?
        func offer(_ words: String, _ weights: Int?) {
            if let weights, weights > best?.weights ?? 0 { best = (words, weights) }
        }
        for name in inputs().prefix(CutSearch.limit) {
            if let weights = convert(name, outputs, nil) {
                offer("--input \(name)", weights)
                break
            }
            if let size, let weights = convert(name, outputs, size) {
                // What is refused may be what changes the size, so this is only likely.
                offer("--input \(name) --size \(size.width)x\(size.height) (if it still has that size there)", weights)
                break
            }
        }
        let ends = ends()
        if !ends.isEmpty, ends.count <= 4 {
            offer(ends.map { "--output \($0)" }.joined(separator: " "), convert(nil, ends, nil))
        }
        return best?.words
    }

    /// Nodes behind all refused ones through which everything goes that depends on those, the first of them first.
    private func inputs() -> [String] {
        var lastReader = Array(nodes.indices)
        for (place, sources) in reads.enumerated() { for source in sources { lastReader[source] = place } }
        for (place, node) in nodes.enumerated() where outputs.contains(node.name) { lastReader[place] = nodes.count }
        guard let last = nodes.lastIndex(where: { refused.contains($0.name) }) else { return [] }
        // How many values that depend on refused nodes are read further on.
        var open = 0
        var closing = [Int](repeating: 0, count: nodes.count + 1)
        var found: [String] = []
        for place in nodes.indices {
            open -= closing[place]
            guard isTainted[place], lastReader[place] > place else { continue }
            open += 1
            closing[lastReader[place]] += 1
            if open == 1, place >= last { found.append(nodes[place].name) }
        }
        return found
    }

    /// The values computed from the input that refused nodes read, and the outputs that do not need refused nodes.
    private func ends() -> [String] {
        var ends: [String] = []
        func add(_ place: Int) {
            if dependsOnInput[place], !isInput[place], !isTainted[place], !ends.contains(nodes[place].name) {
                ends.append(nodes[place].name)
            }
        }
        for (place, node) in nodes.enumerated() {
            // What a choice depends on is of no use without the choice.
            let choices =
                switch node.op {
                case "If", "StatelessIf", "Case", "StatelessCase": reads[place].dropFirst()
                case "Switch", "RefSwitch", "_SwitchN": reads[place].dropLast()
                default: reads[place][...]
                }
            if refused.contains(node.name) { choices.forEach(add) }
            if outputs.contains(node.name) { add(place) }
        }
        return ends
    }
}
