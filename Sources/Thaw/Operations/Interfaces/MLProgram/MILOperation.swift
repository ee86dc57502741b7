/// An operation that can be written to ML Programs.
protocol MILOperation: CoreMLOperation {
    /// Adds the operations that compute the node. See `MILBlock`.
    /// - Throws: `Failure` if no operation can express it, or the target system does not support it.
    func write(_ node: MILNode, to block: inout MILBlock) throws
}
