/// A drawing of a network, as text that Graphviz's `dot` lays out.
///
/// A box is an operation with the activation after it; an arrow is a tensor with its shape. Nodes that belong together by
/// name, such as an Inception block or a ResNet unit, have a common background. The same model gives the same text.
public struct GraphDrawing: Sendable {
    /// In Graphviz's language (https://graphviz.org/doc/info/lang.html).
    public let dot: String

    /// A drawing of the network.
    /// - Parameter title: The heading of the drawing, such as the model's file name.
    public init(_ model: Model, title: String) {
        let graph = model.graph
        let boxes = Box.all(in: graph)
        var writer = Writer(graph, trunk: Box.trunk(of: boxes, to: graph.outputs.first?.value))
        writer.begin(title)
        for (index, port) in graph.inputs.enumerated() { writer.add(input: port, model.image(at: index)) }
        let scopes = Scopes(boxes)
        var open: String?
        for (index, box) in boxes.enumerated() {
            if scopes.names[index] != open {
                if open != nil { writer.endScope() }
                open = scopes.names[index]
                if let open { writer.begin(scope: open) }
            }
            writer.add(box, index)
        }
        if open != nil { writer.endScope() }
        for index in graph.outputs.indices { writer.add(output: index, of: model) }
        writer.end()
        dot = writer.text
    }

    // MARK: Boxes

    /// Nodes that are drawn as one: an operation, and the activation that is its only consumer.
    struct Box {
        var nodes: [Graph.Node]

        var inputs: [Graph.Value] { nodes[0].inputs }
        var outputs: [Graph.Value] { nodes[nodes.count - 1].outputs }

        /// The boxes of a graph, in the order of its nodes.
        static func all(in graph: Graph) -> [Box] {
            let consumerCounts = graph.consumerCounts
            var boxes: [Box] = []
            var last: [Graph.Value: Int] = [:]
            for node in graph.nodes {
                if node.operation.isActivation, consumerCounts[node.inputs[0].index] == 1,
                    let index = last[node.inputs[0]], boxes[index].nodes.count == 1
                {
                    boxes[index].nodes.append(node)
                    last[node.outputs[0]] = index
                    continue
                }
                boxes.append(Box(nodes: [node]))
                let isFunction = node.operation.family == .activation && node.operation.isElementwise
                if node.outputs.count == 1, !node.inputs.isEmpty, !isFunction {
                    last[node.outputs[0]] = boxes.count - 1
                }
            }
            return boxes
        }

        /// The indices of the boxes on the longest path from an input to `end`. They are drawn below each other, and branches
        /// beside them.
        static func trunk(of boxes: [Box], to end: Graph.Value?) -> Set<Int> {
            var producers: [Graph.Value: Int] = [:]
            var lengths: [Int] = []
            var before: [Int?] = []
            for (index, box) in boxes.enumerated() {
                let inputs = box.inputs.compactMap { producers[$0] }
                // Of paths of equal length, the first.
                let longest = inputs.max { (lengths[$0], $1) < (lengths[$1], $0) }
                before.append(longest)
                lengths.append(1 + (longest.map { lengths[$0] } ?? 0))
                for node in box.nodes { for output in node.outputs { producers[output] = index } }
            }
            var trunk = Set<Int>()
            var next = end.flatMap { producers[$0] }
            while let box = next {
                trunk.insert(box)
                next = before[box]
            }
            return trunk
        }
    }
}

/// The boxes that have a common background, according to the prefixes of their nodes' names.
///
/// A scope is drawn if it has at least three boxes, at most a third of all, and if its boxes are consecutive.
private struct Scopes {
    /// The scope of each box; nil for a box without one.
    private(set) var names: [String?]

