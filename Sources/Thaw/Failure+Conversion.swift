/// Models that cannot be converted or written as asked.
extension Failure {
    static func outputIsInput(_ output: String, _ input: String) -> Failure {
        Failure(
            .noOutput,
            "the output '\(output)' is the input" + (output == input ? "" : " '\(input)'")
                + ": a Core ML model needs at least one layer between them",
            remedy: "name a node that computes something with --output NODE")
    }

    static func packageNeedsTarget(_ target: String) -> Failure {
        Failure(.unsupportedTarget, "a .mlpackage needs iOS 15", remedy: "--target \(target) loads .mlmodel only")
    }

    static func severalSizesNoImage(_ images: Int) -> Failure {
        images == 0
            ? Failure(.unsupportedModel, "the input is no image", remedy: "several sizes are for images")
            : Failure(
                .unsupportedModel, "the model takes \(images) images",
                remedy: "several sizes are for models of one image")
    }

    static func precisionOfNetwork() -> Failure {
        Failure(
            .unsupportedTarget, "a neural network computes in what the system chooses, and takes and gives float32",
            remedy: "write an ML Program (.mlpackage), or leave --compute-precision, --input-type and --output-type out"
        )
    }
}
