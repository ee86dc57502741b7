extension Message {
    /// Whether weights are stored in 16 bits or less, in this message or one nested in it.
    var hasShortWeights: Bool {
        if messageType == .weights { return has("float16Value") || has("rawValue") || has("int8RawValue") }
        if messageType == Message.tensorType {
            return !["FLOAT32", "INT32", "BOOL", "STRING", "FLOAT64"].contains(self.dataType as String)
        }
        return contains(\.hasShortWeights)
    }

    /// The type of tensors in a program.
    private static let tensorType = MessageType.valueType.type(of: "tensorType")

    /// Whether weights are quantized, palettized or pruned.
    var hasCompressedWeights: Bool {
        if messageType == .weights { return has("quantization") || has("int8RawValue") }
        if messageType == .operation, (self.type as String).hasPrefix("constexpr_") { return true }
        return contains(\.hasCompressedWeights)
    }

    /// Whether weights of a neural network, or tensors of a program, are stored in single precision.
    var hasSinglePrecision: Bool {
        if messageType == .weights { return has("floatValue") }
        if messageType == .value, has("blobFileValue") { return self.type.tensorType.dataType as String == "FLOAT32" }
        return contains(\.hasSinglePrecision)
    }

    private func contains(_ test: (Message) -> Bool) -> Bool {
        entries.contains { _, value in
            guard case .messages(let messages) = value else { return false }
            return messages.contains(where: test)
        }
    }
}
