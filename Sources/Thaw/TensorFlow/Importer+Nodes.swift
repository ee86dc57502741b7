/// The conversion of single nodes.
extension Importer {
    mutating func results(of node: NodeDefinition) throws -> [OutputState] {
        let inputs = node.data.map { state(of: GraphIndex.Reference($0), for: node) }
        if node.has([.switching, .selecting]) { return try branch(node, inputs) }
        if node.has(.merge) { return merge(inputs) }
        if node.has(.barrier) { return [] }
        if inputs.contains(where: { if case .dead = $0 { true } else { false } }) { return [.dead] }
        guard let rule = Operations.tensorFlow[node.op] else {
            unsupported.add(node)
            return [.failed]
        }
        let operands = inputs.compactMap { if case .value(let operand) = $0 { operand } else { nil } }
        guard operands.count == inputs.count else { return [.failed] }
        return try results(of: node, rule, operands)
    }

    /// The state of an output that a node reads.
    private mutating func state(of reference: GraphIndex.Reference, for node: NodeDefinition) -> OutputState {
        guard let results = states[reference.node] else { return .failed }
        if results.indices.contains(reference.output) { return results[reference.output] }
        // A node that was not converted, or is never computed, has a single state for all outputs.
        guard case .value? = results.first else { return results.first ?? .failed }
        let isArgmax = graph.node(reference.node)?.op == "MaxPoolWithArgmax"
        unsupported.add(
            isArgmax
                ? Failure.argMaxUnsupported(node.name, node.op, reference.node)
                : Failure.missingOutput(node.name, node.op, reference.text), of: node)
        return .failed
    }

    /// The results of the operation's rule.
    private mutating func results(
        of node: NodeDefinition, _ rule: TensorFlowRule, _ operands: [Operand]
    ) throws -> [OutputState] {
        let hasFloats = WideIntegers.areFloats(in: TensorFlowNode(definition: node, inputs: operands))
        let areKept = hasIntegerArrays && WideIntegers.areResult(of: node)
        if hasFloats, node.has(.truncates) || areKept { needsIntegers = true }
        do {
            try origins.check(node)
            let results = try naming(node: Failure.Node(name: node.name, op: node.op)) {
                let node = ShortIntegers.matchingImage(TensorFlowNode(definition: node, inputs: operands))
                try ShortIntegers.checkImage(node, rule, context)
                let results = try ShortIntegers(node)?.build(rule, &context) ?? rule.build(node, &context)
                // Without inputs, they are the file's constants.
                if !operands.isEmpty { try context.count(results, from: operands) }
                return results
            }
            return results.map { .value($0) }
        } catch let failure as Failure {
            if hasFloats { needsIntegers = true }
            unsupported.add(failure, of: node)
            return [.failed]
        }
    }

    /// A switch on a constant passes its input to the selected branch: output 1 if the predicate is true, otherwise
    /// output 0. With several branches, the constant is the index; any other value selects the last branch.
    private mutating func branch(_ node: NodeDefinition, _ inputs: [OutputState]) throws -> [OutputState] {
        var count = 2
        if node.has(.selecting) {
            count = node.integer("num_outs")
            guard (1...Importer.maximumSides).contains(count) else {
                throw Failure.badAttribute(node.name, node.op, "num_outs")
            }
        }
        var sides = [OutputState](repeating: .failed, count: count)
        guard inputs.count == 2, case .value(let predicate) = inputs[1] else { return sides }
        guard let constant = predicate.constant, constant.elementCount == 1 else {
            unsupported.add(Failure.dataDependent(node.name, node.op), of: node)
            return sides
        }
        let number = constant.integers[0]
        let side = node.has(.selecting) ? (0..<count).contains(number) ? number : count - 1 : number != 0 ? 1 : 0
        sides = [OutputState](repeating: .dead, count: count)
        sides[side] = inputs[0]
        return sides
    }

    /// More branches than any real condition has.
    private static let maximumSides = 1 << 16

    /// A merge passes on the input that is computed; its second output is the index of that input.
    private func merge(_ inputs: [OutputState]) -> [OutputState] {
        for (index, input) in inputs.enumerated() {
            if case .dead = input { continue }
            return [input, .value(.constant(Tensor(Double(index), element: .int32)))]
        }
        return [.dead, .dead]
    }
}
