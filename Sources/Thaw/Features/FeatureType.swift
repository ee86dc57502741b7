/// The type of a feature.
public enum FeatureType: Equatable, Sendable {
    case integer, number, string
    /// The shape is nil if the description leaves it open.
    case multiArray(shape: [Int]?)
    case dictionary(hasIntegerKeys: Bool)
    case image(ImageInput)
}

extension FeatureType: CustomStringConvertible {
    public var description: String {
        switch self {
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .multiArray(let shape?): "an array of shape \(Shape(shape))"
        case .multiArray(nil): "an array"
        case .dictionary(let hasIntegerKeys): "a dictionary of \(hasIntegerKeys ? "integers" : "strings") to numbers"
        case .image(let image): "an image, \(image.width)×\(image.height), \(image.color.rawValue)"
        }
    }
}

extension FeatureType {
    /// The type in a feature's description.
    init(_ type: Message, of name: String) throws {
        switch type.choice {
        case "int64Type": self = .integer
        case "doubleType": self = .number
        case "stringType": self = .string
        case "imageType": self = .image(try ModelInterface.image(name, type["imageType"]))
        case "dictionaryType": self = .dictionary(hasIntegerKeys: type.dictionaryType.choice == "int64KeyType")
        case "multiArrayType":
            let array: Message = type["multiArrayType"]
            let shape: [Int] = array.shape
            let isOpen = shape.isEmpty || array.has("enumeratedShapes") || array.has("shapeRange")
            if !isOpen {
                guard let count = Shape(shape).checkedCount, count > 0, count < 1 << 28 else {
                    throw Failure.badFeature(name, "is an array of shape \(Shape(shape))")
                }
            }
            self = .multiArray(shape: isOpen ? nil : shape)
        case let kind: throw Failure.featureKind(name, kind ?? "none")
        }
    }

    /// The number of elements of a value of this type; nil if it is open, or if the type is not numeric.
    var count: Int? {
        switch self {
        case .integer, .number: 1
        case .multiArray(let shape): shape?.reduce(1, *)
        default: nil
        }
    }

    /// Whether values of this type consist of numbers in order.
    package var isNumeric: Bool {
        switch self {
        case .integer, .number, .multiArray: true
        default: false
        }
    }

    /// Whether a stage accepts values of this type for an input of the type `expected`.
    func fits(_ expected: FeatureType) -> Bool {
        switch (self, expected) {
        case (.integer, .number), (.number, .integer): true
        case (.multiArray, .multiArray): count == nil || expected.count == nil || count == expected.count
        case (.image, .image): true
        default: self == expected
        }
    }

    /// These numbers as a value of this type.
    /// - Throws: `Failure` if the count does not match the type, or if a number is not an integer although the type is.
    func value(_ numbers: [Double]) throws -> FeatureValue {
        switch self {
        case .number where numbers.count == 1: return .number(numbers[0])
        case .integer where numbers.count == 1:
            guard let integer = Int(exactly: numbers[0]) else { throw Failure.notAnInteger(numbers[0]) }
            return .integer(integer)
        case .multiArray(let shape):
            guard let count, count != numbers.count else {
                return .multiArray(numbers, shape: shape ?? [numbers.count])
            }
            throw Failure.valueCount(numbers.count, count)
        default: throw Failure.valueCount(numbers.count, 1)
        }
    }

    /// The value as one of this type.
    /// - Throws: `Failure` if it has another kind or shape.
    func checked(_ value: FeatureValue) throws -> FeatureValue {
        switch (self, value) {
        case (.integer, .integer), (.number, .number), (.string, .string), (.image, .image): return value
        case (.number, .integer(let integer)): return .number(Double(integer))
        case (.integer, .number(let number)):
            guard let integer = Int(exactly: number) else { throw Failure.notAnInteger(number) }
            return .integer(integer)
        case (.multiArray(let shape), .multiArray(let values, let given)):
            guard let shape, shape != given else { return value }
            // Axes of size 1 make no difference.
            guard shape.filter({ $0 != 1 }) == given.filter({ $0 != 1 }) else { throw Failure.valueKind(value, self) }
            return .multiArray(values, shape: shape)
        case (.dictionary(let hasIntegerKeys), .dictionary(let entries)):
            guard entries.allSatisfy({ $0.key.isInteger == hasIntegerKeys }) else {
                throw Failure.valueKind(value, self)
            }
            if let key = entries.map(\.key).firstRepeated { throw Failure.repeatedKey(key) }
            return value
        default: throw Failure.valueKind(value, self)
        }
    }
}

extension ElementType {
    /// The type of the elements in the description of an array.
    init(ofArray type: Message) {
        let types: [String: ElementType] = [
            "DOUBLE": .float64, "INT32": .int32, "FLOAT16": .float16, "INT8": .int8,
        ]
        self = types[type.dataType as String] ?? .float32
    }
}

