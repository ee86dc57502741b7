/// The type of floating-point values.
public enum ComputePrecision: String, Sendable, CaseIterable {
    case float16, float32

    var element: ElementType { self == .float16 ? .float16 : .float32 }
}

/// The input, output and compute types of an ML Program.
public struct ProgramPrecision: Sendable {
    /// The compute type. Nil means float32 for weights in float32, and float16 otherwise.
    public var compute: ComputePrecision?
    /// The type of multi-array and grayscale inputs. Other images are always 8-bit.
    public var inputs = ComputePrecision.float32
    /// The type of multi-array and grayscale outputs.
    public var outputs = ComputePrecision.float32

    /// The types of an ML Program; without `compute`, it follows from the weights.
    public init(
        compute: ComputePrecision? = nil, inputs: ComputePrecision = .float32, outputs: ComputePrecision = .float32
    ) {
        (self.compute, self.inputs, self.outputs) = (compute, inputs, outputs)
    }

    /// Whether every setting can also be expressed in a neural network.
    package var isDefault: Bool { compute == nil && inputs == .float32 && outputs == .float32 }

    /// The setting that requires iOS 16 or later with this weight storage; nil if there is none.
    func needingHalf(_ weights: WeightStorage) -> Phrase? {
        if inputs == .float16 { return "\(option: .inputType) float16" }
        if outputs == .float16 { return "\(option: .outputType) float16" }
        return compute == .float32 && weights.type == .float16
            ? "\(option: .computePrecision) float32 with weights in float16" : nil
    }

    /// Whether any input or output may be float16.
    var hasHalfFeatures: Bool { inputs == .float16 || outputs == .float16 }
}
