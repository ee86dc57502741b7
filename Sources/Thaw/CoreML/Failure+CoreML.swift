/// Core ML models that cannot be read.
extension Failure {
    static func unknownLayer(_ name: String, _ kind: String?, _ position: Int) -> Failure {
        Failure(
            .unsupportedOperations, place: "layer \(position) '\(name)'",
            kind.map { "layers of kind '\($0)' are not supported" } ?? "the kind of the layer is not known",
            nodes: [Node(name: name, op: kind ?? "")])
    }

    static func fixedBatch(_ input: String, _ batch: Int) -> Failure {
        Failure(
            .unsupportedModel, "the input '\(input)' takes \(batch) images at once, Core ML's one",
            remedy: "freeze the graph with a batch of 1, or of unknown size")
    }

    static func modelKind(_ kind: String) -> Failure {
        Failure(.unsupportedModel, "the model is of the kind '\(kind)'", remedy: "neural networks are supported")
    }

    static func pipeline(_ kind: String, _ members: [(place: String, kind: String, isSupported: Bool)]) -> Failure {
        let kinds = members.map(\.kind).joined(separator: ", ")
        let reason =
            members.first { !$0.isSupported }.map { "member \($0.place), of the kind '\($0.kind)', is not supported" }
            ?? "each of them is supported by itself, not as a pipeline"
        return Failure(.unsupportedModel, "the model is of the kind '\(kind)': \(kinds)", remedy: reason)
    }

    static func noModelKind() -> Failure { Failure(.damaged, "the file is no Core ML model, or is damaged") }

    static func noVersion() -> Failure {
        Failure(.damaged, "the model has no specification version", remedy: "the file is damaged")
    }

    static func newerVersion(_ version: Int) -> String {
        "the model's version \(version) is newer than the newest known; it was read because every layer is known"
    }

    static func newerProgram(_ version: Int) -> String {
        "the program's version \(version) is newer than the newest known; it was read because every operation is known"
    }

    static func olderVersion(_ version: Int, _ needed: Int) -> String {
        "the model says that it is of version \(version), but has what only version \(needed) brought; Apple's systems may "
            + "refuse it"
    }

    static func unknownOpset(_ opset: String) -> String {
        "the program is written in the set of operations '\(opset)', which is not known; it was read because every operation "
            + "is known"
    }

    static func blobMissing(_ layer: String, _ blob: String) -> Failure {
        Failure(.invalidModel, place: "layer '\(layer)'", "reads '\(blob)', which no layer before it computes")
    }

    static func blobTwice(_ layer: String, _ blob: String) -> Failure {
        Failure(.invalidModel, place: "layer '\(layer)'", "computes '\(blob)', which is computed already")
    }

    static func layerNameTwice(_ name: String) -> Failure {
        Failure(.invalidModel, place: "layer '\(name)'", "two layers have this name")
    }

    static func outputCountDiffers(_ name: String, _ kind: String, _ declared: Int, _ actual: Int) -> Failure {
        layerRefused(name, kind, "\(declared) outputs are named", "the layer computes \(actual)")
    }

    static func outputMissing(_ name: String) -> Failure {
        Failure(.invalidModel, "the output '\(name)' is computed by no layer")
    }

    static func noOutputsDescribed() -> Failure {
        Failure(.invalidModel, "the model's description names no outputs", remedy: "the file is damaged")
    }

    static func predictedMissing(_ what: String, _ name: String, _ outputs: [String]) -> Failure {
        Failure(
            .invalidModel, "what the classifier predicts, its \(what), is called '\(name)', which is no output",
            remedy: "there are " + outputs.map { "'\($0)'" }.joined(separator: ", "))
    }

    static func dictionaryWithoutBlob(_ name: String, _ probabilities: String) -> Failure {
        Failure(
            .invalidModel, "the output '\(name)' gives numbers by label, but is not what the network computes them as",
            remedy: "that is '\(probabilities)'")
    }

    static func inputKind(_ name: String, _ kind: String) -> Failure {
        Failure(
            .unsupportedModel, "the input '\(name)' is of the kind '\(kind)'", remedy: "images and arrays are supported"
        )
    }

    static func imageElement(_ name: String, _ element: String) -> Failure {
        Failure(
            .unsupportedModel, "the input '\(name)' is an image, but the program takes \(element)",
            remedy: "float32 and float16 are possible")
    }

    static func badFeature(_ name: String, _ problem: String) -> Failure {
        Failure(.invalidModel, "the feature '\(name)' \(problem)")
    }

    static func preprocessingWithoutInput(_ name: String) -> Failure {
        Failure(.invalidModel, "the preprocessing is for '\(name)', which is no image that goes in")
    }

    static func preprocessingByZero(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the preprocessing of '\(name)' multiplies by 0, or leaves out by what",
            remedy: "nothing of an image would go in")
    }

    static func classifierWithoutLabels() -> Failure { Failure(.invalidModel, "the classifier has no labels") }

    static func duplicateLabel(_ label: String) -> Failure {
        Failure(.invalidModel, "the label '\(label)' stands twice")
    }

    static func labelOfOtherType(_ label: String) -> Failure {
        Failure(.invalidModel, "the label '\(label)' is no integer", remedy: "the classifier says that its labels are")
    }

    static func labelsAndClasses(_ labels: Int, _ classes: Int) -> Failure {
        Failure(.invalidModel, "the classifier has \(labels) labels for \(classes) classes")
    }

    static func meanImage(_ name: String, _ count: Int, expected: Int) -> Failure {
        Failure(
            .invalidModel, "the preprocessing of '\(name)' takes off a mean image of \(count) numbers",
            remedy: "\(expected) are expected, one for each of a pixel's channels")
    }

    static func inputNotDescribed(_ name: String) -> Failure {
        Failure(.invalidModel, "the input '\(name)' of the program is not described", remedy: "the file is damaged")
    }

    static func inputUnused(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the input '\(name)' is described, but the program does not take it",
            remedy: "the file is damaged")
    }
}
