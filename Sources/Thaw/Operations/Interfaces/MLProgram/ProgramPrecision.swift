/// What numbers with fractions are.
public enum ComputePrecision: String, Sendable, CaseIterable {
    case float16, float32

    var element: ElementType { self == .float16 ? .float16 : .float32 }
}

/// What an ML Program takes, computes in and gives.
public struct ProgramPrecision: Sendable {
    /// What it computes in; nil is float32 for weights in float32, and float16 for all others.
    public var compute: ComputePrecision?
    /// What arrays and gray images are that go in. Other images are always of 8 bits.
    public var inputs = ComputePrecision.float32
    /// What arrays and gray images are that come out.
    public var outputs = ComputePrecision.float32

    public init(
        compute: ComputePrecision? = nil, inputs: ComputePrecision = .float32, outputs: ComputePrecision = .float32
    ) {
        (self.compute, self.inputs, self.outputs) = (compute, inputs, outputs)
    }

    /// Whether nothing is said that a neural network has no place for.
    var isStandard: Bool { compute == nil && inputs == .float32 && outputs == .float32 }

    /// What of it only iOS 16 and later know, with weights stored so; nil for none.
    func needingHalf(_ weights: WeightStorage) -> String? {
        if inputs == .float16 { return "--input-type float16" }
        if outputs == .float16 { return "--output-type float16" }
        return compute == .float32 && weights.type == .float16
            ? "--compute-precision float32 with weights in float16" : nil
    }

    /// Whether something that goes in or comes out may be of 16 bits.
    var hasHalfFeatures: Bool { inputs == .float16 || outputs == .float16 }
}
