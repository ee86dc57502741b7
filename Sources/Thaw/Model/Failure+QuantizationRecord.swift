/// The record of a quantization in the metadata.
extension Failure {
    static func quantizationCorrupt(_ what: Phrase) -> Failure {
        Failure(.invalidModel, what)
    }
}

extension Note {
    static func quantizationIgnored(_ problem: Phrase) -> Note {
        Note(
            .quantizationIgnored,
            "the ranges for 8-bit integers in the metadata are ignored, because they do not fit the model: \(problem)"
        )
    }
}
