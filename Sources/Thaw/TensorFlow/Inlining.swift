/// A TensorFlow graph in which calls are replaced by the bodies of functions, and known conditions by the selected branch.
/// Conditions that depend on sizes, which the importer will know, are replaced by all their branches between switches and
/// merges.
///
/// Calls are PartitionedCall and StatefulPartitionedCall, nodes whose operation is a function's name, and loops over the encoded
/// images of a batch. The nodes of a body are prefixed with the call's name: `call/convolution`. Nothing recurses: pending calls
/// are kept in a list.
struct Inlining {
    /// The nodes without calls.
    private(set) var nodes: [NodeDefinition] = []
    /// The nodes that decided conditions.
    private(set) var deciding: Set<String> = []
    /// The replacements of a call's outputs. The first output is a node with the call's own name instead.
    private var aliases: [String: String] = [:]

    private let functions: [String: FunctionDefinition]
    private var usedNames: Set<String>
    private var pending: [Pending] = []
    /// The approximate size of the inlined bodies in bytes.
    private var size = 0

    /// The maximum depth of nested calls.
    private static let depthLimit = 64
    /// The maximum size of the inlined bodies: a malicious library doubles with every function.
    private static let sizeLimit = 1 << 25

    private struct Pending {
        var node: NodeDefinition
        /// The functions whose bodies contain it, the outermost first.
        var callers: [String]
    }

    /// The graph without calls, with its index: that of the graph itself if there is nothing to inline.
    /// - Throws: `Failure` for two nodes with the same name.
    func graph(of graph: GraphIndex) throws -> GraphIndex { functions.isEmpty ? graph : try GraphIndex(nodes) }

    /// - Throws: `Failure` for functions that are recursive, missing, or too large.
    init(_ graph: GraphDefinition) throws {
        functions = graph.functions.firstByKey(\.name)
        usedNames = Set(graph.nodes.map(\.name))
        guard !functions.isEmpty else {
            nodes = graph.nodes
            return
        }
        pending = graph.nodes.reversed().map { Pending(node: $0, callers: []) }
        var conditions: [Pending] = []
        repeat {
            while let next = pending.popLast() {
                if next.node.has(.condition) {
                    conditions.append(next)
                } else if let name = function(of: next.node) ?? bodyOfMap(next.node) {
                    try expand(next, name)
                } else {
                    nodes.append(next.node)
                }
            }
            conditions = try takeBranches(conditions)
        } while !pending.isEmpty
        nodes += conditions.map(\.node)
        nodes = try resolvedNodes()
    }

    /// The nodes so far with outputs of calls replaced.
    private func resolvedNodes() throws -> [NodeDefinition] {
        try nodes.map { node in
            var node = node
            node.inputs = try node.inputs.map(resolved)
            return node
        }
    }

    /// The reference with outputs of calls replaced.
    /// - Throws: `Failure` for circular calls.
    func resolved(_ text: String) throws -> String {
        var text = text
        var steps = 0
        while let target = aliases[text] {
            text = target
            steps += 1
            guard steps <= aliases.count else {
                throw Failure.cycle(GraphIndex.Reference(text).node, "PartitionedCall")
            }
        }
        return text
    }

    // MARK: Calls

    private func function(of node: NodeDefinition) -> String? {
        if functions[node.op] != nil { return node.op }
        return node.has(.call) ? node.function("f") : nil
    }

    /// The body of a loop over strings. These are the encoded images of a batch, so it runs once for one image.
    private func bodyOfMap(_ node: NodeDefinition) -> String? {
        guard node.has(.loop), let name = node.function("body"), let body = functions[name] else { return nil }
        let readsFiles = body.nodes.contains { $0.op == "TensorListGetItem" && $0.type("element_dtype") == .string }
        return readsFiles ? name : nil
    }

    /// Replaces a call by the body of its function.
    private mutating func expand(_ call: Pending, _ name: String) throws {
        try naming(location: "\(call.node.name) (\(call.node.op))") {
            let function = try callee(name, of: call)
            let body = try FunctionBody(of: function, calledBy: call.node, functions, &usedNames)
            try appendNodes(of: body, call)
            try appendResults(of: body, call.node)
        }
    }

    /// The function that is called.
    /// - Throws: `Failure` if it is missing or recursive, or gets too few or too many arguments.
    private func callee(_ name: String, of call: Pending) throws -> FunctionDefinition {
        guard let function = functions[name] else { throw Failure.noSuchFunction(name) }
        guard !call.callers.contains(name) else { throw Failure.recursiveFunction(name) }
        guard call.callers.count < Inlining.depthLimit else { throw Failure.functionsTooDeep(Inlining.depthLimit) }
        let count = call.node.data.count
        guard count == function.inputs.count else { throw Failure.argumentCount(name, count, function.inputs.count) }
        return function
    }

    private mutating func appendNodes(of body: FunctionBody, _ call: Pending) throws {
        let callers = call.callers + [body.function.name]
        for node in body.function.nodes {
            let node = try body.renamed(node)
            size += node.name.utf8.count + node.inputs.reduce(100) { $0 + $1.utf8.count }
            guard size <= Inlining.sizeLimit else { throw Failure.functionsTooLarge(Inlining.sizeLimit) }
            pending.append(Pending(node: node, callers: callers))
        }
    }

