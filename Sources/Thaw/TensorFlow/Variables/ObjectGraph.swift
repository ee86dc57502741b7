/// The keys under which TensorFlow 2 stores variables: an object-based checkpoint contains a graph of its objects, with the name
/// and the key of each variable.
///
/// Source: tensorflow/core/protobuf/trackable_object_graph.proto.
enum ObjectGraph {
    static let key = "_CHECKPOINTABLE_OBJECT_GRAPH"

    private enum Field { static let node = 1, attribute = 2, fullName = 2, checkpointKey = 3 }

    /// The keys by variable name, without ambiguous names.
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
