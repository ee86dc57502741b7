/// Models whose weights cannot be compressed.
extension Failure {
    static func graphCompressed() -> Failure {
        Failure(
            .wrongKind, "is a graph; a Core ML model is expected",
            remedy: "'thaw convert --weights' compresses on the way")
    }

    static func compressedAlready() -> Failure {
        Failure(
            .cannotCompress, "the weights are compressed already",
            remedy: "compress the model that it was made of: each time loses more"
        )
    }

    static func halfAlready() -> Failure {
        Failure(.cannotCompress, "the weights are stored in float16 already", remedy: "int8 and the palettes take less")
    }

    static func trainable() -> Failure {
        Failure(.cannotCompress, "the model can be trained on devices", remedy: "that takes its weights as they are")
    }

    static func nothingToCompress(_ minimum: Int) -> Failure {
        Failure(
            .cannotCompress, "no convolution and no dense layer has weights to compress, \(minimum) or more",
            remedy: "--min-elements lowers that number, --depthwise takes in depthwise convolutions")
    }
}
