/// Preprocessing that does not fit the image.
extension Failure {
    static func presetNeedsColor(_ preset: String, _ needed: String, _ given: String) -> Failure {
        Failure(
            .invalidOption, "the preprocessing '\(preset)' is for \(needed) images",
            remedy: "\(option: .color) \(given) does not fit")
    }
}
