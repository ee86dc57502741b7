/// A TensorFlow graph with the bodies of its functions in place of the calls, and of the branches that are taken in place of
/// conditions that are known. Of conditions that follow from sizes, which the importer will know, all branches stand side by
/// side, between switches.
///
/// Calls are those of PartitionedCall and StatefulPartitionedCall, nodes whose operation is a function's name, and loops over
/// the image files of a batch. The nodes of a body stand under the call's name: `call/convolution`. Nothing recurses: calls wait in a list.
struct Inlining {
    /// The nodes without calls.
    private(set) var nodes: [NodeDefinition] = []
    /// The nodes that told which branches to take.
    private(set) var deciding: Set<String> = []
    /// What stands for an output of a call other than its first, which is a node of the call's own name.
    private var aliases: [String: String] = [:]

    private let functions: [String: FunctionDefinition]
    private var usedNames: Set<String>
    private var pending: [Pending] = []
    /// How much the bodies have grown to, in bytes of names and in nodes.
    private var size = 0

    /// Functions may call each other this deep.
    private static let depthLimit = 64
    /// What bodies may grow to: a hostile library doubles with every function.
    private static let sizeLimit = 1 << 25

    private struct Pending {
        var node: NodeDefinition
        /// The functions whose bodies it stands in, the outermost first.
        var callers: [String]
    }

