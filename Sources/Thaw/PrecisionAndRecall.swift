/// The counts for a class or a label, from which its precision and recall follow.
public protocol PrecisionAndRecall {
    /// The number of photos that show it, of those for which it is predicted, and of those with both.
    var images: Int { get }
    var predicted: Int { get }
    var right: Int { get }
}

extension PrecisionAndRecall {
    /// The share of the predictions that are right.
    public var precision: Proportion { Proportion(right, of: predicted) }

    /// The share of the photos that are predicted right.
    public var recall: Proportion { Proportion(right, of: images) }

    /// The harmonic mean of precision and recall; NaN if both counts are 0.
    public var f1: Double { images + predicted == 0 ? .nan : 2 * Double(right) / Double(images + predicted) }
}
