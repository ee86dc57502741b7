import Thaw

/// Invalid calls of the C interface.
extension Failure {
    static func isNull(_ name: String) -> Failure {
        Failure(.invalidArgument, "\(name) is NULL", names: [name])
    }

    static func invalidHandle(_ name: String) -> Failure {
        Failure(.invalidHandle, "\(name) is not a handle of this type, or was freed", names: [name])
    }

    static func unknownSize(_ name: String, _ size: Int, _ expected: Int) -> Failure {
        Failure(
            .invalidArgument, "\(name) has the size \(UInt(bitPattern: size))",
            remedy: "this version of the library expects \(expected); set the member 'size' to sizeof", names: [name])
    }

    static func notUTF8(_ name: String) -> Failure {
        Failure(.invalidArgument, "\(name) is not UTF-8", names: [name])
    }

    static func outOfRange(
        _ name: String, _ number: some BinaryInteger, _ expected: String = "of at least 0"
    ) -> Failure {
        Failure(
            .invalidArgument, "\(name) is \(number)", remedy: "expected an integer \(expected)", names: [name])
    }

    /// - Parameter size: A `size_t`, which Swift takes for a signed integer.
    static func sizeTooLarge(_ name: String, _ size: Int) -> Failure {
        outOfRange(name, UInt(bitPattern: size), "of at most \(Int.max)")
    }

    static func unknownType(_ name: String, _ number: Int) -> Failure {
        Failure(.invalidArgument, "\(name) has the unknown element type \(number)", names: [name])
    }

    static func tensorBytes(_ name: String, _ count: Int, _ expected: Int?) -> Failure {
        Failure(
            .wrongShape, "the tensor '\(name)' has \(count) bytes",
            remedy: expected.map { "its shape and type require \($0)" }, names: [name])
    }

    static func notAChoiceOf(_ name: String, _ text: String, _ choices: [String]) -> Failure {
        Failure(
            .invalidOption, location: name, "'\(text)' is unknown",
            remedy: "the choices are \(choices.joined(separator: ", "))", names: choices)
    }

    static func cannotCombine(_ first: String, _ second: String) -> Failure {
        Failure(.invalidOption, "\(first) cannot be combined with \(second)")
    }

    static func required(_ name: String) -> Failure {
        Failure(.invalidOption, "\(name) is required", names: [name])
    }

    static func programNeedsPackage(_ path: String) -> Failure {
        Failure(
            .invalidOption, file: path, "an ML Program cannot be a .mlmodel file", remedy: "expected .mlpackage")
    }

    static func pixelChannels(_ channels: Int) -> Failure {
        Failure(
            .invalidOption, "an image with \(counted(channels, "channel")) is invalid", remedy: "channels are 1, 3 or 4"
        )
    }

    static func imageSize(_ width: Int, _ height: Int) -> Failure {
        Failure(
            .invalidOption, "the size \(width)×\(height) is invalid",
            remedy: "sides are from 1 to \(ImageSizes.longestSide)")
    }

    static func rowStride(_ stride: Int, _ width: Int) -> Failure {
        Failure(
            .invalidArgument, "row_stride is \(UInt(bitPattern: stride))", remedy: "a row has \(width) bytes",
            names: ["row_stride"])
    }

    static func noImageGiven() -> Failure {
        Failure(.invalidArgument, "the image has no path, bytes or pixels")
    }

    static func batchOfPaths() -> Failure {
        Failure(.invalidArgument, "the batch has paths", remedy: "images are added to a batch without paths")
    }

    static func expectedNetwork(_ function: String) -> Failure {
        Failure(.wrongKind, "the model is a pipeline", remedy: "\(function) takes a network")
    }

    static func weightsWithoutProgram() -> Failure {
        Failure(
            .invalidOption, "weights are given for a model without ML Programs", remedy: "omit them",
            names: ["weights"])
    }

    static func functionOfOther() -> Failure {
        Failure(.invalidOption, "the model has no functions", remedy: "an ML Program may have several")
    }

    static func cannotRunPipeline() -> Failure {
        Failure(.wrongKind, "the model is a pipeline", remedy: "thaw_model_predict takes its values")
    }

    static func pipelineTakesNoOptions() -> Failure {
        Failure(.unsupportedTarget, "a pipeline is written as it was read", remedy: "leave out the options")
    }

    static func noPipeline() -> Failure {
        Failure(
            .unsupportedModel, "the model does not detect objects: it is a network without non-maximum suppression",
            remedy: "a detector is a pipeline that takes one image and has a nonMaximumSuppression stage")
    }

    static func threshold(_ name: String, _ value: Double, _ range: ClosedRange<Double>) -> Failure {
        let expected = range.upperBound.isFinite ? "from 0 to \(range.upperBound)" : "of at least 0"
        return Failure(
            .invalidOption, location: name, "the threshold is \(value)", remedy: "expected a number \(expected)")
    }

    static func unknownValueKind(_ name: String, _ number: Int) -> Failure {
        Failure(.invalidArgument, "\(name) has the unknown kind \(number)", names: [name])
    }

    static func mixedKeys(_ name: String) -> Failure {
        Failure(.wrongType, "some keys of \(name) are strings and some are integers", names: [name])
    }

    static func valueOfNetwork(_ name: String, _ kind: String) -> Failure {
        Failure(
            .wrongType, "the input '\(name)' is given \(kind)", remedy: "the network takes an array or an image",
            names: [name])
    }

    static func noDetection() -> Failure {
        Failure(.wrongKind, "the result is not a detection", remedy: "a detector returns one")
    }

    static func noClassification() -> Failure {
        Failure(.wrongKind, "the result is not a classification", remedy: "its outputs are read one by one")
    }

    static func noSuchOutput(_ index: Int, _ count: Int) -> Failure {
        Failure(
            .invalidArgument, "there is no output \(UInt(bitPattern: index))", remedy: "the result has \(count)",
            names: ["index"])
    }

    static func canceledBatch() -> Failure { Failure(.canceled, "the batch was canceled") }
}
