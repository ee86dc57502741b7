extension Model {
    /// Changes a model to these shapes of its array inputs. Shapes that are not among an input's own are ignored.
    package mutating func setArrayShapes(_ given: [(name: String?, shape: [Int])]) throws {
        guard let reshaper else { return }
        var shapes: [String: [Int]] = [:]
        for (name, shape) in given {
            guard let name = name ?? (graph.inputs.count == 1 ? graph.inputs[0].name : nil),
                arrays[name]?.shapes.contains(shape) == true
            else { continue }
            shapes[name] = shape
        }
        if !shapes.isEmpty { self = try reshaper.model(at: shapes, nil) }
    }

    /// The array for an omitted input; nil if it is required.
    func defaultArray(_ name: String, _ type: TensorType) -> Tensor? {
        arrays[name]?.defaultValue.map { number in Tensor(shape: type.shape, element: type.element) { _ in number } }
    }

    /// The facts about an array input besides its type: its other shapes, and its value if it is omitted.
    package func arrayNotes(_ name: String) -> String {
        guard let array = arrays[name] else { return "" }
        var text = ""
        if array.shapes != .fixed { text += ", of the shapes \(array.shapes)" }
        if let value = array.defaultValue { text += ", optional, \(value) if it is not given" }
        return text
    }
}