    /// - Throws: `Failure` for functions that call themselves, are not there, or grow beyond all bounds.
    init(_ graph: GraphDefinition) throws {
        functions = Dictionary(graph.functions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        usedNames = Set(graph.nodes.map(\.name))
        guard !functions.isEmpty else {
            nodes = graph.nodes
            return
        }
        pending = graph.nodes.reversed().map { Pending(node: $0, callers: []) }
        var conditions: [Pending] = []
        repeat {
            while let next = pending.popLast() {
                if Inlining.conditions.contains(next.node.op) {
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
        nodes = try nodes.map { node in
            var node = node
            node.inputs = try node.inputs.map(resolved)
            return node
        }
    }

    /// The output of a node that is none of a call: `text` itself, or what stands for it.
    /// - Throws: `Failure` for calls that read each other in a circle.
    func resolved(_ text: String) throws -> String {
        var text = text
        var steps = 0
        while let target = aliases[text] {
            text = target
            steps += 1
            guard steps <= aliases.count else {
                throw Failure.circle(GraphSurvey.Reference(text).node, "PartitionedCall")
            }
        }
        return text
    }

    // MARK: Calls

    private static let calls: Set<String> = ["PartitionedCall", "StatefulPartitionedCall"]
    private static let conditions: Set<String> = ["If", "StatelessIf", "Case", "StatelessCase"]

    private func function(of node: NodeDefinition) -> String? {
        if functions[node.op] != nil { return node.op }
        guard Inlining.calls.contains(node.op), case .function(let name)? = node.attributes["f"] else { return nil }
        return name
    }

    /// The body of a loop over strings. These are the image files of a batch, so for one image it runs once.
    private func bodyOfMap(_ node: NodeDefinition) -> String? {
        guard ["While", "StatelessWhile"].contains(node.op), case .function(let name)? = node.attributes["body"],
            let body = functions[name]
        else { return nil }
        let readsFiles = body.nodes.contains { node in
            guard node.op == "TensorListGetItem", case .type(.string)? = node.attributes["element_dtype"] else {
                return false
            }
            return true
        }
        return readsFiles ? name : nil
    }

    private mutating func expand(_ call: Pending, _ name: String) throws {
        let place = "\(call.node.name) (\(call.node.op))"
        guard let function = functions[name] else { throw Failure.noSuchFunction(name).at(place) }
        guard !call.callers.contains(name) else { throw Failure.recursiveFunction(name).at(place) }
        guard call.callers.count < Inlining.depthLimit else {
            throw Failure.functionsTooDeep(Inlining.depthLimit).at(place)
        }
        let arguments = call.node.inputs.filter { !$0.hasPrefix("^") }
        guard arguments.count == function.inputs.count else {
            throw Failure.argumentCount(name, arguments.count, function.inputs.count).at(place)
        }
        let bound = Dictionary(zip(function.inputs, arguments), uniquingKeysWith: { $1 })
        var body: [String: (name: String, op: String)] = [:]
        for node in function.nodes {
            body[node.name] = (unique(call.node.name + "/" + node.name), node.op)
        }
        /// What an input inside the body is called outside; nil for control inputs, which bind nothing.
        func outside(_ input: String) throws -> String? {
            guard !input.hasPrefix("^") else { return nil }
            let parts = input.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            if parts.count <= 2, let argument = bound[parts[0]] { return argument }
            guard let target = body[parts[0]] else { throw Failure.missingInFunction(name, input).at(place) }
            let index = parts.count > 1 ? Int(parts[parts.count - 1]) ?? 0 : 0
            let place = parts.count > 2 ? outputPlace(parts[1], of: target.op) + index : index
            return place == 0 ? target.name : "\(target.name):\(place)"
        }
        let callers = call.callers + [name]
        for var node in function.nodes {
            node.name = body[node.name]!.name
            node.inputs = try node.inputs.compactMap(outside)
            size += node.name.utf8.count + node.inputs.reduce(100) { $0 + $1.utf8.count }
            guard size <= Inlining.sizeLimit else { throw Failure.functionsTooLarge().at(place) }
            pending.append(Pending(node: node, callers: callers))
        }
        for (index, output) in function.outputs.enumerated() {
            guard let result = try function.results[output].flatMap(outside) else {
                throw Failure.missingInFunction(name, output).at(place)
            }
            if index == 0 {
                nodes.append(NodeDefinition(name: call.node.name, op: "Identity", inputs: [result]))
            } else {
                aliases["\(call.node.name):\(index)"] = result
            }
        }
    }

    private mutating func unique(_ name: String) -> String {
        var name = name
        while !usedNames.insert(name).inserted { name += "_" }
        return name
    }

    /// The number of the first of the outputs that an operation calls `word`.
    private func outputPlace(_ word: String, of op: String) -> Int {
        functions[op]?.outputs.firstIndex(of: word) ?? Inlining.outputs[op]?.firstIndex(of: word) ?? 0
    }

    /// The words for the outputs of operations that have several, as TensorFlow registers them; what is not here calls all
    /// its outputs by one word.
    private static let outputs: [String: [String]] = {
        let statistics = ["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"]
        return [
            "FusedBatchNorm": statistics, "FusedBatchNormV2": statistics, "FusedBatchNormV3": statistics,
            "_FusedBatchNormEx": statistics, "TopK": ["values", "indices"], "TopKV2": ["values", "indices"],
            "Switch": ["output_false", "output_true"], "RefSwitch": ["output_false", "output_true"],
            "Merge": ["output", "value_index"], "RefMerge": ["output", "value_index"],
            "MaxPoolWithArgmax": ["output", "argmax"], "Unique": ["y", "idx"],
            "SoftmaxCrossEntropyWithLogits": ["loss", "backprop"],
            "SparseSoftmaxCrossEntropyWithLogits": ["loss", "backprop"],
        ].merging(Quantized.outputs) { $1 }
    }()

    // MARK: Conditions

    /// Makes calls of the conditions whose predicate is known, or will be with the sizes, and returns the others.
    private mutating func takeBranches(_ conditions: [Pending]) throws -> [Pending] {
        guard !conditions.isEmpty else { return [] }
        let known = try nodes.map { node in
            var node = node
            node.inputs = try node.inputs.map(resolved)
            return node
        }
        let survey = try GraphSurvey(known)
        let sizes = survey.sizes
        var constants = GraphConstants(survey)
        var open: [Pending] = []
        for condition in conditions {
            guard let predicate = try condition.node.inputs.first.map(resolved) else {
                open.append(condition)
                continue
            }
            guard let value = constants.value(predicate), value.elementCount == 1 else {
                let isOfSizes = survey.follows(predicate, from: sizes)
                if !isOfSizes || !addSwitches(condition, predicate) { open.append(condition) }
                continue
            }
            let order = try survey.order(from: [GraphSurvey.Reference(predicate).node], stoppingAt: [])
            deciding.formUnion(order.map { survey.nodes[$0].name })
            var call = condition
            call.node.op = "PartitionedCall"
            call.node.inputs.removeFirst()
            call.node.attributes = [:]
            call.node.attributes["f"] = condition.node.branch(value.integers[0])
            pending.append(call)
        }
        return open
    }

    /// Writes a condition out: its inputs go to a call of each branch by switches, and so do the calls' results to merges, for
    /// a branch may give constants of its own.
    /// - Returns: Whether all branches are there.
    private mutating func addSwitches(_ condition: Pending, _ predicate: String) -> Bool {
        let node = condition.node
        var branches: [(attribute: Attribute, outputs: Int, call: String)] = []
        for branch in node.branches {
            guard case .function(let name)? = branch, let function = functions[name] else { return false }
            branches.append((.function(name), function.outputs.count, unique(node.name + "/" + name)))
        }
        let choice = node.op.hasSuffix("Case") ? "_SwitchN" : "Switch"
        func side(_ branch: Int, of name: String) -> String { branch == 0 ? name : "\(name):\(branch)" }
        func addSwitch(_ input: String) -> String {
            let name = unique(node.name + "/switch")
            nodes.append(
                NodeDefinition(
                    name: name, op: choice, inputs: [input, predicate],
                    attributes: ["num_outs": .int(branches.count)]))
            return name
        }
        let inputs = node.inputs.dropFirst().filter { !$0.hasPrefix("^") }.map { addSwitch($0) }
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
            let name = output == 0 ? node.name : unique(node.name + "/merge")
            nodes.append(NodeDefinition(name: name, op: "Merge", inputs: results))
            if output > 0 { aliases["\(node.name):\(output)"] = name }
        }
        return true
    }
}

extension GraphSurvey {
    /// The nodes that a predicate may depend on.
    private static let predicateLimit = 1000

    /// The names of the nodes that tell sizes.
    fileprivate var sizes: Set<String> {
        Set(nodes.lazy.filter { GraphSurvey.sizeOperations.contains($0.op) }.map(\.name))
    }

    /// Whether an array follows from constants and from these sizes alone.
    fileprivate func follows(_ text: String, from sizes: Set<String>) -> Bool {
        guard
            let order = try? order(
                from: [Reference(text).node], stoppingAt: sizes, limit: GraphSurvey.predicateLimit)
        else { return false }
        return order.allSatisfy { place in
            let node = nodes[place]
            return node.op == "Const" || !node.data.isEmpty
        }
    }
}

extension NodeDefinition {
    /// The branches of a condition, by their numbers.
    fileprivate var branches: [Attribute?] {
        guard op.hasSuffix("Case") else { return [attributes["else_branch"], attributes["then_branch"]] }
        guard case .list(let branches)? = attributes["branches"] else { return [nil] }
        return branches
    }

    /// The branch that a condition takes. Whatever number stands for none of several branches takes the last
    /// (tensorflow/core/kernels/functional_ops.cc, CaseOp).
    fileprivate func branch(_ number: Int) -> Attribute? {
        let branches = branches
        let number = op.hasSuffix("Case") ? number : number != 0 ? 1 : 0
        return branches.indices.contains(number) ? branches[number] : branches.last ?? nil
    }
}
