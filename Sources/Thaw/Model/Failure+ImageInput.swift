/// Models that do not take a single image.
extension Failure {
    static func noImageInput() -> Failure {
        Failure(.unsupportedModel, "the model takes no image", remedy: "use \(task: .run) with arrays")
    }

    static func notOneInput(_ names: [String]) -> Failure {
        Failure(
            .unsupportedModel,
            "the model takes \(names.count) inputs, \(names.quotedList()), not a single image",
            remedy: "use \(task: .run) with an array for each", names: names)
    }
}
