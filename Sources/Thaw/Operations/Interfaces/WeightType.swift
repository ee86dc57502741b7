/// How the weights of a model are stored.
public enum WeightType: String, Sendable, CaseIterable {
    case float32, float16
    /// 8-bit affine quantization with a scale and an offset for each output channel.
    case int8
    /// Indices into a lookup table of 256, 64 or 16 values.
    case palette8, palette6, palette4

    /// The type in which an ML Program with such weights computes.
    var arithmetic: ElementType { self == .float32 ? .float32 : .float16 }

    /// The type of weights that are not compressed.
    var stored: ElementType { self == .float32 ? .float32 : .float16 }

    /// The bits of a palette index, or nil if this is not a palette.
    var paletteBits: Int? {
        switch self {
        case .palette8: 8
        case .palette6: 6
        case .palette4: 4
        default: nil
        }
    }

    /// The bits per weight, without the scales or the palette.
    public var bits: Int {
        switch self {
        case .float32: 32
        case .float16: 16
        case .int8: 8
        case .palette8, .palette6, .palette4: paletteBits!
        }
    }

    /// Whether some weights are left uncompressed: see `WeightStorage`.
    package var isSelective: Bool { self == .int8 || paletteBits != nil }
}

/// How weights are stored, and which of them.
public struct WeightStorage: Sendable {
    /// The type that weights are stored in.
    public var type: WeightType
    /// Smaller weight tensors are left uncompressed: there is little to gain.
    public var minimumCount: Int
    /// Whether the filters of depthwise convolutions are compressed too. They are small, and the most sensitive.
    public var includesDepthwise: Bool

    /// Weights of this type; tensors of fewer elements than `minimumCount` keep theirs.
    public init(_ type: WeightType, minimumCount: Int = 2048, includesDepthwise: Bool = false) {
        self.type = type
        self.minimumCount = minimumCount
        self.includesDepthwise = includesDepthwise
    }

    /// Whether these weights, with the output channels first or moved there by this axis order, are compressed below
    /// floating point. Weights that contain infinity or NaN never are.
    func compresses(_ weights: Tensor, order: [Int]? = nil) -> Bool {
        let shape = order.map { weights.shape.permuted($0) } ?? weights.shape
        let isDepthwise = shape.rank == 4 && shape[1] == 1
        return type.isSelective && weights.elementCount >= max(1, minimumCount) && (includesDepthwise || !isDepthwise)
            && weights.withFloats { $0.allSatisfy { abs($0) <= .largestHalf } }
    }
}
