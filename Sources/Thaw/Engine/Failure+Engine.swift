/// Networks that the engine cannot run: those that are too large, or lack what a precision needs.
extension Failure {
    static func tensorTooLarge(_ type: TensorType) -> Failure {
        Failure(
            .limitExceeded, "a tensor of the network, \(type), is larger than the engine can hold",
            remedy: "the limit is 2^\(Limits.computedElements.trailingZeroBitCount) elements, including borders")
    }

    static func networkTooLarge(_ byteCount: Int) -> Failure {
        let megabyte = 1 << 20
        return Failure(
            .limitExceeded,
            "the network needs \(byteCount.dividedRoundingUp(by: megabyte)) MB for its activations and scratch memory",
            remedy: "the limit is \(Limits.runMemoryText)", hint: "THAW_MAX_MEMORY raises the limit")
    }

    static func noRanges() -> Failure {
        Failure(
            .noRanges, "the model has no activation ranges, which int8 needs",
            remedy: "add them with \(task: .quantize)")
    }
}
