/// Inputs that an operation does not accept.
extension Failure {
    static func constantTooLarge(_ shape: Shape, limit: Int = ImportContext.largestConstant) -> Failure {
        Failure(
            .limitExceeded, "a tensor of shape \(shape) would be computed during the import",
            remedy: "the limit is \(limit) elements")
    }

    static func constantTooSlow(_ shape: Shape) -> Failure {
        Failure(
            .limitExceeded, "a tensor of shape \(shape) would be computed during the import",
            remedy:
                "the limit for all such tensors is 2^\(ImportContext.largestWork.trailingZeroBitCount) multiply-adds")
    }

    static func constantsTooLarge() -> Failure {
        Failure(
            .limitExceeded, "the constants that are computed while the model is read take too much memory",
            remedy: "the limit is \(Limits.runMemoryText)", hint: "THAW_MAX_MEMORY raises the limit")
    }

    static func wrongRank(_ rank: Int, _ shape: Shape) -> Failure {
        Failure(
            .wrongShape, "the input has shape \(shape)", remedy: "expected \(counted(rank, "axis", plural: "axes"))")
    }

    static func wrongRank(_ ranks: ClosedRange<Int>, _ shape: Shape) -> Failure {
        Failure(
            .wrongShape, "the input has shape \(shape)",
            remedy: "expected \(ranks.lowerBound) to \(ranks.upperBound) axes")
    }

    static func tooFewAxes(_ least: Int, _ shape: Shape) -> Failure {
        Failure(
            .wrongShape, "the input has shape \(shape)",
            remedy: "expected at least \(counted(least, "axis", plural: "axes"))")
    }

    static func emptyWindow(_ sizes: [Int]) -> Failure {
        Failure(.wrongShape, "a window of \(Shape(sizes)) has no elements")
    }

    static func windowTooLarge(_ height: Int, _ width: Int, _ imageHeight: Int, _ imageWidth: Int) -> Failure {
        Failure(
            .wrongShape,
            """
            a window \(height) pixels high and \(width) wide does not fit an image \
            \(imageHeight) high and \(imageWidth) wide
            """)
    }

    static func imageSize(_ height: Int, _ width: Int, _ expectedHeight: Int, _ expectedWidth: Int) -> Failure {
        Failure(
            .wrongSize, "the image has \(width)×\(height) pixels",
            remedy: "expected \(expectedWidth)×\(expectedHeight)")
    }

    static func channelMismatch(_ channels: Int, _ expected: Int) -> Failure {
        Failure(.wrongShape, "the input has \(channels) channels", remedy: "the weights are for \(expected)")
    }

    static func weightShape(_ shape: Shape, _ expected: String) -> Failure {
        Failure(.wrongShape, "the weights have shape \(shape)", remedy: "expected \(expected)")
    }

    static func elementCount(_ from: Shape, _ to: Shape) -> Failure {
        Failure(
            .wrongShape, "a tensor of shape \(from) cannot be reshaped to \(to)",
            remedy: "the number of elements must stay the same")
    }

    static func shapesDiffer(_ a: Shape, _ b: Shape) -> Failure {
        Failure(.wrongShape, "tensors of shapes \(a) and \(b) are incompatible")
    }

    static func notDivisible(_ shape: Shape, _ blocks: String) -> Failure {
        Failure(.wrongShape, "a tensor of shape \(shape) cannot be divided into blocks of \(blocks)")
    }

    static func sliceOutside(_ shape: Shape) -> Failure {
        Failure(.wrongShape, "the slice is outside the tensor of shape \(shape)")
    }

    static func elementTypesDiffer(_ a: String, _ b: String) -> Failure {
        Failure(.wrongType, "the inputs have the types \(a) and \(b)", remedy: "they must be the same")
    }
}
