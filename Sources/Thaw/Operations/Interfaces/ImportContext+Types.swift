extension ImportContext {
    /// The operand as float32.
    mutating func asFloats(_ operand: Operand, name: String) throws -> Operand {
        operand.type.element == .float32 ? operand : try add(Cast(element: .float32), operand, name: name)
    }

    /// The operand as float32, which is how neural networks treat every tensor.
    mutating func asFloats(_ x: Operand, _ node: some SourceNode) throws -> Operand {
        x.type.element == .float32 ? x : try add(Cast(element: .float32), x, node)
    }
}
