/// Linear functions of a vector.
private struct LinearFunctions {
    private let weights: [[Double]]
    private let offsets: [Double]
    let width: Int

    init(_ parameters: Message) throws {
        let rows: [Message] = parameters.weights
        weights = rows.map { $0.value }
        let offsets: [Double] = parameters.offset
        guard let width = weights.first?.count, width > 0 else { throw Failure.parameterCount("weights", 0, 1) }
        if let row = weights.first(where: { $0.count != width }) {
            throw Failure.parameterCount("weights in a row", row.count, width)
        }
        guard offsets.isEmpty || offsets.count == weights.count else {
            throw Failure.parameterCount("offsets", offsets.count, weights.count)
        }
        self.offsets = offsets.isEmpty ? Array(repeating: 0, count: weights.count) : offsets
        self.width = width
    }

    var count: Int { weights.count }

    func callAsFunction(_ vector: [Double]) -> [Double] {
        zip(weights, offsets).map { dotProduct($0, vector) + $1 }
    }
}

/// A generalized linear model that predicts numbers.
struct LinearRegressor: VectorRegressor {
    private let functions: LinearFunctions
    private let link: @Sendable (Double) -> Double

    init(_ source: StageSource) throws {
        functions = try LinearFunctions(source.parameters)
        switch source.parameters.postEvaluationTransform as String {
        case "NoTransform": link = { $0 }
        case "Logit": link = logistic
        case "Probit": link = normalDistribution
        case let other: throw Failure.unknownChoice("transform", other)
        }
    }

    var widths: ClosedRange<Int> { functions.width...functions.width }
    var outputCount: Int { functions.count }

    func values(_ vector: [Double]) -> [Double] { functions(vector).map(link) }
}

/// A generalized linear model that predicts classes.
struct LinearClassifier: VectorClassifier {
    private enum Form {
        /// One function, for the second of two classes.
        case binary(link: @Sendable (Double) -> Double)
        /// One function for each class except the first.
        case reference
        /// One function for each class, which separates it from all others.
        case oneVersusRest
    }

    private let functions: LinearFunctions
    private let form: Form

    init(_ source: StageSource) throws {
        functions = try LinearFunctions(source.parameters)
        let transform: String = source.parameters.postEvaluationTransform
        guard ["Logit", "Probit"].contains(transform) else { throw Failure.unknownChoice("transform", transform) }
        switch source.parameters.classEncoding as String {
        case "ReferenceClass",
            "OneVsRest" where functions.count == 1:
            form =
                functions.count > 1 ? .reference : .binary(link: transform == "Probit" ? normalDistribution : logistic)
        case "OneVsRest": form = .oneVersusRest
        case let other: throw Failure.unknownChoice("class encoding", other)
        }
        guard functions.count == 1 || transform == "Logit" else { throw Failure.probitOfSeveral() }
    }

    var widths: ClosedRange<Int> { functions.width...functions.width }
    var hasProbabilities: Bool { true }

    var classCount: Int {
        if case .oneVersusRest = form { return functions.count }
        return functions.count + 1
    }

    func scores(_ vector: [Double]) -> ClassScores {
        let values = functions(vector)
        switch form {
        case .binary(let link):
            let second = link(values[0])
            return ClassScores(top: values[0] > 0 ? 1 : 0, probabilities: [1 - second, second])
        case .reference: return ClassScores(normalizedExponentials([0] + values))
        case .oneVersusRest:
            let each = values.map(logistic)
            let sum = each.reduce(0, +)
            let uniform = 1 / Double(each.count)
            // Probabilities may be equal after rounding although the functions are not.
            return ClassScores(top: values.highest, probabilities: each.map { sum == 0 ? uniform : $0 / sum })
        }
    }
}
