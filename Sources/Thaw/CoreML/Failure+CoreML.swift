/// Core ML models that cannot be read.
extension Failure {
    static func unknownLayer(_ name: String, _ kind: String?, _ position: Int) -> Failure {
        Failure(
            .unsupportedOperations, location: "layer \(position) '\(name)'",
            kind.map { "layers of kind '\($0)' are not supported" } ?? "the kind of the layer is unknown",
            remedy: kind.flatMap { Operations.refusedLayers[$0] }, nodes: [Node(name: name, op: kind ?? "")])
    }

    static func unknownShapeMapping(_ field: String, _ value: String) -> Failure {
        Failure(.unsupportedModel, "the value \(value) of '\(field)' is unknown")
    }

    static func arraysOfFiveAxes(_ name: String, _ kind: String) -> Failure {
        Failure(
            .invalidModel, location: "layer '\(name)' (\(kind))",
            "layers since iOS 13 cannot compute with arrays of RANK5_ARRAY_MAPPING",
            remedy: "set 'arrayInputShapeMapping' to EXACT_ARRAY_MAPPING, as Core ML requires")
    }

    static func fixedBatch(_ input: String, _ batch: Int) -> Failure {
        Failure(
            .unsupportedModel, "the input '\(input)' takes a batch of \(batch) images; a Core ML image input takes one",
            remedy: "freeze the graph with a batch of 1, or of unknown size")
    }

    static func modelKind(_ kind: String, isStage: Bool) -> Failure {
        Failure(
            .unsupportedModel,
            isStage ? "the model is of kind '\(kind)', not a network" : "models of kind '\(kind)' are not supported",
            remedy: isStage ? computesPipelines : "neural networks, ML Programs and pipelines are supported")
    }

    /// The remedy for a model that is not a network.
    static let computesPipelines: Phrase = "\(task: .runPipeline) computes its outputs"

    private static let detects: Phrase = "\(task: .detect) finds objects with it, and \(computesPipelines)"

    static func pipeline(_ kind: String, _ members: [(position: String, kind: String, isSupported: Bool)]) -> Failure {
        let kinds = members.map(\.kind).joined(separator: ", ")
        let reason: Phrase =
            members.first { !$0.isSupported }.map { "member \($0.position), of kind '\($0.kind)', is not supported" }
            ?? (members.contains { $0.kind == "nonMaximumSuppression" } ? detects : computesPipelines)
        return Failure(.unsupportedModel, "the model is of kind '\(kind)': \(kinds)", remedy: reason)
    }

    static func noModelKind() -> Failure { Failure(.damaged, "the file is not a Core ML model, or is corrupt") }

    static func noVersion() -> Failure {
        Failure(.damaged, "the model has no specification version", remedy: "the file is corrupt")
    }

    static func blobMissing(_ layer: String, _ blob: String) -> Failure {
        Failure(.invalidModel, location: "layer '\(layer)'", "reads '\(blob)', which no earlier layer computes")
    }

    static func duplicateBlob(_ layer: String, _ blob: String) -> Failure {
        Failure(.invalidModel, location: "layer '\(layer)'", "computes '\(blob)', which another layer already computes")
    }

    static func duplicateLayerName(_ name: String) -> Failure {
        Failure(.invalidModel, location: "layer '\(name)'", "two layers have this name")
    }

    static func outputCountDiffers(_ name: String, _ kind: String, _ declared: Int, _ actual: Int) -> Failure {
        layerRefused(name, kind, "\(declared) outputs are declared", "the layer computes \(actual)")
    }

    static func outputMissing(_ name: String) -> Failure {
        Failure(.invalidModel, "no layer computes the output '\(name)'")
    }

    static func noOutputsDescribed() -> Failure {
        Failure(.invalidModel, "the model's description has no outputs", remedy: "the file is corrupt")
    }

    static func predictedMissing(_ what: String, _ name: String, _ outputs: [String]) -> Failure {
        Failure(
            .invalidModel, "the classifier's \(what) output is named '\(name)', but there is no such output",
            remedy: "the outputs are \(outputs.quotedList())")
    }

    static func dictionaryWithoutBlob(_ name: String, _ probabilities: String) -> Failure {
        Failure(
            .invalidModel, "the output '\(name)' is a dictionary, but is not the network's class probabilities",
            remedy: "these are '\(probabilities)'")
    }

    static func featureKind(_ name: String, _ kind: String?) -> Failure {
        Failure(
            .unsupportedModel, "the feature '\(name)' is of kind '\(kind ?? "none")'",
            remedy: "images and arrays are supported")
    }

    static func imageElement(_ name: String, _ element: String) -> Failure {
        Failure(
            .unsupportedModel, "the input '\(name)' is an image, but the program takes \(element)",
            remedy: "expected float32 or float16")
    }

    static func badFeature(_ name: String, _ problem: String) -> Failure {
        Failure(.invalidModel, "the feature '\(name)' \(problem)")
    }

    static func preprocessingWithoutInput(_ name: String) -> Failure {
        Failure(.invalidModel, "the preprocessing is for '\(name)', which is not an image input")
    }

    static func preprocessingByZero(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the preprocessing of '\(name)' has no scale, or one of 0, NaN or infinity",
            remedy: "the network would get no information from the image")
    }

    static func classifierWithoutLabels() -> Failure { Failure(.invalidModel, "the classifier has no labels") }

    static func duplicateLabel(_ label: String) -> Failure {
        Failure(.invalidModel, "the label '\(label)' appears twice")
    }

    static func labelOfOtherType(_ label: String) -> Failure {
        Failure(
            .invalidModel, "the label '\(label)' is not an integer", remedy: "the classifier declares integer labels")
    }

    static func labelsAndClasses(_ labels: Int, _ classes: Int) -> Failure {
        Failure(.invalidModel, "the classifier has \(labels) labels for \(classes) classes")
    }

    static func meanImage(_ name: String, _ count: Int, expected: Int) -> Failure {
        Failure(
            .invalidModel, "the preprocessing of '\(name)' subtracts a mean image of \(count) values",
            remedy: "expected \(expected), one for each channel of each pixel")
    }

    static func inputNotDescribed(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the input '\(name)' of the program is missing from the description",
            remedy: "the file is corrupt")
    }

    static func inputUnused(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the description has an input '\(name)' that the program does not take",
            remedy: "the file is corrupt")
    }
}

/// Versions that do not match the contents of a file.
extension Note {
    static func newerVersion(_ version: Int) -> Note {
        Note(
            .formatVersion,
            "the model's version \(version) is newer than any known; it was read because every layer is known")
    }

    static func newerProgram(_ version: Int) -> Note {
        Note(
            .formatVersion,
            "the program's version \(version) is newer than any known; it was read because every operation is known")
    }

    static func olderVersion(_ version: Int, _ needed: Int) -> Note {
        Note(
            .formatVersion,
            "the model declares version \(version), but uses features of version \(needed); Apple's systems may refuse "
                + "it")
    }

    static func unknownOpset(_ opset: String) -> Note {
        Note(
            .formatVersion,
            "the program's opset '\(opset)' is unknown; it was read because every operation is known")
    }
}
