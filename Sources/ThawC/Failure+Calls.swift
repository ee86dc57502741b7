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
            .invalidArgument, "\(name) has the size \(size)",
            remedy: "this version of the library expects \(expected); set the member 'size' to sizeof", names: [name])
    }

    static func notUTF8(_ name: String) -> Failure {
        Failure(.invalidArgument, "\(name) is not UTF-8", names: [name])
    }

    static func negative(_ name: String, _ number: Int) -> Failure {
        Failure(.invalidArgument, "\(name) is \(number)", names: [name])
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

    static func excludes(_ first: String, _ second: String) -> Failure {
        Failure(.invalidOption, "\(first) and \(second) exclude each other")
    }

    static func required(_ name: String) -> Failure {
        Failure(.invalidOption, "\(name) is required", names: [name])
    }

    static func wrongExtension(_ path: String) -> Failure {
        Failure(
            .unknownFormat, file: path, "the name ends in neither .mlmodel nor .mlpackage",
            remedy: "the extension selects the format")
    }

    static func kindAndExtension(_ path: String, _ kind: String) -> Failure {
        Failure(.invalidOption, file: path, "the extension does not match the kind '\(kind)'")
    }

    static func pixelSize(_ width: Int, _ height: Int, _ channels: Int) -> Failure {
        Failure(
            .invalidOption, "an image of \(width)×\(height) pixels and \(channels) channels is invalid",
            remedy: "channels are 1, 3 or 4")
    }

    static func rowStride(_ stride: Int, _ width: Int) -> Failure {
        Failure(.invalidArgument, "row_stride is \(stride)", remedy: "a row has \(width) bytes", names: ["row_stride"])
    }

    static func noImageGiven() -> Failure {
        Failure(.invalidArgument, "the image has no path, bytes or pixels")
    }

    static func batchOfPaths() -> Failure {
        Failure(.invalidArgument, "the batch has paths", remedy: "images are added to a batch without paths")
    }

    static func noClassification() -> Failure {
        Failure(.wrongKind, "the result is not a classification", remedy: "its outputs are read one by one")
    }

    static func noSuchOutput(_ index: Int, _ count: Int) -> Failure {
        Failure(.invalidArgument, "there is no output \(index)", remedy: "the result has \(count)", names: ["index"])
    }

    static func canceledBatch() -> Failure { Failure(.canceled, "the batch was canceled") }
}
