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
    var defaultValue: Double?
}
