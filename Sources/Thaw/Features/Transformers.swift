// The stages that transform numbers.

/// scale · (x + shift). Each has one element, one for each value, or none.
struct Scaler: Stage {
    private let output: FeatureType
    private let shift: [Double]
    private let scale: [Double]

    init(_ source: StageSource) throws {
        let input: FeatureType
        (input, output) = try source.singleOfNumbers()
        shift = source.parameters.shiftValue
        scale = source.parameters.scaleValue
        let longest = max(shift.count, scale.count)
        for count in [shift.count, scale.count] where count > 1 && count != input.count ?? longest {
            throw Failure.parameterCount("shifts or scales", count, input.count ?? longest)
        }
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        let values = inputs[0].numbers ?? []
        for count in [shift.count, scale.count] where count > 1 && count != values.count {
            throw Failure.valueCount(values.count, count)
        }
        func parameter(_ all: [Double], _ index: Int, _ defaultValue: Double) -> Double {
            all.isEmpty ? defaultValue : all[all.count == 1 ? 0 : index]
        }
        return [
            try output.value(
                values.indices.map { (values[$0] + parameter(shift, $0, 0)) * parameter(scale, $0, 1) })
        ]
    }
}

/// Divides by a norm. Zeros stay zeros.
struct Normalizer: Stage {
    private let output: FeatureType
    private let norm: @Sendable ([Double]) -> Double

    init(_ source: StageSource) throws {
        output = try source.singleOfNumbers().output
        switch source.parameters.normType as String {
        case "LMax": norm = { $0.reduce(0) { max($0, abs($1)) } }
        case "L1": norm = { $0.reduce(0) { $0 + abs($1) } }
        case "L2": norm = { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() }
        case let other: throw Failure.unknownChoice("norm", other)
        }
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        let values = inputs[0].numbers ?? []
        let norm = norm(values)
        return [try output.value(norm == 0 ? values : values.map { $0 / norm })]
    }
}

/// The values at some indices of an array.
struct ArrayFeatureExtractor: Stage {
    private let output: FeatureType
    private let indices: [Int]

    init(_ source: StageSource) throws {
        let input: FeatureType
        (input, output) = try source.singleOfNumbers()
        indices = source.parameters.extractIndex
        guard !indices.isEmpty else { throw Failure.parameterCount("indices", 0, output.count ?? 1) }
        if let count = output.count, count != indices.count {
            throw Failure.parameterCount("indices", indices.count, count)
        }
        try check(input.count)
    }

    private func check(_ count: Int?) throws {
        if let index = indices.first(where: { $0 < 0 || $0 >= count ?? Int.max }) {
            throw Failure.featureIndex(index, count ?? 0)
        }
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        let values = inputs[0].numbers ?? []
        try check(values.count)
        return [try output.value(indices.map { values[$0] })]
    }
}
