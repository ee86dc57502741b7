/// Inputs that do not fit a model.
extension Failure {
    static func noScoresOutput(_ output: TensorType) -> Failure {
        Failure(
            .unsupportedModel, "the model's output is \(output), not a vector of class scores",
            remedy: "use \(task: .run) to get its output"
        )
    }

    static func tooManyArrays(_ count: Int, _ names: [String]) -> Failure {
        Failure(
            .invalidOption, "too many arrays: \(count)",
            remedy: "the model takes \(inputs: names)")
    }

    static func inputMissing(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noInput, "the input '\(name)' is missing", remedy: "the model takes \(inputs: names)", names: [name])
    }

    static func arrayWithoutName(_ names: [String]) -> Failure {
        Failure(
            .ambiguousInputs, "an array does not name one of the \(names.count) inputs",
            remedy: "the model takes \(inputs: names)", names: names)
    }

    /// The same failure with a hint that a setting gives a placeholder its value.
    func orSet(_ names: [String]) -> Failure {
        guard let last = names.last else { return self }
        var copy = self
        copy.hint = "\(option: .placeholderValues) \(last)=VALUE sets a placeholder without an array"
        return copy
    }

    static func unknownInput(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "there is no input '\(name)'",
            remedy: "the model takes \(names.quotedList())",
            names: names)
    }

    static func batchesDiffer(_ counts: [Int]) -> Failure {
        Failure(.wrongShape, "the inputs have different batch sizes: \(counts)")
    }

    static func arrayShape(
        _ name: String, _ shape: Shape, expected: some CustomStringConvertible
    ) -> Failure {
        Failure(
            .wrongShape, "the array for '\(name)' has shape \(shape)",
            remedy: "expected \(expected), or several of these along the first axis")
    }

    static func inputValue(_ name: String, _ value: Double, _ element: ElementType) -> Failure {
        let text = Int(exactly: value).map { "\($0)" } ?? "\(value)"
        return Failure(
            .wrongType, "the array for '\(name)' contains \(text)", remedy: "the input takes \(element.rawValue)",
            names: [name])
    }

    static func noState(_ names: [String]) -> Failure {
        Failure(
            .noInput, "the model keeps \(names.quotedList()) between runs, and no state is given",
            remedy: "create a state for the model first", names: names)
    }

    static func otherState() -> Failure { Failure(.invalidOption, "the state belongs to another model") }
}