    init(_ boxes: [GraphDrawing.Box]) {
        names = Array(repeating: nil, count: boxes.count)
        var prefixes = PrefixTree()
        for box in boxes { prefixes.add(Self.path(of: box)) }
        for (index, box) in boxes.enumerated() {
            let path = Self.path(of: box)
            let length = prefixes.shortestPrefix(of: path) { $0 >= 3 && $0 * 3 <= boxes.count }
            names[index] = length.map { path.prefix($0).joined(separator: "/") }
        }
        removeScattered()
    }

    private static func path(of box: GraphDrawing.Box) -> ArraySlice<Substring> {
        box.nodes[0].name.split(separator: "/").dropLast()
    }

    /// Removes scopes whose boxes are not consecutive in the order of the graph.
    private mutating func removeScattered() {
        var seen = Set<String>()
        var scattered = Set<String>()
        for (index, name) in names.enumerated() {
            guard let name, index == 0 || names[index - 1] != name else { continue }
            if !seen.insert(name).inserted { scattered.insert(name) }
        }
        for index in names.indices where names[index].map(scattered.contains) ?? false { names[index] = nil }
    }
}

/// The number of paths with each prefix. A prefix is stored as its last component and the shorter prefix before it, because
/// names may have thousands of components.
private struct PrefixTree {
    private struct Key: Hashable {
        /// The index of the shorter prefix; -1 for the empty one.
        let parent: Int
        let component: Substring
    }

    private var indices: [Key: Int] = [:]
    private var counts: [Int] = []

    mutating func add(_ path: ArraySlice<Substring>) {
        var parent = -1
        for component in path {
            let key = Key(parent: parent, component: component)
            parent = indices[key] ?? counts.count
            if parent == counts.count {
                indices[key] = parent
                counts.append(0)
            }
            counts[parent] += 1
        }
    }

    /// The length of the shortest prefix, not empty, of an added path whose count meets a condition.
    func shortestPrefix(of path: ArraySlice<Substring>, where condition: (Int) -> Bool) -> Int? {
        var parent = -1
        for (index, component) in path.enumerated() {
            parent = indices[Key(parent: parent, component: component)]!
            if condition(counts[parent]) { return index + 1 }
        }
        return nil
    }
}

// MARK: - The text

/// Writes the text of a drawing.
private struct Writer {
    private(set) var text = ""
    private let graph: Graph
    private let trunk: Set<Int>
    /// The names of the boxes that compute the values.
    private var sources: [Graph.Value: String] = [:]
    private var trunkValues = Set<Graph.Value>()
    private var indent = "  "
    private var scopes = 0

    init(_ graph: Graph, trunk: Set<Int>) { (self.graph, self.trunk) = (graph, trunk) }

    private mutating func line(_ text: String) { self.text += indent + text + "\n" }

    // MARK: The frame

    mutating func begin(_ title: String) {
        text = "digraph network {\n"
        line(
            "graph [rankdir=TB, ranksep=0.32, nodesep=0.28, bgcolor=\"#ffffff\", pad=0.4, labelloc=t, \(font(15)), fontcolor=\"#20252b\"];"
        )
        line(
            "node [shape=box, style=\"filled,rounded\", penwidth=1, height=0.3, margin=\"0.16,0.07\", \(font(12)), fontcolor=\"#20252b\"];"
        )
        line("edge [color=\"#8a94a0\", penwidth=1.1, arrowsize=0.6, \(font(9)), fontcolor=\"#6a7480\"];")
        let facts = "\(Words.count(graph.parameterCount)) parameters, \(Words.count(graph.multiplyAdds)) multiply-adds"
        line(
            "label=<<b>\(title.inMarkup)</b><br/><font point-size=\"11\" color=\"#6a7480\">\(facts)</font><br/> >;"
        )
    }

    mutating func end() { text += "}\n" }

    mutating func begin(scope: String) {
        scopes += 1
        line("subgraph cluster_\(scopes) {")
        indent += "  "
        let name = scope.split(separator: "/").last.map(String.init) ?? scope
        line(
            "graph [style=\"filled,rounded\", color=\"#f1f3f5\", fillcolor=\"#f6f7f9\", margin=12, labeljust=l, \(font(11)), fontcolor=\"#6a7480\", label=<\(name.inMarkup)>, tooltip=\(Words.quoted(scope))];"
        )
    }

