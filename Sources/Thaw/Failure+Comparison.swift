/// Two models that cannot be compared.
extension Failure {
    static func imagesDiffer(_ first: String, _ second: String) -> Failure {
        Failure(
            .notComparable, "the first model takes images of \(first), the second of \(second)",
            remedy: "both must take the same images")
    }

    static func outputCountsDiffer(_ first: [String], _ second: [String]) -> Failure {
        Failure(
            .notComparable,
            "the first model has the outputs \(first.quotedList()), the second \(second.quotedList())",
            remedy: "both must have the same number of outputs; \(option: .outputs) selects those of a graph")
    }

    static func outputsDiffer(
        _ first: String, _ firstShape: Shape, _ second: String,
        _ secondShape: Shape
    ) -> Failure {
        Failure(
            .notComparable,
            "the first model has the output '\(first)' of shape \(firstShape), the second '\(second)' of shape \(secondShape)",
            remedy: "the shapes must match; \(option: .outputs) selects the outputs of a graph")
    }

    static func labelsDiffer(_ index: Int, _ first: String, _ second: String) -> Failure {
        Failure(
            .notComparable, "class \(index) is '\(first)' in the first model and '\(second)' in the second",
            remedy: "the labels must be the same")
    }
}
