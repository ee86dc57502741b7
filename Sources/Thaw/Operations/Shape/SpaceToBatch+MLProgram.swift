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
