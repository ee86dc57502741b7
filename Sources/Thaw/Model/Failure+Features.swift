/// Names of inputs and outputs.
extension Failure {
    static func noFeature(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "there is no input or output '\(name)'",
            remedy: "there are '\(names.joined(separator: "', '"))'",
            names: names)
    }

    static func noIdentifier(_ name: String) -> Failure {
        Failure(
            .invalidOption, "'\(name)' cannot be the name of an input or output",
            remedy: "letters, digits and underscores are possible, no digit in front")
    }

    static func renamedTwice(_ name: String) -> Failure { Failure(.invalidOption, "'\(name)' is renamed twice") }

    static func featureTwice(_ name: String) -> Failure {
        Failure(
            .invalidOption, "two inputs or outputs would be called '\(name)'", remedy: "each needs a name of its own")
    }
}
