/// TensorFlow nodes that cannot be converted.
extension Failure {
    /// A node that cannot be converted as it is.
    static func refused(
        _ node: String, _ op: String, _ problem: Phrase, _ remedy: Phrase? = nil, code: Code = .unsupportedOperations
    ) -> Failure {
        let node = Node(name: node, op: op)
        return Failure(code, location: "\(node)", problem, remedy: remedy, nodes: [node])
    }

    static func missingInput(_ node: String, _ op: String, _ index: Int, _ count: Int) -> Failure {
        refused(node, op, "input \(index) is missing: the node has \(count)", code: .invalidModel)
    }

    static func inputNotConstant(_ node: String, _ op: String, _ role: String) -> Failure {
        refused(node, op, "the \(role) depends on the input", "it must be a constant")
    }

    static func elementNotNumeric(_ node: String, _ op: String, _ type: String) -> Failure {
        refused(
            node, op, "the elements are of type \(type)", "Booleans, integers and floating-point values are supported",
            code: .wrongType)
    }

    static func notOneNumber(_ node: String, _ op: String, _ role: String, _ count: Int) -> Failure {
        refused(node, op, "the \(role) has \(count) values", "expected one")
    }

    static func badAttribute(_ node: String, _ op: String, _ key: String) -> Failure {
        refused(node, op, "the attribute '\(key)' has an invalid type or value", code: .invalidModel)
    }
}
