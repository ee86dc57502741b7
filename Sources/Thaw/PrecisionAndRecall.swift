/// The counts for a class or a label, from which its precision and recall follow.
public protocol PrecisionAndRecall {
    /// The number of photos of the class or label.
    var images: Int { get }
    /// How often it was predicted.
    var predicted: Int { get }
    /// How often it was predicted correctly.
    var right: Int { get }
}

extension PrecisionAndRecall {
    /// The fraction of the predictions that are correct.
    public var precision: Proportion { Proportion(right, of: predicted) }

    /// The fraction of the photos of the class or label that are predicted correctly.
    public var recall: Proportion { Proportion(right, of: images) }

    /// The harmonic mean of precision and recall; NaN if both counts are 0.
    public var f1: Double { images + predicted == 0 ? .nan : 2 * Double(right) / Double(images + predicted) }
}
