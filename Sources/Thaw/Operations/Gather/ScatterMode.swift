/// How an update is combined with the element that it is written to.
enum ScatterMode: String, Hashable, Sendable, CaseIterable {
    case update
    case add
    case subtract = "sub"
    case multiply = "mul"
    case divide = "div"
    case maximum = "max"
    case minimum = "min"

    func combine(_ old: Double, _ new: Double) -> Double {
        switch self {
        case .update: new
        case .add: old + new
        case .subtract: old - new
        case .multiply: old * new
        case .divide: old / new
        case .maximum: max(old, new)
        case .minimum: min(old, new)
        }
    }
}

// MARK: Core ML

extension ScatterMode {
    init(_ op: MILRead) throws {
        let name = try op.text("mode", default: "add")
        guard let mode = ScatterMode(rawValue: name) else { throw op.refused("the mode '\(name)' is unknown") }
        self = mode
    }

    init(_ layer: NeuralLayer) throws {
        let name: String = layer.parameters.mode
        guard let mode = ScatterMode.allCases.first(where: { "SCATTER_" + $0.rawValue.uppercased() == name }) else {
            throw layer.refused("the mode '\(name)' is unknown")
        }
        self = mode
    }
}

extension ImportContext {
    /// Updates written to slices of a tensor along an axis, at a list of indices.
    mutating func scatter(
        _ data: Operand, _ indices: Operand, _ updates: Operand, axis: Int, _ mode: ScatterMode,
        _ node: some SourceNode
    ) throws -> Operand {
        var expected = data.shape
        expected[axis] = indices.shape.elementCount
        guard indices.shape.rank == 1, updates.shape == expected else {
            throw Failure.shapesDiffer(data.shape, updates.shape).at(node.location)
        }
        var shape = Shape(data.shape.map { _ in 1 })
        shape[axis] = expected[axis]
        let aligned = try reshaped(indices, shape, node)
        let all = try add(BroadcastTo(shape: expected), aligned, node)
        return try add(ScatterAlongAxis(axis: axis, mode: mode), [data, updates, all], node)[0]
    }
}
