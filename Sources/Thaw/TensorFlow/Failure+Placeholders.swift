/// Settings of placeholders.
extension Failure {
    static func noSuchPlaceholder(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchNode, "\(option: .placeholderValues): there is no placeholder '\(name)'",
            remedy: names.isEmpty ? "the graph has none" : "the placeholders are \(listed(names))", names: [name])
    }

    static func setTwice(_ name: String) -> Failure {
        Failure(.invalidOption, "\(option: .placeholderValues): '\(name)' is given twice")
    }

    static func settingType(_ name: String, _ value: String, _ expected: String) -> Failure {
        Failure(
            .invalidOption, "\(option: .placeholderValues) \(name): invalid value '\(value)'",
            remedy: "the placeholder takes \(expected)")
    }

    static func settingShape(_ name: String, _ count: Int, _ shape: Shape) -> Failure {
        Failure(
            .invalidOption,
            """
            \(option: .placeholderValues) \(name): \(counted(count, "value")) for a tensor of shape \(shape)
            """)
    }
}
