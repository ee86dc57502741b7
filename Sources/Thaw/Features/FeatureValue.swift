/// A key of a dictionary, or the label of a class.
public enum FeatureKey: Hashable, Sendable {
    case integer(Int)
    case string(String)
}

extension FeatureKey {
    var isInteger: Bool { if case .integer = self { true } else { false } }
}

extension FeatureKey: CustomStringConvertible, Comparable {
    public var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .string(let text): text
        }
    }

    /// Integers in order, then strings in order.
    public static func < (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b
        case (.string(let a), .string(let b)): a < b
        case (.integer, .string): true
        case (.string, .integer): false
        }
    }
}

/// The value of a feature that a stage of a pipeline takes or returns.
public enum FeatureValue: Sendable {
    case integer(Int)
    /// NaN is a missing value.
    case number(Double)
    case string(String)
    /// The values in row-major order, as many as the shape requires.
    case multiArray([Double], shape: [Int])
    /// Numbers by key, in any order.
    case dictionary([(key: FeatureKey, value: Double)])
    /// Gray, or red, green and blue, whatever the order of the network's channels.
    case image(Pixels)
}

extension FeatureValue: Equatable {
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.multiArray(let a, let shape), .multiArray(let b, let other)): a == b && shape == other
        case (.dictionary(let a), .dictionary(let b)):
            a.sorted(on: \.key).elementsEqual(b.sorted(on: \.key)) { $0 == $1 }
        case (.image(let a), .image(let b)): a == b
        default: false
        }
    }
}

extension FeatureValue {
    /// What kind of value it is, in words.
    public var kindDescription: String {
        switch self {
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .multiArray(_, let shape): "an array of shape \(Shape(shape))"
        case .dictionary: "a dictionary"
        case .image: "an image"
        }
    }

    /// The numbers in it: all elements of an array, or the single number or integer; nil for other kinds.
    package var numbers: [Double]? {
        switch self {
        case .integer(let number): [Double(number)]
        case .number(let number): [number]
        case .multiArray(let values, _): values
        default: nil
        }
    }

    /// Whether a number in it is NaN.
    var containsNaN: Bool {
        if case .dictionary(let entries) = self { return entries.contains { $0.value.isNaN } }
        return numbers?.contains(where: \.isNaN) ?? false
    }

    /// An integer or a string as a key; nil for values of other kinds.
    var key: FeatureKey? {
        switch self {
        case .integer(let number): .integer(number)
        case .string(let text): .string(text)
        default: nil
        }
    }

    /// A key as a value.
    package init(_ key: FeatureKey) {
        switch key {
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .string(text)
        }
    }
}
