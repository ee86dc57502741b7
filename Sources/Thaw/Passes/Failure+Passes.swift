/// Graphs that a pass cannot transform.
extension Failure {
    static func wrongBatchSize(_ batch: Int) -> Failure {
        Failure(
            .unsupportedModel, "the batch is fixed at \(batch), and this node needs all of it",
            remedy: "freeze the graph with a batch of 1, or of unknown size")
    }

    static func batchTooLarge() -> Failure {
        Failure(
            .limitExceeded,
            "the batch is fixed, and the tensors are too large to test whether this node needs all of it",
            remedy: "freeze the graph with a batch of 1, or of unknown size")
    }
}
