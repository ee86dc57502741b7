/// Models that cannot be quantized.
extension Failure {
    static func alreadyQuantized() -> Failure {
        Failure(
            .cannotQuantize, "the model is already quantized",
            remedy: "quantize the original model, to avoid losing accuracy twice")
    }

    static func cannotQuantizeFlexibleSizes(_ sizes: ImageSizes) -> Failure {
        Failure(
            .cannotQuantize, "the model takes images of several sizes: \(sizes)",
            remedy: "only models of one size can be quantized; '\(option: .size)' converts a graph for one")
    }

    static func cannotQuantizePipeline() -> Failure {
        Failure(.cannotQuantize, "the model is a pipeline", remedy: "only single networks can be quantized")
    }

    static func cannotQuantizeBatch(_ count: Int) -> Failure {
        Failure(
            .cannotQuantize, "the model takes \(count) images at a time",
            remedy: "only models of one image can be quantized")
    }

    static func nothingToQuantize() -> Failure {
        Failure(.cannotQuantize, "no layer of the model has weights that can be quantized")
    }

    static func noPhotos() -> Failure {
        Failure(
            .noImages, "there are no photos to measure ranges on",
            remedy: "pass photos similar to those that the model will see")
    }

    static func noLabelsToKeep() -> Failure {
        Failure(
            .cannotQuantize, "the model does not return scores of classes, so there are no top labels to keep",
            remedy: "omit \(option: .maximumChangedShare)")
    }

    static func allLayersKept(_ limit: Int, of count: Int) -> Failure {
        Failure(
            .cannotQuantize,
            "at most \(limit) of \(count) top labels may change, which would require keeping every layer in floating "
                + "point",
            remedy: "allow more with \(option: .maximumChangedShare)")
    }

    static func cannotStoreRange(_ name: String) -> Failure {
        Failure(
            .cannotQuantize, location: name, "its range cannot be stored in the metadata of this format",
            remedy: "write a .mlpackage for iOS 17 or later")
    }

    static func tooLargeForFloat16(_ name: String, _ largest: Float) -> Failure {
        Failure(
            .cannotQuantize, location: name, "its values reach \(largest), and the largest float16 value is 65504",
            remedy: "compute in float32 with '\(option: .computePrecision) float32', or write a .mlmodel")
    }

    static func valuesNotFinite(_ node: Node) -> Failure {
        Failure(
            .cannotQuantize, location: "\(node)", "computes NaN or infinity on a photo",
            remedy: "ranges need finite values; one of the weights may be NaN", nodes: [node])
    }
}

extension Note {
    static func singlePhoto() -> Note {
        Note(
            .photosUnsuitable,
            "the ranges are those of a single photo, and may be too narrow for others; 100 photos are better")
    }

    static func uncertainPhotos(_ probability: Float) -> Note {
        Note(
            .photosUnsuitable,
            "the network does not recognize most of the photos (the median of the highest probability is "
                + "\((probability * 100).rounded() / 100)): the ranges may not suit other images")
    }

    static func labelsChanged(_ changed: Int, of count: Int, atMost limit: Int) -> Note {
        Note(
            .labelsChanged,
            "\(changed) of \(count) top labels change, which is more than \(limit), however many layers are kept in floating point"
        )
    }

    static func manyLabelsChanged(_ changed: Int, of count: Int) -> Note {
        Note(
            .labelsChanged,
            "\(changed) of \(count) top labels change; check the preprocessing, or limit the number with "
                + "\(option: .maximumChangedShare)")
    }

    static func photosOfOneLabel(_ count: Int) -> Note {
        Note(
            .photosUnsuitable,
            "all \(count) photos have the same top label: the ranges may not suit other images")
    }
}
