/// Networks that the engine cannot run: those that are too large, or lack what a precision needs.
extension Failure {
    static func arrayTooLarge(_ type: TensorType) -> Failure {
        Failure(
            .limitExceeded, "an array of the network, \(type), is larger than the engine can hold",
            remedy: "2^29 elements, borders included, are the most")
    }

    static func networkTooLarge(_ byteCount: Int) -> Failure {
        Failure(
            .limitExceeded, "the network needs \(byteCount >> 20) MB for its activations",
            remedy: "\(Limits.runMemory >> 20) MB are the most", hint: "THAW_MAX_MEMORY raises the limit")
    }

    static func noRanges() -> Failure {
        Failure(
            .noRanges, "the model has no ranges of activations, which int8 needs",
            remedy: "make a model that has them with 'thaw quantize'")
    }
}
