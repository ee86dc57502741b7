/// The type of a tensor's elements. TensorFlow's quantized types are plain integers here; the node that reads them
/// knows their scale and zero point.
public enum ElementType: String, Hashable, Sendable, CaseIterable {
    case float16, bfloat16, float32, float64
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64
    case bool

    /// Bytes of one element.
    public var size: Int {
        switch self {
        case .int8, .uint8, .bool: 1
        case .float16, .bfloat16, .int16, .uint16: 2
        case .float32, .int32, .uint32: 4
        case .float64, .int64, .uint64: 8
        }
    }

    /// Whether the elements are floating-point values.
    public var isFloatingPoint: Bool {
        switch self {
        case .float16, .bfloat16, .float32, .float64: true
        default: false
        }
    }
}

extension ElementType {
    /// The smallest and the largest integer of the type; nil for floating-point types and Booleans. For 64 bits the upper
    /// bound is rounded up to a power of two.
    public var bounds: ClosedRange<Double>? {
        switch self {
        case .int8: -0x1p7...0x1p7 - 1
        case .uint8: 0...0x1p8 - 1
        case .int16: -0x1p15...0x1p15 - 1
        case .uint16: 0...0x1p16 - 1
        case .int32: -0x1p31...0x1p31 - 1
        case .uint32: 0...0x1p32 - 1
        case .int64: -0x1p63...0x1p63
        case .uint64: 0...0x1p64
        case .float16, .bfloat16, .float32, .float64, .bool: nil
        }
    }
}
