/// The layout of the weight file next to an ML Program: its contents and their offsets, before it is written.
///
/// A 64-byte header, then for each tensor a 64-byte header and its bytes, all aligned to 64 bytes, little-endian.
/// Source: coremltools' `mlmodel/src/MILBlob/Blob/StorageFormat.hpp`.
struct ProgramWeights: Sendable, Equatable {
    /// How the elements of a tensor are stored, with the format's raw values.
    enum Kind: UInt32, Sendable {
        case float16 = 1
        case float32, uint8, int8, bfloat16, int16, uint16, int4, uint1, uint2, uint4, uint3, uint6, int32
        case uint32

        var bits: Int {
            switch self {
            case .float32, .int32, .uint32: 32
            case .float16, .bfloat16, .int16, .uint16: 16
            case .uint8, .int8: 8
            case .uint6: 6
            case .int4, .uint4: 4
            case .uint3: 3
            case .uint2: 2
            case .uint1: 1
            }
        }

        /// The bytes that this many elements take.
        func byteCount(_ elements: Int) -> Int { (elements * bits).dividedRoundingUp(by: 8) }
    }

    static let alignment = 64
    static let sentinel: UInt32 = 0xDEAD_BEEF
    static let version: UInt32 = 2

    /// A tensor in the file, which is produced when it is written.
    private struct Blob: Sendable, Equatable {
        var bytes: PendingBytes
        var kind: Kind
        /// The bits at the end that belong to no element.
        var paddingBits: Int

        static func == (a: Blob, b: Blob) -> Bool {
            guard a.kind == b.kind, a.paddingBits == b.paddingBits, a.bytes.count == b.bytes.count else { return false }
            return a.bytes.made.withBytes { a in b.bytes.made.withBytes { a.elementsEqual($0) } }
        }
    }

    /// Distinguishes two blobs of the same tensor.
    private struct Form: Hashable {
        var kind: Kind
        var paddingBits: Int
    }

    private var blobs: [Blob] = []
    private(set) var byteCount = ProgramWeights.alignment
    /// The offsets of existing blobs, by their source tensors.
    private var offsets: [Form: TensorTable<Int>] = [:]

    /// The sources of the blobs, by offset.
    private(set) var tensors: [Int: Tensor] = [:]

    static func == (a: ProgramWeights, b: ProgramWeights) -> Bool { a.blobs == b.blobs }

    /// Appends a tensor unless the file already has one with the same content: weights that several operations share
    /// are stored once. A tensor of 8-bit integers may contain packed elements of fewer bits.
    ///
    /// - Parameters:
    ///   - elements: How many elements a packed tensor has; nil for the tensor's own count.
    ///   - order: The axis order in which the tensor is stored.
    /// - Returns: The offset of its header.
    mutating func append(_ tensor: Tensor, as kind: Kind, elements: Int? = nil, order: [Int]? = nil) -> Int {
        let count = elements ?? tensor.elementCount
        let padding = kind.byteCount(count) * 8 - count * kind.bits
        let form = Form(kind: kind, paddingBits: padding)
        let inOrder = order.map { tensor.transposed($0) } ?? tensor
        if let offset = offsets[form]?.value(of: inOrder) { return offset }
        // Floating-point values are converted to the stored type. All others have that type already.
        let bytes =
            switch kind {
            case .float16 where tensor.element != .float16: tensor.pending(order, as: .float32).halved
            case .float32: tensor.pending(order, as: .float32)
            default: tensor.pending(order, as: tensor.element)
            }
        precondition(bytes.count == kind.byteCount(count))
        let start = byteCount
        offsets[form, default: TensorTable()].add(inOrder, start)
        tensors[start] = inOrder
        blobs.append(Blob(bytes: bytes, kind: kind, paddingBits: padding))
        byteCount += ProgramWeights.alignment + ProgramWeights.aligned(bytes.count)
        return start
    }

    static func aligned(_ count: Int) -> Int { count.rounded(upToMultipleOf: alignment) }

    /// Passes the bytes of the file to `append`, in order.
    func write(_ append: (UnsafeRawBufferPointer) throws -> Void) throws {
        try header([UInt32(blobs.count), ProgramWeights.version], []).withUnsafeBytes(append)
        var offset = ProgramWeights.alignment
        for blob in blobs {
            let start = offset + ProgramWeights.alignment
            let numbers = [blob.bytes.count, start, blob.paddingBits].map { UInt64($0) }
            try header([ProgramWeights.sentinel, blob.kind.rawValue], numbers).withUnsafeBytes(append)
            try blob.bytes.write(append)
            let rest = ProgramWeights.aligned(blob.bytes.count) - blob.bytes.count
            try [UInt8](repeating: 0, count: rest).withUnsafeBytes(append)
            offset = start + blob.bytes.count + rest
        }
    }

    private func header(_ words: [UInt32], _ numbers: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
        for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
        return bytes + [UInt8](repeating: 0, count: ProgramWeights.alignment - bytes.count)
    }
}
