/// The names that TensorFlow 2 stores variables under: a checkpoint of objects carries a graph of them, which says of each
/// variable what it was called and what it is stored as.
///
/// Source: tensorflow/core/protobuf/trackable_object_graph.proto.
enum ObjectGraph {
    static let key = "_CHECKPOINTABLE_OBJECT_GRAPH"

    private enum Field { static let node = 1, attribute = 2, fullName = 2, checkpointKey = 3 }

    /// The keys by the variables' names, without names that several variables have.
    static func keys(_ bundle: TensorBundle) throws -> [String: String] {
        guard let bytes = try bundle.string(key) else { return [:] }
        var keys: [String: String] = [:]
        var repeated: Set<String> = []
        for node in try RawMessage(bytes).messages(Field.node) {
            for attribute in try node.messages(Field.attribute) {
                let name = try attribute.string(Field.fullName)
                let key = try attribute.string(Field.checkpointKey)
                guard !name.isEmpty, !key.isEmpty else { continue }
                if keys.updateValue(key, forKey: name).map({ $0 != key }) ?? false { repeated.insert(name) }
            }
        }
        for name in repeated { keys[name] = nil }
        return keys
    }
}
