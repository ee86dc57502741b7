extension Note {
    static func stageFailed(_ problem: String) -> Note {
        Note(.notANumber, "the probabilities are NaN: \(problem)")
    }
}

/// Pipelines that a function does not accept.
extension Failure {
    static func expectedCoreMLModel() -> Failure {
        Failure(
            .wrongKind, "this is a TensorFlow graph, not a Core ML model",
            remedy: "\(task: .classify) and \(task: .run) take graphs")
    }

    static func cannotWriteStage() -> Failure {
        Failure(.unsupportedTarget, "a network that is a stage of a pipeline cannot be written without it")
    }

    static func wrongPipelineExtension(_ path: String, _ isPackage: Bool) -> Failure {
        Failure(
            .unknownFormat, file: path, "the pipeline \(isPackage ? "has an ML Program" : "has no ML Program")",
            remedy: "expected the extension \(isPackage ? ".mlpackage" : ".mlmodel")")
    }

    static func stageImage16Bit(_ name: String) -> Failure {
        Failure(
            .unsupportedModel, "'\(name)' is an image of 16-bit values",
            remedy: "networks in pipelines take and return 8-bit images")
    }

    static func noImageClassifier(_ kinds: [String], isDetector: Bool) -> Failure {
        Failure(
            .unsupportedModel, "the model does not classify images: \(composition(kinds))",
            remedy: isDetector
                ? "it detects objects: use \(task: .detect), or \(task: .evaluateDetector) on COCO annotations"
                : "use \(task: .runPipeline) to compute its outputs")
    }

    static func noDetector(_ kinds: [String], isClassifier: Bool) -> Failure {
        Failure(
            .unsupportedModel,
            "the model does not detect objects in an image: \(composition(kinds))",
            remedy: isClassifier
                ? "use \(task: .classify) to classify images"
                : "a detector takes one image and has a nonMaximumSuppression stage (from Ultralytics, with nms=True); "
                    + "use \(task: .runPipeline) to compute outputs")
    }

    /// What the model consists of. A model of a single kind may be a network, which has no stages.
    private static func composition(_ kinds: [String]) -> String {
        kinds.count == 1 ? "its kind is \(kinds[0])" : "its stages are \(kinds.joined(separator: ", "))"
    }

    static func detectorInput(_ name: String, _ type: FeatureType) -> Failure {
        Failure(
            .unsupportedModel, "the detector also needs the input '\(name)', \(type)",
            remedy: "use \(task: .runPipeline) and give all inputs", names: [name])
    }

    static func notJSON(_ text: String, _ type: FeatureType) -> Failure {
        Failure(.wrongType, "'\(text)' is neither \(type) in JSON nor a file", remedy: "for example \(type.example)")
    }

    static func otherJSON(_ json: JSON, _ type: FeatureType) -> Failure {
        Failure(.wrongType, "'\(json.text)' is not \(type)", remedy: "for example \(type.example)")
    }

    static func raggedArray() -> Failure {
        Failure(.wrongShape, "the rows of the array have different lengths, or contain something other than numbers")
    }

    static func rowNotObject() -> Failure { Failure(.invalidTable, "expected a JSON object of inputs") }
}
