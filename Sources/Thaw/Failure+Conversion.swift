/// Models that cannot be converted or written as asked.
extension Failure {
    static func outputIsInput(_ output: String, _ input: String) -> Failure {
        Failure(
            .noOutput,
            "the output '\(output)' is the input\(output == input ? "" : " '\(input)'"): a Core ML model needs at least one layer between them",
            remedy: "select a node that computes something with \(option: .outputs) NODE")
    }

    static func packageNeedsTarget(_ target: CoreMLVersion) -> Failure {
        Failure(
            .unsupportedTarget, "a .mlpackage needs \(CoreMLVersion.firstProgram.systems)",
            remedy: "\(target.systems) load only .mlmodel files")
    }

    static func severalSizesNoImage(_ images: Int) -> Failure {
        images == 0
            ? Failure(.unsupportedModel, "the input is not an image", remedy: "flexible sizes apply only to images")
            : Failure(
                .unsupportedModel, "the model takes \(images) images",
                remedy: "flexible sizes require a model with a single image")
    }

    static func precisionOfNetwork() -> Failure {
        Failure(
            .unsupportedTarget,
            "the inputs and outputs of a neural network are float32, and the system chooses its compute precision",
            remedy:
                "write an ML Program (.mlpackage), or omit \(option: .computePrecision), \(option: .inputType) and "
                + "\(option: .outputType)")
    }
}

/// Notes about a converted model.
extension Note {
    static func flexibleSizes(_ sizes: ImageSizes, _ defaultSize: ImageSize) -> Note {
        Note(.flexibleSizes, "the image may have other sizes than \(defaultSize): \(sizes)")
    }

    static func arrayInput(count: Int) -> Note {
        Note(
            .arrayInput,
            count > 1
                ? "no input is an image of 1 or 3 channels: the model takes arrays"
                : "the input is not an image of 1 or 3 channels: the model takes an array")
    }

    static func outputDetected(_ name: String, _ type: TensorType) -> Note {
        Note(
            .outputDetected,
            "the graph was made for training; its output is '\(name)', \(type) (\(option: .outputs) NODE selects another)"
        )
    }

    /// - Parameter names: The chosen output, and the others.
    static func classOutputChosen(_ names: [String]) -> Note {
        Note(
            .outputDetected,
            "the labels belong to '\(names[0])'; \(Failure.listed(Array(names.dropFirst()))) "
                + "\(names.count == 2 ? "has" : "have") as many values (\(option: .outputs) NODE selects another)")
    }

    static func textOutputsDropped(_ keys: [String]) -> Note {
        Note(
            .outputDetected,
            "\(Failure.listed(keys)) \(keys.count == 1 ? "is" : "are") text, which a network cannot return, and "
                + "\(keys.count == 1 ? "was" : "were") dropped")
    }

    static func constantOutputsDropped(_ keys: [String]) -> Note {
        Note(
            .outputDetected,
            "\(Failure.listed(keys)) \(keys.count == 1 ? "does" : "do") not depend on the input, and "
                + "\(keys.count == 1 ? "was" : "were") dropped")
    }

    static func featureRenamed(_ old: String, _ new: String) -> Note {
        Note(.featureRenamed, "'\(old)' is named '\(new)', because another input or output has its name in Core ML")
    }

    static func severalInputs(_ names: [String]) -> Note {
        Note(.severalInputs, "the model takes \(names.count) inputs: \(Failure.listed(names))")
    }

    /// - Parameter output: A name in quotes, or "the model's output".
    static func containsNaN(_ output: String, _ advice: String = "") -> Note {
        Note(.notANumber, "\(output) contains NaN\(advice)")
    }
}
