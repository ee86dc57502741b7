/// Graphs of several inputs whose arrays the caller supplies.
enum ArrayInputs {
    /// The types of the inputs, by node name. Sizes that the graph leaves open come from the arrays.
    ///
    /// - Returns: nil for a graph of one input, and if there are no arrays; an empty dictionary for a graph without
    ///   inputs.
    /// - Throws: `Failure` for an array of the wrong shape, and for inputs that are not numeric.
    static func types(_ flat: FlatGraph, _ options: ImportOptions) throws -> [String: TensorType]? {
        guard let arrayShapes = options.arrayShapes, options.input == nil else { return nil }
        let inputs = try InputNode.candidates(flat.graph, flat.names, arrayInputs: options.arrayInputs)
        if inputs.isEmpty { return (try? arrayShapes([])) == nil ? nil : [:] }
        // A graph with a data set or a queue is cut at a single output.
        guard inputs.count > 1, inputs.allSatisfy({ flat.graph.node($0.node)!.has(.anyPlaceholder) }) else {
            return nil
        }
        let names = inputs.map { options.keys[$0.node] ?? $0.node }
        let shapes = try arrayShapes(names)
        var types: [String: TensorType] = [:]
        for (input, (name, shape)) in zip(inputs, zip(names, shapes)) {
            let node = flat.graph.node(input.node)!
            let type = try type(node, name, shape)
            guard type.shape.declaredCount != nil else {
                throw Failure.inputTooLarge(node.name, node.op, type.shape)
            }
            types[input.node] = type
        }
        return types
    }

    private static func type(_ node: NodeDefinition, _ name: String, _ given: [Int]) throws -> TensorType {
        guard let element = (node.dataType ?? .float).element else {
            throw Failure.inputNotNumeric(node.name, node.op, "\(node.dataType!)")
        }
        guard let declared = node.shapeAttribute else { return TensorType(Shape(given), element) }
        // A batch axis of size 1 may be omitted.
        let given = given.count == declared.count - 1 && declared[0] < 0 ? [1] + given : given
        if given.count == declared.count {
            return TensorType(Shape(zip(declared, given).map { $0 < 0 ? $1 : $0 }), element)
        }
        guard !declared.contains(where: { $0 < 0 }) else {
            let sizes = declared.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ", ")
            throw Failure.arrayShape(name, Shape(given), expected: "[\(sizes)]")
        }
        return TensorType(Shape(declared), element)
    }
}
