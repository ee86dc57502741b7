extension NodeDefinition {
    /// A constant with this value.
    static func constant(_ name: String, _ value: Tensor) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(value)])
    }

    /// A node that passes on its input.
    static func identity(_ name: String, of input: String) -> NodeDefinition {
        NodeDefinition(name: name, op: "Identity", inputs: [input])
    }

    /// The inputs that carry values.
    var data: [String] { inputs.filter { !$0.hasPrefix("^") } }

    // MARK: Attributes, nil, false or 0 if they are missing or of another type

    /// The value of a constant.
    var constant: Tensor? { if case .tensor(let tensor)? = attributes["value"] { tensor } else { nil } }

    var dataType: DataType? { type("dtype") }

    func type(_ key: String) -> DataType? { if case .type(let type)? = attributes[key] { type } else { nil } }

    func string(_ key: String) -> String? { if case .string(let string)? = attributes[key] { string } else { nil } }

    func function(_ key: String) -> String? { if case .function(let name)? = attributes[key] { name } else { nil } }

    func flag(_ key: String) -> Bool { if case .bool(true)? = attributes[key] { true } else { false } }

    func integer(_ key: String) -> Int { if case .int(let integer)? = attributes[key] { integer } else { 0 } }

    // MARK: Shapes

    /// The sizes that a source declares for an output; nil if the rank is unknown.
    func declaredShape(_ output: Int) -> [Int]? {
        if case .shape(let sizes)? = attributes["shape"] { return sizes }
        return shape(in: "output_shapes", at: output)
    }

    /// The sizes at an index of a list of shapes; nil if there is no such shape, or if its rank is unknown.
    func shape(in key: String, at index: Int) -> [Int]? {
        guard case .list(let shapes)? = attributes[key], shapes.indices.contains(index),
            case .shape(let sizes?) = shapes[index]
        else { return nil }
        return sizes
    }

    /// The sizes in the attributes `shape` and `_output_shapes`, −1 if neither has one; nil if the rank is unknown.
    /// TensorFlow 1.0 and earlier wrote an empty shape if none was given.
    var shapeAttribute: [Int]? {
        var declared: [Int]?
        if case .shape(let sizes?)? = attributes["shape"], !sizes.isEmpty { declared = sizes }
        guard let inferred = shape(in: "_output_shapes", at: 0) else { return declared }
        guard let declared, !inferred.isEmpty else { return declared ?? (inferred.isEmpty ? nil : inferred) }
        guard declared.count == inferred.count else { return declared }
        return zip(declared, inferred).map { $0 < 0 ? $1 : $0 }
    }
}