    private mutating func appendResults(of body: FunctionBody, _ call: NodeDefinition) throws {
        for (index, output) in body.function.outputs.enumerated() {
            guard let result = try body.function.results[output].flatMap(body.reference) else {
                throw Failure.missingInFunction(body.function.name, output)
            }
            if index == 0 {
                nodes.append(.identity(call.name, of: result))
            } else {
                aliases["\(call.name):\(index)"] = result
            }
        }
    }

    // MARK: Conditions

    /// Replaces conditions by calls if their predicate is known, or will be known with the sizes. Returns the others.
    private mutating func takeBranches(_ conditions: [Pending]) throws -> [Pending] {
        guard !conditions.isEmpty else { return [] }
        let graph = try GraphIndex(resolvedNodes())
        let sizes = graph.sizes
        var constants = GraphConstants(graph)
        var open: [Pending] = []
        for condition in conditions {
            guard let predicate = try condition.node.inputs.first.map(resolved) else {
                open.append(condition)
                continue
            }
            guard let value = constants.value(predicate), value.elementCount == 1 else {
                let isOfSizes = graph.follows(predicate, from: sizes)
                if !isOfSizes || !addSwitches(condition, predicate) { open.append(condition) }
                continue
            }
            deciding.formUnion(try graph.nodes(neededBy: [GraphIndex.Reference(predicate).node]).map(\.name))
            var call = condition
            call.node.op = "PartitionedCall"
            call.node.inputs.removeFirst()
            call.node.attributes = condition.node.branch(of: value).map { ["f": $0] } ?? [:]
            pending.append(call)
        }
        return open
    }

    /// Replaces a condition by calls of all branches. Switches pass the inputs to the calls. The results also pass switches
    /// before the merges, because a branch may return constants.
    /// - Returns: Whether all branches exist.
    private mutating func addSwitches(_ condition: Pending, _ predicate: String) -> Bool {
        let node = condition.node
        var branches: [(attribute: Attribute, outputs: Int, call: String)] = []
        for branch in node.branches {
            guard case .function(let name)? = branch, let function = functions[name] else { return false }
            branches.append((.function(name), function.outputs.count, usedNames.insertUnique(node.name + "/" + name)))
        }
        let choice = node.has(.indexedCondition) ? "_SwitchN" : "Switch"
        func side(_ branch: Int, of name: String) -> String { branch == 0 ? name : "\(name):\(branch)" }
        func addSwitch(_ input: String) -> String {
            let name = usedNames.insertUnique(node.name + "/switch")
            nodes.append(
                NodeDefinition(
                    name: name, op: choice, inputs: [input, predicate],
                    attributes: ["num_outs": .int(branches.count)]))
            return name
        }
        let inputs = node.data.dropFirst().map { addSwitch($0) }
        for (index, branch) in branches.enumerated() {
            var call = condition
            call.node = NodeDefinition(
                name: branch.call, op: "PartitionedCall", inputs: inputs.map { side(index, of: $0) },
                attributes: ["f": branch.attribute])
            pending.append(call)
        }
        for output in 0..<(branches.map(\.outputs).min() ?? 0) {
            let results = branches.enumerated().map { index, branch in
                side(index, of: addSwitch(side(output, of: branch.call)))
            }
            let name = output == 0 ? node.name : usedNames.insertUnique(node.name + "/merge")
            nodes.append(NodeDefinition(name: name, op: "Merge", inputs: results))
            if output > 0 { aliases["\(node.name):\(output)"] = name }
        }
        return true
    }
}

extension GraphIndex {
    /// The most nodes that a predicate may depend on.
    private static let predicateLimit = 1000

    /// The names of the nodes that return sizes.
    fileprivate var sizes: Set<String> {
        Set(nodes.lazy.filter { $0.has(.size) }.map(\.name))
    }

    /// Whether a value depends only on constants and on these sizes.
    fileprivate func follows(_ text: String, from sizes: Set<String>) -> Bool {
        guard
            let order = try? order(
                from: [Reference(text).node], stoppingAt: sizes.contains, limit: GraphIndex.predicateLimit)
        else { return false }
        return order.allSatisfy { index in
            let node = nodes[index]
            return node.has(.constant) || !node.data.isEmpty
        }
    }
}

extension NodeDefinition {
    /// The branches of a condition, by index.
    fileprivate var branches: [Attribute?] {
        guard has(.indexedCondition) else { return [attributes["else_branch"], attributes["then_branch"]] }
        guard case .list(let branches)? = attributes["branches"] else { return [nil] }
        return branches
    }

    /// The branch that a condition selects. In a case, an index out of range selects the last branch. Otherwise a scalar is true
    /// if it is not 0, and a tensor with axes if it is not empty (tensorflow/core/kernels/functional_ops.cc, CaseOp and ToBool).
    fileprivate func branch(of value: Tensor) -> Attribute? {
        let branches = branches
        let isTrue = value.shape.rank > 0 || value.doubles[0] != 0
        let index = has(.indexedCondition) ? value.integers[0] : isTrue ? 1 : 0
        return branches.indices.contains(index) ? branches[index] : branches.last ?? nil
    }
}
