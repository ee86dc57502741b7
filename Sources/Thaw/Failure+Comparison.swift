/// Two models that cannot be compared.
extension Failure {
    static func imagesDiffer(_ first: String, _ second: String) -> Failure {
        Failure(
            .notComparable, "the first model takes images of \(first), the second of \(second)",
            remedy: "both must take the same")
    }

    static func outputCountsDiffer(_ first: [String], _ second: [String]) -> Failure {
        Failure(
            .notComparable,
            "the first model gives '\(first.joined(separator: "', '"))', the second '\(second.joined(separator: "', '"))'",
            remedy: "both must give as many arrays; --output names a graph's")
    }

    static func outputsDiffer(
        _ first: String, _ firstShape: Shape, _ second: String,
        _ secondShape: Shape
    ) -> Failure {
        Failure(
            .notComparable,
            "the first model gives '\(first)' of shape \(firstShape), the second '\(second)' of shape \(secondShape)",
            remedy: "both must give the same; --output names a graph's")
    }

    static func labelsDiffer(_ index: Int, _ first: String, _ second: String) -> Failure {
        Failure(
            .notComparable, "class \(index) is '\(first)' in the first model and '\(second)' in the second",
            remedy: "the classes must be the same")
    }
}
