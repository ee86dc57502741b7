/// Preprocessing and image outputs that do not fit the model.
extension Failure {
    static func scalingTwice() -> Failure {
        Failure(
            .invalidOption, "\(option: .preprocessing) cannot be combined with \(option: .scale) or \(option: .bias)",
            remedy: "give one or the other")
    }

    static func unknownImageOutput(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "\(option: .imageOutput): there is no output '\(name)'",
            remedy: "the outputs are \(names.quotedList())", names: names)
    }

    static func imageOfClassifier(_ name: String?) -> Failure {
        Failure(
            .unsupportedModel,
            "\(name.map { "the output '\($0)'" } ?? "an output") is to be an image, but the model is a classifier",
            remedy: "the outputs of classifiers are labels, probabilities and multi-arrays")
    }

    static func noImageOutput(_ outputs: [(name: String, type: TensorType)]) -> Failure {
        Failure(
            .wrongShape,
            "the model has no image output: " + outputs.map { "'\($0.name)' is \($0.type)" }.joined(separator: ", "),
            remedy: "expected height, width and 1 or 3 channels",
            hint: "\(option: .outputs) NODE selects another output")
    }

    static func outputColorDiffers(_ output: String, _ color: String, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "the output '\(output)' has \(counted(channels, "channel"))",
            remedy: "\(option: .outputColor) \(color) does not fit")
    }

    static func scalingByZero(_ option: OptionName, _ channel: String) -> Failure {
        Failure(
            .invalidOption, "\(option: option) multiplies \(channel) by 0",
            remedy: "the network would get no information from that channel")
    }

    static func scalingCount(_ option: OptionName, _ count: Int, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "\(option: option) has \(count) values for \(counted(channels, "channel"))",
            remedy: channels == 1 ? "give one value" : "give one, or \(channels) in channel order")
    }
}

/// Notes on inferred and assumed preprocessing and image outputs.
extension Note {
    static func formula(_ text: String) -> Note { Note(.formula, "\(text)") }

    static func preprocessingLifted() -> Note {
        Note(
            .preprocessingInferred,
            "the arithmetic at the start of the graph became the image input's preprocessing")
    }

    static func unitRangeAssumed() -> Note {
        Note(
            .preprocessingAssumed,
            "the arithmetic at the start of the graph expects values from 0 to 1, so pixels are divided by 255 first; "
                + "\(overrides)")
    }

    static func unitRangeExpected(_ low: Float, _ high: Float) -> Note {
        Note(
            .preprocessingUnknown,
            "the arithmetic at the start of the graph expects values from 0 to 1, but receives values from "
                + "\(low) to \(high); \(option: .preprocessing) unit gives it values from 0 to 1"
        )
    }

    static func colorInferred() -> Note {
        Note(
            .colorInferred,
            "BGR input inferred from the means that the graph subtracts; \(option: .color) rgb overrides this")
    }

    static func takesPixels() -> Note {
        Note(.preprocessingInferred, "the graph itself takes 8-bit images: its input is raw pixels, 0 to 255")
    }

    static func preprocessesItself(_ node: String) -> Note {
        Note(
            .preprocessingInferred,
            "the graph preprocesses its images itself, at '\(node)': it is assumed to take raw pixels, 0 to 255; "
                + "\(overrides)")
    }

    static func pixelRangeFound(_ range: String) -> Note {
        Note(
            .preprocessingInferred,
            "the network reproduces a test image if its input is scaled to \(range); \(overrides)")
    }

    static func preprocessingAssumed(_ reason: String) -> Note {
        Note(.preprocessingAssumed, "preprocessing assumed from \(reason); \(overrides)")
    }

    static func preprocessingUnknown(endsInTanh: Bool) -> Note {
        // A network that ends in a tanh usually takes the same range that it returns.
        let advice: Phrase =
            endsInTanh
            ? "its output is a tanh, from -1 to 1, and its input probably has the same range; "
                + "try \(option: .preprocessing) inception"
            : "set the preprocessing with \(option: .preprocessing), or \(option: .scale) and \(option: .bias)"
        return Note(
            .preprocessingUnknown,
            "the network's preprocessing is unknown, so its input is raw pixels from 0 to 255; \(advice)")
    }

    private static let overrides: Phrase =
        "\(option: .preprocessing), or \(option: .scale) and \(option: .bias), override this"

    /// The graph seems to take BGR images.
    static func risingMeans(_ means: [Double]) -> Note {
        let numbers = means.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: ", ")
        return Note(
            .colorUncertain,
            "the graph subtracts means that rise from channel to channel (\(numbers)), as the means of photos do in BGR "
                + "order; the model takes RGB images: if the network was trained on BGR images, use \(option: .color) bgr"
        )
    }

    static func imageOutput(_ name: String) -> Note { Note(.imageOutput, "the output '\(name)' is an image") }

    static func arrayOutput(_ name: String, because reason: String) -> Note {
        Note(
            .arrayOutput,
            "the output '\(name)' has the shape of an image, but \(reason): it remains a multi-array; "
                + "\(option: .imageOutput) makes it an image")
    }

    static func arrayOutputOfUnknownRange(_ name: String) -> Note {
        Note(
            .arrayOutput,
            "the output '\(name)' has the shape of an image but no known range: it remains a multi-array; "
                + "\(option: .imageOutput) makes it an image")
    }

    static func outputRangeAssumed(_ name: String) -> Note {
        Note(
            .outputRangeAssumed,
            "the range of the output '\(name)' is unknown: it is assumed to be that of the input; "
                + "\(option: .outputScale) and \(option: .outputBias) override this")
    }
}
