/// What is said of arrays and images that a model cannot take.
extension Failure {
    static func takesNoImage() -> Failure {
        Failure("the model takes no image", remedy: "'thaw run' gives it arrays")
    }

    static func givesNoRow(_ shape: some CustomStringConvertible) -> Failure {
        Failure("the model gives \(shape), no row of one number a class", remedy: "'thaw run' shows its arrays")
    }

    static func tooManyArrays(_ count: Int, _ names: [String]) -> Failure {
        Failure(
            "\(count) arrays are given",
            remedy: "the model takes " + names.map { "\($0)=FILE.npy" }.joined(separator: " "))
    }

    static func inputMissing(_ name: String, _ names: [String]) -> Failure {
        Failure(
            "the input '\(name)' is missing",
            remedy: "the model takes " + names.map { "\($0)=FILE.npy" }.joined(separator: " "))
    }

    static func unknownInput(_ name: String, _ names: [String]) -> Failure {
        Failure("there is no input '\(name)'", remedy: "the model takes '\(names.joined(separator: "', '"))'")
    }

    static func batchesDiffer(_ counts: [Int]) -> Failure {
        Failure("the inputs hold batches of different sizes: \(counts)")
    }

    static func arrayShape(
        _ name: String, _ shape: some CustomStringConvertible, expected: some CustomStringConvertible
    ) -> Failure {
        Failure(
            "the array for '\(name)' has shape \(shape)",
            remedy: "\(expected) is expected, or more of that along the first axis")
    }
}
