extension Constant: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("identity", node, ["x": .constant(value)])
    }
}
