#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A table keyed by tensor content, used to find equal weights in different nodes.
///
/// A few sampled elements distinguish most tensors. All bytes are compared only if the samples match.
struct TensorTable<Value> {
    private var entries: [TensorSample: [(tensor: Tensor, value: Value)]] = [:]

    /// The value of the first tensor with this type and content.
    func value(of tensor: Tensor) -> Value? {
        entries[TensorSample(tensor)]?.first { $0.tensor.hasContent(of: tensor) }?.value
    }

    /// Adds a tensor that is not yet in the table.
    mutating func add(_ tensor: Tensor, _ value: Value) {
        entries[TensorSample(tensor), default: []].append((tensor, value))
    }
}

extension TensorTable: Sendable where Value: Sendable {}

/// The type of a tensor and a few of its elements, which are the same for equal tensors.
private struct TensorSample: Hashable {
    private let type: TensorType
    private let bytes: [UInt8]

    private static let count = 8

    init(_ tensor: Tensor) {
        type = tensor.type
        let (source, plan) = tensor.arranged(Array(tensor.shape.indices))
        let size = tensor.element.size
        let count = tensor.elementCount
        bytes = withExtendedLifetime(source) {
            var bytes: [UInt8] = []
            for part in 0..<min(count, TensorSample.count) {
                let start = plan.sourceIndex(of: part * count / TensorSample.count) * size
                bytes.append(contentsOf: source.bytes[start..<start + size])
            }
            return bytes
        }
    }
}

extension Tensor {
    /// Whether both have the same type and the same bytes, regardless of their order in memory.
    fileprivate func hasContent(of other: Tensor) -> Bool {
        guard type == other.type else { return false }
        let order = Array(shape.indices)
        let (source, plan) = arranged(order)
        let (otherSource, otherPlan) = other.arranged(order)
        let isSameOrder = plan == otherPlan
        if isSameOrder, source.bytes.baseAddress == otherSource.bytes.baseAddress { return true }
        if isSameOrder {
            return withExtendedLifetime((source, otherSource)) { source.bytes.hasContent(of: otherSource.bytes) }
        }
        return pending(as: element).made.withBytes { mine in
            other.pending(as: element).made.withBytes { mine.hasContent(of: $0) }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasContent(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        return isEmpty || memcmp(baseAddress!, other.baseAddress!, count) == 0
    }
}
