/// A reference in the body of a function: an argument, or an output of a node as `node:name:index`, with the operation's name
/// for its output.
struct FunctionReference {
    /// The name of the node or the argument.
    let node: String
    /// The operation's name for the output, or for a list of outputs.
    let outputName: String?
    /// The index in that list; without a name, that of the output.
    private let index: Int

    init(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        node = parts[0]
        outputName = parts.count > 2 ? parts[1] : nil
        index = parts.count > 1 ? Int(parts[parts.count - 1]) ?? 0 : 0
    }

    /// The index of the output among all outputs of a node; nil if an `Int` cannot represent it.
    /// - Parameters:
    ///   - op: The node's operation.
    ///   - functions: The functions that may be operations, by name.
    func outputIndex(of op: String, _ functions: [String: FunctionDefinition]) -> Int? {
        guard let outputName else { return index }
        let first =
            functions[op]?.outputs.firstIndex(of: outputName) ?? OutputNames.all[op]?.firstIndex(of: outputName) ?? 0
        let (sum, isTooLarge) = first.addingReportingOverflow(index)
        return isTooLarge ? nil : sum
    }
}
