import Thaw

/// The types of the protocol's tensors.
enum DataType: String, Sendable {
    case bool = "BOOL"
    case uint8 = "UINT8"
    case uint16 = "UINT16"
    case uint32 = "UINT32"
    case uint64 = "UINT64"
    case int8 = "INT8"
    case int16 = "INT16"
    case int32 = "INT32"
    case int64 = "INT64"
    case float16 = "FP16"
    case float32 = "FP32"
    case float64 = "FP64"
    case bytes = "BYTES"

    private static let elements: [ElementType: DataType] = [
        .bool: .bool, .uint8: .uint8, .uint16: .uint16, .uint32: .uint32, .uint64: .uint64, .int8: .int8,
        .int16: .int16, .int32: .int32, .int64: .int64, .float16: .float16, .float32: .float32, .float64: .float64,
    ]

    /// - Throws: `Failure` for a type that the protocol does not have.
    init(_ element: ElementType, _ port: String) throws {
        guard let type = DataType.elements[element] else {
            throw Failure(
                .unsupportedModel, "the elements of '\(port)' are \(element.rawValue)",
                remedy: "the protocol has no such type")
        }
        self = type
    }

    /// The type of the elements in a tensor; nil for strings.
    private var element: ElementType? { DataType.elements.first { $0.value == self }?.key }

    /// The smallest and the largest integer, the largest of 64 bits rounded up; nil for floating-point types and strings.
    var bounds: ClosedRange<Double>? { self == .bool ? 0...1 : element?.bounds }

    /// The bytes of one element; nil if they differ.
    var size: Int? { element?.size }
}