/// An input or output of a stage or of a pipeline.
public struct PipelineFeature: Equatable, Sendable {
    /// The name of the input or output.
    public var name: String
    /// The values that it takes or returns.
    public var type: FeatureType
    /// The model's description of it.
    public var text: String
    /// Whether an input may be omitted.
    public var isOptional: Bool
    /// The type of an array's elements in the description. They are computed as `Double`.
    public var element = ElementType.float64
    /// The shapes that an array may have as an input besides its own.
    public var shapes = ArrayShapes.fixed
    /// An array's shape in the description; empty if it has none.
    public var defaultShape: [Int] = []
    /// The value of an array's elements if it is omitted.
    var defaultValue: Double?
    /// The minimum and maximum number of rows of an array, if the description has them.
    var rowCounts: ClosedRange<Int>?

    /// - Parameter feature: The feature's description.
    init(_ feature: Message) throws {
        name = feature.name
        text = feature.shortDescription
        let message: Message = feature["type"]
        type = try FeatureType(message, of: name)
        isOptional = message.isOptional
        let array: Message = message["multiArrayType"]
        if case .multiArray = type { element = ElementType(ofArray: array) }
        let defaults = ["doubleDefaultValue", "floatDefaultValue"].filter { array.has($0) }
        defaultValue = defaults.first.map { array[$0] }
        if array.has("intDefaultValue") { defaultValue = Double(array.intDefaultValue as Int) }
        rowCounts = Self.rowCounts(array)
        if case .multiArray = type {
            defaultShape = array.shape
        }
    }

    /// A feature without a known description.
    init(name: String, type: FeatureType) {
        (self.name, self.type, text, isOptional) = (name, type, "", false)
    }

    /// The sizes of the first axis that the description of an array allows.
    private static func rowCounts(_ array: Message) -> ClosedRange<Int>? {
        if let range = (array.shapeRange.sizeRanges as [Message]).first {
            let (low, high): (Int, Int) = (range.lowerBound, range.upperBound)
            return high < 0 ? max(low, 0)...Int.max : max(low, 0) <= high ? max(low, 0)...high : nil
        }
        let shapes = (array.enumeratedShapes.shapes as [Message]).map { $0.shape as [Int] } + [array.shape]
        let counts = shapes.compactMap(\.first)
        guard let low = counts.min(), let high = counts.max(), low >= 0 else { return nil }
        return low...high
    }

    /// The inputs and outputs of a model's description.
    static func all(in description: Message) throws -> (inputs: [PipelineFeature], outputs: [PipelineFeature]) {
        (
            try (description.input as [Message]).map { message in
                var feature = try PipelineFeature(message)
                if case .multiArray = feature.type {
                    feature.shapes = try ArrayShapes(message.type.multiArrayType, of: feature.name)
                }
                return feature
            },
            try (description.output as [Message]).map { try PipelineFeature($0) }
        )
    }

    /// The value of an omitted optional input: the default in the description; otherwise a missing number, an empty
    /// string or an empty dictionary. Nil if it is required.
    var missingValue: FeatureValue? {
        guard isOptional else { return nil }
        switch type {
        case .number: return .number(.nan)
        case .string: return .string("")
        case .dictionary: return .dictionary([])
        case .multiArray(let shape?):
            return .multiArray(Array(repeating: defaultValue ?? .nan, count: shape.reduce(1, *)), shape: shape)
        case .multiArray(nil):
            guard let count = Shape(defaultShape).checkedCount, !defaultShape.isEmpty, 1..<1 << 28 ~= count else {
                return nil
            }
            return .multiArray(Array(repeating: defaultValue ?? .nan, count: count), shape: defaultShape)
        default: return nil
        }
    }

    /// The value converted to this input's type.
    /// - Throws: `Failure` if it has another type, or a shape that the description does not allow.
    func checked(_ value: FeatureValue) throws -> FeatureValue {
        let value = try type.checked(value)
        if case .multiArray(_, let given) = value, shapes != .fixed, given != defaultShape, !shapes.contains(given) {
            throw Failure.arrayShape(given, shapes)
        }
        return value
    }

    /// The rows of an array that is a single value or has one axis more than this input.
    /// - Throws: `Failure` if its shape does not fit.
    package func rows(_ values: [Double], shape: [Int]) throws -> [FeatureValue] {
        // The number of axes determines whether the first one is the row axis.
        guard case .multiArray(nil) = type, !defaultShape.isEmpty else { return try type.rows(values, shape: shape) }
        guard shape.count == defaultShape.count + 1 else { return [try checked(.multiArray(values, shape: shape))] }
        return try FeatureType.multiArray(shape: Array(shape.dropFirst())).rows(values, shape: shape).map(checked)
    }
}
