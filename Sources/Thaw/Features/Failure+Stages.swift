/// Pipelines that cannot be read.
extension Failure {
    static func stageKind(_ kind: String) -> Failure {
        let advice: [String: String] = [
            "visionFeaturePrint":
                "the model is built into Apple's operating systems; train the classifier on the features of another one",
            "audioFeaturePrint": "the model is built into Apple's operating systems",
            "soundAnalysisPreprocessing": "it is built into Apple's operating systems",
            "wordTagger": "its language models are built into Apple's operating systems",
            "textClassifier": "its language models are built into Apple's operating systems",
            "wordEmbedding": "its language models are built into Apple's operating systems",
            "gazetteer": "its language models are built into Apple's operating systems",
            "customModel": "its code is part of an app",
            "linkedModel": "it refers to a model in an app; convert that one",
            "serializedModel": "its format is Apple's own",
            "neuralNetworkRegressor": "export the network as a neural network or an ML Program",
        ]
        return Failure(
            .unsupportedModel, "models of kind '\(kind)' are not supported", remedy: advice[kind].map { "\($0)" })
    }

    static func noStages() -> Failure {
        Failure(.invalidModel, "the pipeline has no stages", remedy: "the file is corrupt")
    }

    static func featureKind(_ name: String, _ kind: String) -> Failure {
        Failure(
            .unsupportedModel, "the feature '\(name)' is of kind '\(kind)'",
            remedy: "numbers, strings, arrays, dictionaries and images are supported")
    }

    static func stageInput(_ name: String) -> Failure {
        Failure(
            .invalidModel, "takes '\(name)', which is not an input of the pipeline, and no earlier stage returns it")
    }

    static func pipelineOutput(_ name: String) -> Failure {
        Failure(.invalidModel, "no stage returns the output '\(name)'")
    }

    static func featuresOfOneName(_ names: [String]) -> Failure {
        Failure(.invalidModel, "two features have the same name: \(names.quotedList())")
    }

    static func stageFeatures(_ inputs: Int, _ outputs: Int) -> Failure {
        Failure(.invalidModel, "a stage of this kind does not have \(inputs) inputs and \(outputs) outputs")
    }

    static func stageFeature(_ name: String, _ type: FeatureType, _ expected: String) -> Failure {
        Failure(.invalidModel, "the feature '\(name)' is \(type)", remedy: "\(expected)")
    }

    static func parameterCount(_ what: String, _ count: Int, _ expected: Int) -> Failure {
        Failure(.invalidModel, "the number of \(what) is \(count)", remedy: "expected \(expected)")
    }

    static func unknownChoice(_ what: String, _ choice: String) -> Failure {
        Failure(.unsupportedModel, "the \(what) '\(choice)' is not supported")
    }

    static func vectorWidth(_ count: Int, _ expected: Int, isExact: Bool) -> Failure {
        Failure(
            .invalidModel, "the inputs have \(count) values",
            remedy: "the model takes \(isExact ? "" : "at least ")\(expected)")
    }

    static func featureIndex(_ index: Int, _ count: Int) -> Failure {
        Failure(.invalidModel, "the index \(index) is outside the \(count) values of the input")
    }

    static func keyKind(_ key: FeatureKey) -> Failure {
        Failure(.invalidModel, "the category '\(key)' is not of the type of the input")
    }

    static func repeatedKey(_ key: FeatureKey) -> Failure {
        Failure(.wrongType, "the dictionary has the key '\(key)' more than once", remedy: "keys are unique")
    }

    static func duplicateKey(_ key: FeatureKey) -> Failure {
        Failure(.invalidModel, "the category '\(key)' appears twice")
    }

    static func unknownColumn(_ name: String) -> Failure {
        Failure(.invalidModel, "the list of columns names '\(name)', which is not an input of the stage")
    }

