/// Preprocessing and image outputs that do not fit the model.
extension Failure {
    static func scalingTwice() -> Failure {
        Failure(.invalidOption, "--preprocess and --scale or --bias were both given", remedy: "one of them says it all")
    }

    /// A warning that a graph seems to take BGR images.
    static func risingMeans(_ means: [Double]) -> String {
        let numbers = means.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: ", ")
        return
            "the graph subtracts means that rise from channel to channel (\(numbers)), as those of photographs do in the "
            + "order blue, green, red; images go in as RGB: if the network was trained on BGR images, say --color bgr"
    }

    static func givesNoImage(_ outputs: [(name: String, type: TensorType)]) -> Failure {
        Failure(
            .wrongShape,
            "the model gives no image: " + outputs.map { "'\($0.name)' is \($0.type)" }.joined(separator: ", "),
            remedy: "height, width and 1 or 3 channels are expected", hint: "--output NODE names another output")
    }

    static func outputColorDiffers(_ output: String, _ color: String, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "the output '\(output)' has \(channels) channel\(channels == 1 ? "" : "s")",
            remedy: "--output-color \(color) does not go with it")
    }

    static func scalingByZero(_ option: String, _ channel: String) -> Failure {
        Failure(
            .invalidOption, "\(option) multiplies \(channel) by 0",
            remedy: "nothing of that channel would go into the network")
    }

    static func scalingCount(_ option: String, _ count: Int, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "\(option) has \(count) values for \(channels) channel\(channels == 1 ? "" : "s")",
            remedy: channels == 1 ? "give one" : "give one, or \(channels) in the order of the channels")
    }
}
