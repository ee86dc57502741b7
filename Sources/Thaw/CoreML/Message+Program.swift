/// The parts of an ML Program's messages.
extension Message {
    /// The body of a function for its opset.
    var body: Message? {
        let opset: String = self.opset
        return (self.block_specializations as [Message]).first { $0.key as String == opset }?["value"]
    }

    /// The names of an operation's outputs.
    var outputNames: [String] { (self.outputs as [Message]).map { $0.name } }

    /// The bindings of an argument: names of values, or values.
    func bindings(_ key: String) -> [Message] {
        (self.inputs as [Message]).filter { $0.key as String == key }.flatMap { $0.value.arguments as [Message] }
    }

    /// The names of the values that are bound to an argument.
    func boundNames(_ key: String) -> [String] { bindings(key).filter { !$0.has("value") }.map { $0.name } }

    /// The value of a constant.
    var constantValue: Message? {
        guard self.type as String == "const" else { return nil }
        return (self.attributes as [Message]).first { $0.key as String == "val" }?["value"]
    }
}
