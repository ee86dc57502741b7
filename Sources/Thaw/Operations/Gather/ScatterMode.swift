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
