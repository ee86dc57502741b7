import CProtobuf
import CSchemas

/// Reads tensors from TensorProto messages, and limits their memory.
///
/// A constant's elements are stored either as bytes (`tensor_content`) or in the list for its type (`float_val`, …). The last
/// element of a list is repeated for all missing ones; an empty list means zeros. So a few bytes can require any number of
/// elements: all repeated elements of a graph share one budget.
struct TensorDecoder {
    /// The most bytes of repeated elements in a graph.
    static let limit = 1 << 28

    private let file: ByteView
    private var remaining = TensorDecoder.limit
    private var mayRepeat = true

    init(file: ByteView) { self.file = file }

    /// The tensor of a message that lists all its elements, without their type and shape, as in a checkpoint.
    /// - Throws: `Failure` if there are more or fewer elements than the type needs.
    static func complete(_ proto: TensorFlow__Tensor, _ type: TensorType, _ unpacker: Unpacker) throws -> Tensor {
        var decoder = TensorDecoder(file: unpacker.file)
        decoder.mayRepeat = false
        return try decoder.listed(proto, type, unpacker)
    }

    /// The tensor that `proto` describes, or nil for unsupported element types such as strings. If its bytes are in the file
    /// unchanged, it is a view of them.
    /// - Throws: `Failure` if the shape is impossible, or the content does not match it.
    mutating func tensor(_ proto: TensorFlow__Tensor, _ unpacker: Unpacker) throws -> Tensor? {
        guard let element = DataType(proto.dtype)?.element else { return nil }
        let shape = try TensorDecoder.shape(proto.tensor_shape?.pointee)

        let content = try unpacker.large(proto.n_tensor_content_extent, proto.tensor_content_extent, "tensor_content")
        if content != nil || proto.tensor_content.len > 0 {
            let bytes =
                content?.bytes
                ?? UnsafeRawBufferPointer(start: proto.tensor_content.data, count: proto.tensor_content.len)
            guard bytes.count == shape.elementCount * element.size else {
                throw Failure.contentMismatch(bytes: bytes.count, shape, element)
            }
            return Tensor(shape: shape, element: element, storage: storage(content, or: bytes))
        }
        return try listed(proto, TensorType(shape, element), unpacker)
    }

    private static func shape(_ shape: TensorFlow__TensorShape?) throws -> Shape {
        guard let shape else { return [] }
        let sizes = Shape(fieldElements(shape.dim, shape.n_dim).map { FileNumber($0!.pointee.size).size })
        guard shape.unknown_rank == 0, sizes.checkedCount != nil else { throw Failure.impossibleConstant(sizes) }
        return sizes
    }

