// The stages between strings, integers, dictionaries and arrays.

/// An array, or a dictionary of its nonzero values by index, according to an output's type.
private func sparseVector(_ values: [(index: Int, value: Double)], count: Int, _ type: FeatureType) throws
    -> FeatureValue
{
    if case .dictionary = type { return .dictionary(values.map { (.integer($0.index), $0.value) }) }
    var dense = [Double](repeating: 0, count: count)
    for (index, value) in values { dense[index] = value }
    return try type.value(dense)
}

extension StageSource {
    /// Checks that an output is an array with this number of values, or a dictionary with integer keys.
    fileprivate func checkVector(_ output: PipelineFeature, _ count: Int) throws {
        switch output.type {
        case .multiArray where output.type.count ?? count == count: break
        case .dictionary(hasIntegerKeys: true): break
        default:
            throw Failure.stageFeature(
                output.name, output.type, "an array of \(count) values, or a dictionary by integers, is expected")
        }
    }

    /// The unique keys with their indices. They have the type of the input.
    fileprivate func indices(_ keys: [FeatureKey], hasIntegers: Bool) throws -> [FeatureKey: Int] {
        guard !keys.isEmpty else { throw Failure.parameterCount("categories", 0, 1) }
        var indices = [FeatureKey: Int](minimumCapacity: keys.count)
        for (index, key) in keys.enumerated() {
            guard key.isInteger == hasIntegers else { throw Failure.keyKind(key) }
            guard indices.updateValue(index, forKey: key) == nil else { throw Failure.duplicateKey(key) }
        }
        return indices
    }
}

/// A category as an array with a 1 at its index.
struct OneHotEncoder: Stage {
    private let output: FeatureType
    private let indices: [FeatureKey: Int]
    private let ignoresUnknown: Bool

    init(_ source: StageSource) throws {
        let (input, output) = try source.single()
        self.output = output.type
        guard input.type == .integer || input.type == .string else {
            throw Failure.stageFeature(input.name, input.type, "an integer or a string is expected")
        }
        indices = try source.indices(
            source.keys(strings: "stringCategories", integers: "int64Categories"), hasIntegers: input.type == .integer)
        try source.checkVector(output, indices.count)
        ignoresUnknown = source.parameters.handleUnknown as String == "IgnoreUnknown"
    }

    func keys(ofInput index: Int) -> [FeatureKey] { indices.keys.sorted() }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        let key = inputs[0].key
        let index = key.flatMap { indices[$0] }
        guard index != nil || ignoresUnknown else { throw Failure.unknownCategory(key) }
        return [try sparseVector(index.map { [($0, 1)] } ?? [], count: indices.count, output)]
    }
}

/// A dictionary as an array: each key has an index. Other keys are ignored, as scikit-learn and Core ML do.
struct DictVectorizer: Stage {
    private let output: FeatureType
    private let indices: [FeatureKey: Int]

    init(_ source: StageSource) throws {
        let (input, output) = try source.single()
        self.output = output.type
        guard case .dictionary(let hasIntegerKeys) = input.type else {
            throw Failure.stageFeature(input.name, input.type, "a dictionary is expected")
        }
        indices = try source.indices(
            source.keys(strings: "stringToIndex", integers: "int64ToIndex"), hasIntegers: hasIntegerKeys)
        try source.checkVector(output, indices.count)
    }

    func keys(ofInput index: Int) -> [FeatureKey] { indices.keys.sorted() }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        guard case .dictionary(let entries) = inputs[0] else { preconditionFailure("the input is not a dictionary") }
        let values = entries.compactMap { entry in indices[entry.key].map { (index: $0, value: entry.value) } }
        return [try sparseVector(values, count: indices.count, output)]
    }
}

/// A string as an integer, or an integer as a string.
struct CategoricalMapping: Stage {
    private let values: [FeatureKey: FeatureKey]
    private let unknown: FeatureKey?

    init(_ source: StageSource) throws {
        let (input, output) = try source.single()
        let parameters = source.parameters
        let toInteger = parameters.has("stringToInt64Map")
        guard input.type == (toInteger ? .string : .integer), output.type == (toInteger ? .integer : .string) else {
            throw Failure.stageFeature(
                input.name, input.type, toInteger ? "strings become integers" : "integers become strings")
        }
        let entries: [Message] = parameters[toInteger ? "stringToInt64Map" : "int64ToStringMap"].map
        values = try entries.reduce(into: [:]) { values, entry in
            let key: FeatureKey = toInteger ? .string(entry.key) : .integer(entry.key)
            let value: FeatureKey = toInteger ? .integer(entry.value) : .string(entry.value)
            guard values.updateValue(value, forKey: key) == nil else { throw Failure.duplicateKey(key) }
        }
        let defaultKey = toInteger ? "int64Value" : "strValue"
        unknown =
            !parameters.has(defaultKey)
            ? nil : toInteger ? .integer(parameters.int64Value) : .string(parameters.strValue)
    }

    func keys(ofInput index: Int) -> [FeatureKey] { values.keys.sorted() }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        let key = inputs[0].key
        guard let value = key.flatMap({ values[$0] }) ?? unknown else { throw Failure.unknownCategory(key) }
        return [FeatureValue(value)]
    }
}

/// Concatenates features into an array. A dictionary contributes its values by index.
struct FeatureVectorizer: Stage {
    private let output: FeatureType
    /// The input and the number of values of each part.
    private let parts: [(input: Int, count: Int)]
    private let count: Int

    /// Dictionaries may be sparse: the number of values does not follow from the size of the file.
    private static let maximumValues = 1 << 24

    init(_ source: StageSource) throws {
        guard source.outputs.count == 1 else { throw Failure.stageFeatures(source.inputs.count, source.outputs.count) }
        output = source.outputs[0].type
        parts = try (source.parameters.inputList as [Message]).map { column in
            let (name, count): (String, Int) = (column.inputColumn, column.inputDimensions)
            guard let input = source.inputs.firstIndex(where: { $0.name == name }) else {
                throw Failure.unknownColumn(name)
            }
            let type = source.inputs[input].type
            let isFitting = type.isNumeric ? type.count ?? count == count : type == .dictionary(hasIntegerKeys: true)
            guard isFitting, 1...Self.maximumValues ~= count else {
                throw Failure.stageFeature(name, type, "\(count) values are expected")
            }
            return (input, count)
        }
        count = parts.reduce(0) { $0 + $1.count }
        guard case .multiArray = output, 1...Self.maximumValues ~= count, output.count ?? count == count else {
            throw Failure.stageFeature(source.outputs[0].name, output, "an array of \(count) values is expected")
        }
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        var values: [Double] = []
        values.reserveCapacity(count)
        for part in parts {
            if let numbers = inputs[part.input].numbers {
                guard numbers.count == part.count else { throw Failure.valueCount(numbers.count, part.count) }
                values += numbers
            } else if case .dictionary(let entries) = inputs[part.input] {
                let start = values.count
                values += [Double](repeating: 0, count: part.count)
                for entry in entries {
                    guard case .integer(let index) = entry.key, 0..<part.count ~= index else {
                        throw Failure.indexKey(entry.key, part.count)
                    }
                    values[start + index] = entry.value
                }
            }
        }
        return [try output.value(values)]
    }
}
