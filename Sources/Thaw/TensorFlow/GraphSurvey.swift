/// A TensorFlow graph looked through by name: who reads whom, what is an input, what an output.
struct GraphSurvey {
    let nodes: [NodeDefinition]
    private let places: [String: Int]

    /// - Throws: `Failure` for two nodes of one name, and for a node that reads one that does not exist.
    init(_ nodes: [NodeDefinition]) throws {
        self.nodes = nodes
        var places: [String: Int] = [:]
        places.reserveCapacity(nodes.count)
        for (place, node) in nodes.enumerated() {
            guard places.updateValue(place, forKey: node.name) == nil else { throw Failure.nodeStandsTwice(node.name) }
        }
        self.places = places
    }

    /// A node's input, taken apart: the node it comes from and which of its outputs.
    struct Reference: Hashable {
        var node: String
        var output = 0
        var isControl = false

        init(_ text: String) {
            if text.hasPrefix("^") {
                node = String(text.dropFirst())
                isControl = true
            } else if let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...]),
                number >= 0
            {
                node = String(text[..<colon])
                output = number
            } else {
                node = text
            }
        }
    }

    func node(_ name: String) -> NodeDefinition? { places[name].map { nodes[$0] } }

    /// The node with this name, as a user gave it (`name` or `name:0`).
    /// - Throws: `Failure` with the nearest name there is.
    func named(_ text: String, option: String) throws -> Reference {
        let reference = Reference(text)
        guard places[reference.node] != nil else {
            throw Failure.noSuchNode(
                reference.node, option, nearest: nearest(to: reference.node, in: nodes.map(\.name)))
        }
        return reference
    }

    // MARK: Outputs

    /// Operations that read values only to train, to save or to report.
    private static let leftovers: Set<String> = [
        "NoOp", "Assert", "Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp",
        "AssignSubVariableOp",
        "SaveV2", "RestoreV2", "SaveSlices", "RestoreSlice", "MergeV2Checkpoints", "ShardedFilename", "MergeSummary",
        "ScalarSummary", "HistogramSummary", "ImageSummary", "TensorSummary", "TensorSummaryV2", "Print", "PrintV2",
        "ApplyGradientDescent", "ApplyMomentum", "ApplyAdam", "ApplyRMSProp", "ApplyAdagrad",
        "ResourceApplyGradientDescent",
        "ResourceApplyMomentum", "ResourceApplyAdam", "ResourceApplyKerasMomentum", "ResourceApplyRMSProp", "InTopK",
        "InTopKV2",
        "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "L2Loss",
    ]

    private static let sources: Set<String> = [
        "Const", "Placeholder", "PlaceholderV2", "VariableV2", "Variable", "VarHandleOp",
    ]

    /// The outputs that show themselves: nodes that depend on a placeholder and that nobody reads, what only training,
    /// saving and reporting read counting as unread.
    func outputs() throws -> [String] {
        var isLeftover = [Bool](repeating: false, count: nodes.count)
        var dependsOnInput = [Bool](repeating: false, count: nodes.count)
        for place in try order(from: nodes.map(\.name), stoppingAt: []) {
            let node = nodes[place]
            let data = node.inputs.map { Reference($0) }.filter { !$0.isControl }.compactMap { places[$0.node] }
            isLeftover[place] = GraphSurvey.leftovers.contains(node.op) || data.contains { isLeftover[$0] }
            dependsOnInput[place] = node.op.hasPrefix("Placeholder") || data.contains { dependsOnInput[$0] }
        }
        var isRead = [Bool](repeating: false, count: nodes.count)
        for (place, node) in nodes.enumerated() where !isLeftover[place] {
            for input in node.inputs { places[Reference(input).node].map { isRead[$0] = true } }
        }
        return nodes.indices.filter {
            !isRead[$0] && !isLeftover[$0] && dependsOnInput[$0] && !GraphSurvey.sources.contains(nodes[$0].op)
        }.map { nodes[$0].name }
    }

    // MARK: Cutting

    /// The places of the nodes that these need, each after what it reads; `stops` are taken without what they read.
    /// - Throws: `Failure` for a circle, and for a node that reads one that does not exist.
    func order(from names: [String], stoppingAt stops: Set<String>) throws -> [Int] {
        enum State { case new, entered, done }
        var states = [State](repeating: .new, count: nodes.count)
        var order: [Int] = []
        for name in names {
            guard let start = places[name] else { continue }
            var stack = [(place: start, next: 0)]
            while let (place, next) = stack.last {
                if states[place] == .done {
                    stack.removeLast()
                    continue
                }
                states[place] = .entered
                let inputs = stops.contains(nodes[place].name) ? [] : nodes[place].inputs
                if next == inputs.count {
                    states[place] = .done
                    order.append(place)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let reference = Reference(inputs[next])
                if reference.isControl { continue }
                guard let input = places[reference.node] else {
                    throw Failure.readsMissingNode(nodes[place].name, nodes[place].op, reference.node)
                }
                switch states[input] {
                case .new: stack.append((input, 0))
                case .entered: throw Failure.circle(nodes[input].name, nodes[input].op)
                case .done: break
                }
            }
        }
        return order
    }
}
