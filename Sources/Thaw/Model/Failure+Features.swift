/// Names of inputs and outputs.
extension Failure {
    static func noFeature(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "there is no input or output '\(name)'",
            remedy: "the names are \(names.quotedList())",
            names: names)
    }

    static func noIdentifier(_ name: String) -> Failure {
        Failure(
            .invalidOption, "'\(name)' cannot be the name of an input or output",
            remedy: "use letters, digits and underscores, and do not begin with a digit")
    }

    static func renamedTwice(_ name: String) -> Failure { Failure(.invalidOption, "'\(name)' is renamed twice") }

    static func duplicateFeature(_ name: String) -> Failure {
        Failure(
            .invalidOption, "two inputs or outputs would have the name '\(name)'", remedy: "names must be unique")
    }
}
