/// The shapes that an array input may have besides its default shape.
public enum ArrayShapes: Hashable, Sendable, CustomStringConvertible {
    /// A single shape.
    case fixed
    /// Any of these. The first is the default.
    case enumerated([[Int]])
    /// A range of sizes for each axis; `Int.max` means unbounded.
    case ranges([ClosedRange<Int>])

    /// Whether an array may have this shape.
    public func contains(_ shape: [Int]) -> Bool {
        switch self {
        case .fixed: false
        case .enumerated(let shapes): shapes.contains(shape)
        case .ranges(let ranges):
            ranges.count == shape.count && zip(ranges, shape).allSatisfy { $0.contains($1) }
        }
    }

    public var description: String {
        switch self {
        case .fixed: "one"
        case .enumerated(let shapes): shapes.map { "\($0)" }.joined(separator: " or ")
        case .ranges(let ranges):
            "["
                + ranges.map { range in
                    range.upperBound == .max
                        ? "\(range.lowerBound)…"
                        : range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)…\(range.upperBound)"
                }.joined(separator: ", ") + "]"
        }
    }
}

/// The description of an array input, apart from its shape.
struct ArrayInput: Sendable {
    var shapes: ArrayShapes
    /// The value of all its elements if it is omitted; nil if it is required.
    var standard: Double?
}

/// Creates the model for arrays of other shapes, from the model's source.
protocol ModelReshaper: Sendable {
    /// - Parameters:
    ///   - shapes: The shapes by the names of the inputs; others keep their defaults.
    ///   - size: The size of the image; nil for its default size.
    /// - Throws: `Failure` if the network does not work with these shapes.
    func model(at shapes: [String: [Int]], _ size: ImageSize?) throws -> Model
}

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
    func standardArray(_ name: String, _ type: TensorType) -> Tensor? {
        arrays[name]?.standard.map { number in Tensor(shape: type.shape, element: type.element) { _ in number } }
    }

    /// The facts about an array input besides its type: its other shapes, and its value if it is omitted.
    package func arrayNotes(_ name: String) -> String {
        guard let array = arrays[name] else { return "" }
        var text = ""
        if array.shapes != .fixed { text += ", of the shapes \(array.shapes)" }
        if let standard = array.standard { text += ", optional, \(standard) if it is not given" }
        return text
    }
}
