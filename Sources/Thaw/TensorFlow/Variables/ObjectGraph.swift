/// The keys under which TensorFlow 2 stores variables: an object-based checkpoint contains a graph of its objects, with the name
/// and the key of each variable.
///
/// Source: tensorflow/core/protobuf/trackable_object_graph.proto.
struct ObjectGraph {
    /// The keys by variable name, without ambiguous names.
    private(set) var keys: [String: String] = [:]
    /// The keys by the variable's index among the objects.
    private var keysByObject: [FileNumber: String] = [:]

    private static let key = "_CHECKPOINTABLE_OBJECT_GRAPH"
    private enum Field { static let node = 1, attribute = 2, fullName = 2, checkpointKey = 3 }

    init(_ variables: any StoredVariables) throws {
        guard let bytes = try variables.string(ObjectGraph.key) else { return }
        var repeated: Set<String> = []
        for (index, node) in try RawMessage(bytes).messages(Field.node).enumerated() {
            for attribute in try node.messages(Field.attribute) {
                let name = try attribute.string(Field.fullName)
                let key = try attribute.string(Field.checkpointKey)
                if key.isEmpty { continue }
                keysByObject[FileNumber(index)] = key
                if name.isEmpty { continue }
                if keys.updateValue(key, forKey: name).map({ $0 != key }) ?? false { repeated.insert(name) }
            }
        }
        for name in repeated { keys[name] = nil }
    }

    /// The keys of the variables that functions use, by the variable's node. They are certain even if several variables have
    /// the same name, as in Keras 3, where the graph's nodes get other names.
    /// - Parameter captures: The objects that each function takes after its arguments.
    func keys(in graph: GraphDefinition, _ captures: [String: [FileNumber]]) -> [String: String] {
        var keys: [String: String] = [:]
        for call in graph.nodes {
            guard let name = call.function("f"), let objects = captures[name],
                objects.count <= call.data.count
            else { continue }
            for (input, object) in zip(call.data.suffix(objects.count), objects) {
                if let key = keysByObject[object] { keys[GraphIndex.Reference(input).node] = key }
            }
        }
        return keys
    }
}