    mutating func endScope() {
        indent.removeLast(2)
        line("}")
    }

    private func font(_ size: Int) -> String { "fontname=\"Helvetica,Arial,sans-serif\", fontsize=\(size)" }

    // MARK: Boxes

    mutating func add(input port: Graph.Port, _ image: ImageInput?) {
        let name = "input\(sources.count)"
        sources[port.value] = name
        var lines = [port.name]
        if let image {
            lines += ["\(image.width) × \(image.height) pixels, \(image.color.rawValue)"] + Words.formulas(image)
        }
        box(name, Caption("Input", lines), tooltip: "input \(port.name): \(graph[port.value])")
    }

    mutating func add(_ box: GraphDrawing.Box, _ index: Int) {
        let name = "n\(index)"
        let isTrunk = trunk.contains(index)
        let caption = graph.caption(box.nodes[0])
        let activation = box.nodes.count > 1 ? graph.caption(box.nodes[1]).title : nil
        let weights = box.nodes.reduce(0) { $0 + $1.operation.weights.reduce(0) { $0 + $1.elementCount } }
        let products = box.nodes.reduce(0) { $0 + graph.multiplyAdds(of: $1) }
        var facts = box.nodes.map(\.name)
        if weights > 0 { facts.append("\(Words.count(weights)) parameters") }
        if products > 0 { facts.append("\(Words.count(products)) multiply-adds") }
        self.box(
            name, caption, activation, .operation(box.nodes[0].operation.family),
            tooltip: facts.joined(separator: "\n"), isTrunk: isTrunk)
        for value in box.outputs { sources[value] = name }
        for value in box.outputs where isTrunk { trunkValues.insert(value) }
        // A box with one input is placed near its producer; a box that joins several may be far from them.
        for input in box.inputs {
            let isTrunk = isTrunk && trunkValues.contains(input)
            arrow(input, to: name, weight: isTrunk ? 20 : box.inputs.count == 1 ? 4 : 1)
        }
    }

    mutating func add(output index: Int, of model: Model) {
        let port = graph.outputs[index]
        let name = "output\(index)"
        var lines = [port.name.split(separator: "/").last.map(String.init) ?? port.name]
        if index == 0, let labels = model.classifier?.labels {
            lines += ["\(Words.count(labels.count)) classes", "\(labels[0]) … \(labels[labels.count - 1])"]
        } else if let image = model.imageOutput, image.index == index {
            lines += ["\(image.form.width) × \(image.form.height) pixels, \(image.color.rawValue)"]
        }
        box(name, Caption("Output", lines), tooltip: "output \(port.name): \(graph[port.value])")
        arrow(port.value, to: name)
    }

    private mutating func box(
        _ name: String, _ caption: Caption, _ activation: String? = nil, _ color: BoxColor = .border, tooltip: String,
        isTrunk: Bool = true
    ) {
        var label = "<b>\(caption.title.inMarkup)</b>"
        func line(_ text: String, _ color: String) {
            label += "<br/><font point-size=\"10\" color=\"\(color)\">\(text.inMarkup)</font>"
        }
        for text in caption.details { line(text, "#4a545e") }
        if let activation { line("+ " + activation, "#9a6700") }
        self.line(
            "\(name) [label=<\(label)>, fillcolor=\"\(color.fill)\", color=\"\(color.edge)\", \(isTrunk ? "group=trunk, " : "")tooltip=\(Words.quoted(tooltip))];"
        )
    }

    private mutating func arrow(_ value: Graph.Value, to name: String, weight: Int = 1) {
        line("\(sources[value]!) -> \(name) [label=\" \(Words.shape(graph[value])) \", weight=\(weight)];")
    }
}
