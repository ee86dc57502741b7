/// Models whose weights cannot be compressed.
extension Failure {
    static func cannotCompressAll(_ functions: [String]) -> Failure {
        Failure(
            .unsupportedModel, "the model has several functions: \(functions.sorted().map { "'\($0)'" }.listed())",
            remedy: "select one with \(option: .function); the compressed model has only this one")
    }

    static func cannotCompressGraph() -> Failure {
        Failure(
            .wrongKind, "is a TensorFlow graph; expected a Core ML model",
            remedy: "\(task: .convert) with \(option: .weights) converts and compresses it")
    }

    static func alreadyCompressed() -> Failure {
        Failure(
            .cannotCompress, "the weights are already compressed",
            remedy: "compress the original model, to avoid losing accuracy twice"
        )
    }

    static func alreadyFloat16() -> Failure {
        Failure(
            .cannotCompress, "the weights are already stored in float16", remedy: "int8 and the palettes are smaller")
    }

    static func cannotCompressTrainable() -> Failure {
        Failure(
            .cannotCompress, "the model can be trained on the device", remedy: "training needs uncompressed weights")
    }

    static func nothingToCompress(_ minimum: Int) -> Failure {
        let depthwise: Phrase = "\(option: .includesDepthwise) includes depthwise convolutions"
        return Failure(
            .nothingToCompress,
            minimum > 1
                ? "no convolution and no dense layer has \(minimum) weights or more"
                : "there is no convolution and no dense layer",
            remedy: minimum > 1 ? "\(option: .minimumCount) lowers that limit, \(depthwise)" : depthwise)
    }
}
