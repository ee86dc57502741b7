/// How the weights of a model are stored.
public enum WeightType: String, Sendable, CaseIterable {
    case float32, float16
    /// 8 bits on a line: each output channel has a scale and an offset of its own.
    case int8
    /// The places of numbers in a list of 256, 64 or 16.
    case palette8, palette6, palette4

    /// What an ML Program with such weights computes in.
    var arithmetic: ElementType { self == .float32 ? .float32 : .float16 }

    /// The type of weights that are not compressed.
    var stored: ElementType { self == .float32 ? .float32 : .float16 }

    /// The bits of a place in the list, or nil for what is no palette.
    var paletteBits: Int? {
        switch self {
        case .palette8: 8
        case .palette6: 6
        case .palette4: 4
        default: nil
        }
    }

    /// The bits that each number takes, without the scales or the palette that come with it.
    public var bits: Int {
        switch self {
        case .float32: 32
        case .float16: 16
        case .int8: 8
        case .palette8, .palette6, .palette4: paletteBits!
        }
    }

    /// Whether some weights are left as they are: see `WeightStorage`.
    public var isSelective: Bool { self == .int8 || paletteBits != nil }
}

/// How weights are stored, and which of them.
public struct WeightStorage: Sendable {
    public var type: WeightType
    /// Smaller arrays of weights stay as they are: there is little to gain.
    public var minimumCount: Int
    /// Whether the filters of depthwise convolutions are compressed, too: they are few, and the first to suffer.
    public var includesDepthwise: Bool

    public init(_ type: WeightType, minimumCount: Int = 2048, includesDepthwise: Bool = false) {
        self.type = type
        self.minimumCount = minimumCount
        self.includesDepthwise = includesDepthwise
    }

    /// Whether these weights, output channels first or brought there by this order of axes, are compressed to less than
    /// floating-point numbers. Those of which one is infinite or no number never are.
    func compresses(_ weights: Tensor, order: [Int]? = nil) -> Bool {
        let shape = order.map { weights.shape.permuted($0) } ?? weights.shape
        let isDepthwise = shape.rank == 4 && shape[1] == 1
        return type.isSelective && weights.elementCount >= max(1, minimumCount) && (includesDepthwise || !isDepthwise)
            && weights.withFloats { $0.allSatisfy { abs($0) <= WeightStorage.largest } }
    }

    /// Half precision has no larger number.
    static let largest: Float = 65504
}