    static func noReplacement(_ type: FeatureType) -> Failure {
        Failure(
            .unsupportedModel, "missing values of \(type) are not replaced by one of the same type",
            remedy: "numbers, integers, strings and arrays of numbers are supported")
    }

    static func noProbabilities(_ output: String) -> Failure {
        Failure(
            .invalidModel,
            "the output '\(output)' has the probabilities of labels, which the classifier does not compute")
    }

    static func probitOfSeveral() -> Failure {
        Failure(.invalidModel, "the probit transform is for two classes, and the classifier has more")
    }

    static func noSuppressionMethod() -> Failure {
        Failure(.invalidModel, "the suppression method is missing", remedy: "expected pickTop")
    }

    static func noSuppressionFeature(_ kind: String, _ name: String, _ what: String) -> Failure {
        Failure(.invalidModel, "the stage has no \(kind) '\(name)', which it names for the \(what)")
    }

    static func suppressionThreshold(_ what: String, _ threshold: Double) -> Failure {
        Failure(
            .invalidModel, "the \(what) threshold is \(threshold)",
            remedy: what == "IoU" ? "expected a number from 0 to 1" : "expected a number of at least 0")
    }

    static func suppressedCounts(_ names: [String]) -> Failure {
        Failure(
            .invalidModel,
            "the outputs '\(names.joined(separator: "' and '"))' do not allow the same numbers of boxes, or require too many"
        )
    }

    static func supportVectorIndices() -> Failure {
        Failure(.invalidModel, "the indices of a support vector are less than 1, or too large")
    }

    static func treeDimension(_ node: String, _ dimension: Int, _ count: Int) -> Failure {
        Failure(.invalidModel, "\(node) adds to prediction \(dimension) of \(count)")
    }

    static func treeNode(_ node: String, _ problem: String) -> Failure {
        Failure(.invalidModel, "\(node) \(problem)")
    }

    static func treeRoots(trees: Int, roots: Int) -> Failure {
        Failure(
            .invalidModel, "the \(trees) trees have \(roots) nodes without a parent",
            remedy: "expected one root per tree")
    }
}

/// Values that do not match a pipeline's inputs.
extension Failure {
    static func valueCount(_ count: Int, _ expected: Int) -> Failure {
        Failure(.wrongShape, "there are \(count) values", remedy: "expected \(expected)")
    }

    static func arrayShape(_ shape: [Int], _ shapes: ArrayShapes) -> Failure {
        Failure(.wrongShape, "the array has shape \(shape)", remedy: "expected \(shapes)")
    }

    static func valueKind(_ value: FeatureValue, _ type: FeatureType) -> Failure {
        Failure(.wrongType, "the value is \(value.kindDescription)", remedy: "expected \(type)")
    }

    static func notAnInteger(_ number: Double) -> Failure {
        Failure(.wrongType, "the value \(number) is not an integer")
    }

    static func unknownCategory(_ key: FeatureKey?) -> Failure {
        Failure(.wrongType, "the model does not know the category '\(key.map(\.description) ?? "")'")
    }

    static func indexKey(_ key: FeatureKey, _ count: Int) -> Failure {
        Failure(.wrongType, "the dictionary has the key '\(key)'", remedy: "keys are indices of \(count) values")
    }

    /// - Parameter names: The inputs of the pipeline that contain NaN.
    static func missingNumber(_ names: [String] = []) -> Failure {
        let inputs = names.isEmpty ? "the input" : "\(names.quotedList())"
        return Failure(
            .noInput, "a number in \(inputs) is missing or NaN",
            remedy: "of the classifiers, only tree ensembles accept missing numbers", names: names)
    }

    static func pipelineInput(_ name: String, _ type: FeatureType) -> Failure {
        Failure(.noInput, "the input '\(name)' is missing", remedy: "the model takes \(type)", names: [name])
    }

    static func unknownPipelineInput(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchFeature, "there is no input '\(name)'",
            remedy: "the model takes \(names.quotedList())", names: names)
    }
}
