extension Message {
    /// Whether weights are stored in 16 bits or less, in this message or one inside it.
    var hasShortWeights: Bool {
        if messageType.name == "WeightParams" {
            return !Set(setFields).isDisjoint(with: ["float16Value", "rawValue", "int8RawValue"])
        }
        if messageType == MessageType.valueType.type(of: "tensorType") {
            return !["FLOAT32", "INT32", "BOOL", "STRING", "FLOAT64"].contains(self.dataType as String)
        }
        return entries.contains { _, value in
            guard case .messages(let messages) = value else { return false }
            return messages.contains(where: \.hasShortWeights)
        }
    }
}
