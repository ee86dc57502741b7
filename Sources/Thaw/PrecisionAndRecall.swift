/// The counts for a class or a label, from which its precision and recall follow.
public protocol PrecisionAndRecall {
    /// The number of photos of the class or label.
    var imageCount: Int { get }
    /// How often it was predicted.
    var predictionCount: Int { get }
    /// How often it was predicted correctly.
    var correctCount: Int { get }
}

extension PrecisionAndRecall {
    /// The fraction of the predictions that are correct.
    public var precision: Proportion { Proportion(correctCount, of: predictionCount) }

    /// The fraction of the photos of the class or label that are predicted correctly.
    public var recall: Proportion { Proportion(correctCount, of: imageCount) }

    /// The harmonic mean of precision and recall; NaN if both counts are 0.
    public var f1: Double {
        imageCount + predictionCount == 0 ? .nan : 2 * Double(correctCount) / Double(imageCount + predictionCount)
    }
}
