extension SpaceToBatch: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        try block.addSteps(steps(node.input.shape), node)
    }
}

extension BatchToSpace: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        try block.addSteps(steps(node.input.shape), node)
    }
}

extension MILBlock {
    /// Adds operations that one behind the other compute a node.
    fileprivate mutating func addSteps(_ steps: [any Operation], _ node: MILNode) throws {
        var value = node.input
        for (index, step) in steps.enumerated() {
            guard let operation = step as? any MILOperation else {
                throw Failure.cannotWriteOperation(node.output.name, step.kind)
            }
            var result = node.output
            if index < steps.count - 1 {
                let type = try step.outputTypes([value.type])[0]
                guard type.shape.rank <= MILBlock.mostAxes else {
                    throw Failure.tooManyAxes(node.output.name, step.kind, type.shape.rank)
                }
                result = MILValue(name: unique("\(node.output.name)_step\(index)"), type: type)
            }
            try operation.write(MILNode(inputs: [value], outputs: [result]), to: &self)
            value = result
        }
    }
}
