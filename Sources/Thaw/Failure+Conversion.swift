/// Models that cannot be converted or written as asked.
extension Failure {
    static func outputIsInput(_ output: String, _ input: String) -> Failure {
        Failure(
            .noOutput,
            "the output '\(output)' is the input" + (output == input ? "" : " '\(input)'")
                + ": a Core ML model needs at least one layer between them",
            remedy: "select a node that computes something with --output NODE")
    }

    static func packageNeedsTarget(_ target: String) -> Failure {
        Failure(
            .unsupportedTarget, "a .mlpackage needs iOS 15 or later", remedy: "\(target) loads only .mlmodel files")
    }

    static func severalSizesNoImage(_ images: Int) -> Failure {
        images == 0
            ? Failure(.unsupportedModel, "the input is not an image", remedy: "several sizes are for images")
            : Failure(
                .unsupportedModel, "the model takes \(images) images",
                remedy: "several sizes are for models of one image")
    }

    static func precisionOfNetwork() -> Failure {
        Failure(
            .unsupportedTarget,
            "the inputs and outputs of a neural network are float32, and the system chooses its compute precision",
            remedy: "write an ML Program (.mlpackage), or omit --compute-precision, --input-type and --output-type"
        )
    }
}
