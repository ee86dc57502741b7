/// Preprocessing and image outputs that do not fit the model.
extension Failure {
    static func scalingTwice() -> Failure {
        Failure(
            .invalidOption, "--preprocess cannot be combined with --scale or --bias", remedy: "give one or the other")
    }

    /// A warning that a graph seems to take BGR images.
    static func risingMeans(_ means: [Double]) -> String {
        let numbers = means.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: ", ")
        return
            "the graph subtracts means that rise from channel to channel (\(numbers)), as the means of photos do in BGR "
            + "order; the model takes RGB images: if the network was trained on BGR images, use --color bgr"
    }

    static func givesNoImage(_ outputs: [(name: String, type: TensorType)]) -> Failure {
        Failure(
            .wrongShape,
            "the model has no image output: " + outputs.map { "'\($0.name)' is \($0.type)" }.joined(separator: ", "),
            remedy: "expected height, width and 1 or 3 channels", hint: "--output NODE selects another output")
    }

    static func outputColorDiffers(_ output: String, _ color: String, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "the output '\(output)' has \(channels) channel\(channels == 1 ? "" : "s")",
            remedy: "--output-color \(color) does not fit")
    }

    static func scalingByZero(_ option: String, _ channel: String) -> Failure {
        Failure(
            .invalidOption, "\(option) multiplies \(channel) by 0",
            remedy: "the network would see nothing of that channel")
    }

    static func scalingCount(_ option: String, _ count: Int, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "\(option) has \(count) values for \(channels) channel\(channels == 1 ? "" : "s")",
            remedy: channels == 1 ? "give one value" : "give one, or \(channels) in channel order")
    }
}