    private func storage(_ content: ByteView?, or bytes: UnsafeRawBufferPointer) -> Tensor.Storage {
        content.map { Tensor.Storage(viewing: $0.bytes, of: $0.owner) }
            ?? Tensor.Storage(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }

    // MARK: Lists

    /// The tensor whose elements are in the list for its type.
    private mutating func listed(_ proto: TensorFlow__Tensor, _ target: TensorType, _ unpacker: Unpacker) throws
        -> Tensor
    {
        switch target.element {
        case .float32:
            let view = try unpacker.large(proto.n_float_val_extent, proto.float_val_extent, "float_val")
            return try fixed(fieldElements(proto.float_val, proto.n_float_val), view, target)
        case .float64:
            let view = try unpacker.large(proto.n_double_val_extent, proto.double_val_extent, "double_val")
            return try fixed(fieldElements(proto.double_val, proto.n_double_val), view, target)
        case .int64:
            let view = try unpacker.large(proto.n_int64_val_extent, proto.int64_val_extent, "int64_val")
            return try varints(fieldElements(proto.int64_val, proto.n_int64_val), view, "int64_val", target)
        case .uint64:
            let view = try unpacker.large(proto.n_uint64_val_extent, proto.uint64_val_extent, "uint64_val")
            return try varints(fieldElements(proto.uint64_val, proto.n_uint64_val), view, "uint64_val", target)
        case .uint32:
            let view = try unpacker.large(proto.n_uint32_val_extent, proto.uint32_val_extent, "uint32_val")
            return try varints(fieldElements(proto.uint32_val, proto.n_uint32_val), view, "uint32_val", target)
        case .bool:
            let view = try unpacker.large(proto.n_bool_val_extent, proto.bool_val_extent, "bool_val")
            return try varints(fieldElements(proto.bool_val, proto.n_bool_val), view, "bool_val", target)
        case .float16, .bfloat16:
            let view = try unpacker.large(proto.n_half_val_extent, proto.half_val_extent, "half_val")
            return try varints(fieldElements(proto.half_val, proto.n_half_val), view, "half_val", target)
        case .int8, .uint8, .int16, .uint16, .int32:
            let view = try unpacker.large(proto.n_int_val_extent, proto.int_val_extent, "int_val")
            return try varints(fieldElements(proto.int_val, proto.n_int_val), view, "int_val", target)
        }
    }

    /// A list of values that are encoded as they are in memory.
    private mutating func fixed<T>(
        _ inline: UnsafeBufferPointer<T>, _ view: ByteView?, _ target: TensorType
    ) throws -> Tensor {
        guard view == nil || inline.isEmpty else { throw Failure.fieldInPieces("of the elements") }
        let bytes = view?.bytes ?? UnsafeRawBufferPointer(inline)
        if bytes.count == target.shape.elementCount * target.element.size {
            return Tensor(shape: target.shape, element: target.element, storage: storage(view, or: bytes))
        }
        return try extended(bytes, target)
    }

    /// A list of values that are encoded as varints, the lowest bytes of which are the element.
    private mutating func varints<T: FixedWidthInteger>(
        _ inline: UnsafeBufferPointer<T>, _ view: ByteView?, _ field: String, _ target: TensorType
    ) throws -> Tensor {
        var bytes: [UInt8] = []
        func append(_ number: UInt64) {
            let value = target.element == .bool ? (number == 0 ? 0 : 1) : number
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0.prefix(target.element.size)) }
        }
        if let view {
            guard inline.isEmpty else { throw Failure.fieldInPieces(field) }
            bytes.reserveCapacity(target.element.size * view.count)
            var reader = WireReader(view.bytes, 0..<view.count)
            do {
                while reader.position < reader.end { append(try reader.varint()) }
            } catch { throw Failure.malformedPackedField(field) }
        } else {
            bytes.reserveCapacity(target.element.size * inline.count)
            for number in inline { append(UInt64(truncatingIfNeeded: number)) }
        }
        return try bytes.withUnsafeBytes { try extended($0, target) }
    }

    /// The elements in `bytes`, the last of them repeated until the shape is full.
    private mutating func extended(_ bytes: UnsafeRawBufferPointer, _ target: TensorType) throws -> Tensor {
        let size = target.element.size
        let total = target.shape.elementCount * size
        guard bytes.count % size == 0, bytes.count <= total, mayRepeat || bytes.count == total else {
            throw Failure.listMismatch(elements: bytes.count / size, target.shape)
        }
        guard total - bytes.count <= remaining else {
            throw Failure.tooManyRepeated(target.shape, limit: TensorDecoder.limit)
        }
        remaining -= total - bytes.count
        let storage = Tensor.Storage(byteCount: total) { out in
            out.copyMemory(from: bytes)
            guard bytes.count < total else { return }
            let rest = UnsafeMutableRawBufferPointer(rebasing: out[bytes.count...])
            let last = UnsafeRawBufferPointer(rebasing: bytes.suffix(size))
            if last.allSatisfy({ $0 == 0 }) {
                rest.initializeMemory(as: UInt8.self, repeating: 0)
            } else {
                for offset in stride(from: 0, to: rest.count, by: size) {
                    UnsafeMutableRawBufferPointer(rebasing: rest[offset..<offset + size]).copyMemory(from: last)
                }
            }
        }
        return Tensor(shape: target.shape, element: target.element, storage: storage)
    }
}

extension DataType {
    /// Reference types (values from 101) count as the types that they refer to.
    init?(_ type: TensorFlow__DataType) {
        self.init(rawValue: type.rawValue > 100 ? Int(type.rawValue) - 100 : Int(type.rawValue))
    }
}

/// A repeated field of a structure of protobuf-c.
func fieldElements<Element>(_ start: UnsafeMutablePointer<Element>?, _ count: Int) -> UnsafeBufferPointer<Element> {
    UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
}
