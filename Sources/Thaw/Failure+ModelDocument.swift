/// Models in memory, and values that do not fit a model's inputs.
extension Failure {
    static func noBytes() -> Failure { Failure(.damaged, "the model is empty", remedy: "expected a Core ML model") }

    static func noFormat() -> Failure {
        Failure(
            .invalidOption, "the format of the model is not given",
            remedy: "a converted graph becomes a neural network or an ML Program")
    }

    static func inputMissing(_ name: String) -> Failure {
        Failure(.noInput, "the input '\(name)' is missing", names: [name])
    }

    static func valueWithoutName(_ names: [String]) -> Failure {
        Failure(
            .ambiguousInputs, "a value has no input name, and the model has \(names.count) inputs",
            remedy: "the model takes \(names.quotedList())", names: names)
    }

    package static func duplicateValue(forInput name: String) -> Failure {
        Failure(.invalidOption, "there are two values for the input '\(name)'", names: [name])
    }

    static func imageSize(_ name: String, _ size: ImageSize, _ image: ModelFeature.Image) -> Failure {
        let expected = image.sizes == .fixed ? "\(image.width)×\(image.height)" : "\(image.sizes)"
        return Failure(
            .wrongSize, "the image for '\(name)' has \(size.width)×\(size.height) pixels",
            remedy: "the model takes \(expected)", names: [name])
    }

    static func imageExpected(_ name: String, _ image: ModelFeature.Image) -> Failure {
        let expected =
            image.isFloat16
            ? "floating-point values of shape [height, width]"
            : image.color == .gray ? "8-bit gray pixels" : "8-bit pixels of red, green and blue"
        return Failure(
            .wrongType, "the value for '\(name)' is not an image of the required type",
            remedy: "the model takes \(expected)", names: [name])
    }

    static func multiArrayExpected(_ name: String) -> Failure {
        Failure(
            .wrongType, "the value for '\(name)' is an image", remedy: "the model takes a multi-array",
            names: [name])
    }

    static func multiArrayShape(
        _ name: String, _ shape: [Int], _ expected: [Int], _ shapes: ArrayShapes = .fixed
    ) -> Failure {
        Failure(
            .wrongShape, "the multi-array for '\(name)' has shape \(shape)",
            remedy: shapes == .fixed ? "the model takes \(expected)" : "the model takes \(shapes)", names: [name])
    }
}
