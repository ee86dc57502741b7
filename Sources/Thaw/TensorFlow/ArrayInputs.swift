/// Graphs of several inputs, each of which is fed with an array.
enum ArrayInputs {
    /// What the inputs are, by their nodes' names: their shapes those of the arrays, where the graph leaves them open.
    ///
    /// - Returns: nil for a graph of one input, and where nothing is fed but to one; nothing for a graph without inputs, if
    ///   nothing is fed.
    /// - Throws: `Failure` for an array that does not fit, and for inputs that take no numbers.
    static func types(_ flat: FlatGraph, _ options: ImportOptions) throws -> [String: TensorType]? {
        guard let feeding = options.feeding, options.input == nil else { return nil }
        let inputs = try InputNode.candidates(flat.survey, flat.names, fed: options.fed)
        if inputs.isEmpty { return (try? feeding([])) == nil ? nil : [:] }
        // What a data set or a queue hands on is cut off at one output.
        guard inputs.count > 1, inputs.allSatisfy({ flat.survey.node($0.node)!.op.hasPrefix("Placeholder") }) else {
            return nil
        }
        let names = inputs.map { options.words[$0.node] ?? $0.node }
        let shapes = try feeding(names)
        var types: [String: TensorType] = [:]
        for (input, (name, shape)) in zip(inputs, zip(names, shapes)) {
            types[input.node] = try type(flat.survey.node(input.node)!, name, shape)
        }
        return types
    }

    private static func type(_ node: NodeDefinition, _ name: String, _ given: [Int]) throws -> TensorType {
        guard let element = (node.dataType ?? .float).element else {
            throw Failure.inputNotNumeric(node.name, node.op, "\(node.dataType!)")
        }
        guard let declared = node.shapeAttribute else { return TensorType(Shape(given), element) }
        // A batch of one may be left out.
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
