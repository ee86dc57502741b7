/// Inputs that a model does not take.
extension Failure {
    static func takesNoImage() -> Failure {
        Failure(.wrongShape, "the model takes no image", remedy: "'thaw run' gives it arrays")
    }

    static func takesSeveral(_ names: [String]) -> Failure {
        Failure(
            .wrongShape,
            "the model takes \(names.count) inputs, '\(names.joined(separator: "', '"))', and not one image",
            remedy: "'thaw run' gives it an array for each")
    }

    static func givesNoRow(_ output: TensorType) -> Failure {
        Failure(
            .wrongShape, "the model gives \(output), no row of one number a class",
            remedy: "'thaw run' shows its arrays"
        )
    }

    static func tooManyArrays(_ count: Int, _ names: [String]) -> Failure {
        Failure(
            .invalidOption, "\(count) arrays are given",
            remedy: "the model takes " + names.map { "\($0)=FILE.npy" }.joined(separator: " "))
    }

    static func inputMissing(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noInput, "the input '\(name)' is missing",
            remedy: "the model takes " + names.map { "\($0)=FILE.npy" }.joined(separator: " "),
            names: [name])
    }

    static func arrayWithoutName(_ names: [String]) -> Failure {
        Failure(
            .ambiguousInputs, "an array does not say for which of \(names.count) inputs it is",
            remedy: "the model takes " + names.map { "\($0)=FILE.npy" }.joined(separator: " "),
            names: names)
    }

    /// The same failure with another way to say what an input is.
    func orSet(_ names: [String]) -> Failure {
        guard let last = names.last else { return self }
        var copy = self
        copy.hint = "--set \(last)=VALUE says what a placeholder is without a file"
        return copy
    }

    static func unknownInput(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "there is no input '\(name)'",
            remedy: "the model takes '\(names.joined(separator: "', '"))'",
            names: names)
    }

    static func batchesDiffer(_ counts: [Int]) -> Failure {
        Failure(.wrongShape, "the inputs hold batches of different sizes: \(counts)")
    }

    static func arrayShape(
        _ name: String, _ shape: Shape, expected: some CustomStringConvertible
    ) -> Failure {
        Failure(
            .wrongShape, "the array for '\(name)' has shape \(shape)",
            remedy: "\(expected) is expected, or more of that along the first axis")
    }
}
