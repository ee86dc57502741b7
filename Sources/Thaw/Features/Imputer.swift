/// Replaces missing values.
struct Imputer: Stage {
    private enum Replacement {
        /// One number for all values, or one for each. Missing values are NaN, or equal to `missing`.
        case numbers([Double], missing: Double)
        case key(FeatureKey, missing: FeatureKey)
    }

    private let output: FeatureType
    private let replacement: Replacement

    init(_ source: StageSource) throws {
        let (input, output) = try source.single()
        let parameters = source.parameters
        self.output = output.type
        guard input.type.fits(output.type) else {
            throw Failure.stageFeature(output.name, output.type, "the input is \(input.type)")
        }
        switch input.type {
        case .number, .multiArray:
            let missing: Double =
                parameters.has("replaceInt64Value")
                ? Double(parameters.replaceInt64Value as Int)
                : parameters.has("replaceDoubleValue") ? parameters.replaceDoubleValue : .nan
            let numbers = try Self.numbers(parameters)
            if numbers.count != 1, let count = input.type.count, numbers.count != count {
                throw Failure.parameterCount("replacements", numbers.count, count)
            }
            replacement = .numbers(numbers, missing: missing)
        case .integer:
            guard parameters.has("imputedInt64Value"), parameters.has("replaceInt64Value") else {
                throw Failure.noReplacement(input.type)
            }
            replacement = .key(
                .integer(parameters.imputedInt64Value), missing: .integer(parameters.replaceInt64Value))
        case .string:
            guard parameters.has("imputedStringValue") else { throw Failure.noReplacement(input.type) }
            replacement = .key(
                .string(parameters.imputedStringValue), missing: .string(parameters.replaceStringValue))
        default: throw Failure.stageFeature(input.name, input.type, "numbers, integers and strings are supported")
        }
    }

    private static func numbers(_ parameters: Message) throws -> [Double] {
        if parameters.has("imputedDoubleValue") { return [parameters.imputedDoubleValue] }
        if parameters.has("imputedInt64Value") { return [Double(parameters.imputedInt64Value as Int)] }
        if parameters.has("imputedInt64Array") {
            return (parameters.imputedInt64Array.vector as [Int]).map(Double.init)
        }
        guard parameters.has("imputedDoubleArray") else { throw Failure.noReplacement(.number) }
        return parameters.imputedDoubleArray.vector
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        switch replacement {
        case .key(let replacement, let missing):
            return [inputs[0].key == missing ? FeatureValue(replacement) : inputs[0]]
        case .numbers(let replacements, let missing):
            let values = inputs[0].numbers ?? []
            guard replacements.count == 1 || replacements.count == values.count else {
                throw Failure.valueCount(values.count, replacements.count)
            }
            return [
                try output.value(
                    values.indices.map { index in
                        let isMissing = missing.isNaN ? values[index].isNaN : values[index] == missing
                        return isMissing ? replacements[replacements.count == 1 ? 0 : index] : values[index]
                    })
            ]
        }
    }
}
