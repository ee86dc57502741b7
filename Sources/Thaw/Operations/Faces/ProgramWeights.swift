/// The file beside an ML Program that holds its larger arrays: what is in it and where, before it is written.
///
/// A header of 64 bytes, then for each array a header of 64 bytes and its bytes, all at multiples of 64, little-endian.
/// Source: coremltools' `mlmodel/src/MILBlob/Blob/StorageFormat.hpp`.
struct ProgramWeights: Sendable {
    /// How the elements of an array are stored, by the numbers of the format.
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
        func byteCount(_ elements: Int) -> Int { (elements * bits + 7) / 8 }
    }

    static let alignment = 64
    static let sentinel: UInt32 = 0xDEAD_BEEF
    static let version: UInt32 = 2

    /// An array of the file. Weights with fractions stay as they are until they are written.
    private struct Blob: Sendable {
        var tensor: Tensor
        var kind: Kind
        var byteCount: Int
        /// The bits at the end that belong to no element.
        var paddingBits: Int
    }

    private var blobs: [Blob] = []
    private(set) var byteCount = ProgramWeights.alignment

    var isEmpty: Bool { blobs.isEmpty }

    /// Appends an array. One of 8-bit numbers may hold elements of fewer bits, already packed.
    ///
    /// - Parameter elements: How many elements a packed array has; the tensor's count where nil.
    /// - Returns: Where its header will stand.
    mutating func append(_ tensor: Tensor, as kind: Kind, elements: Int? = nil) -> Int {
        let count = elements ?? tensor.elementCount
        let bytes = kind.byteCount(count)
        let start = byteCount
        blobs.append(Blob(tensor: tensor, kind: kind, byteCount: bytes, paddingBits: bytes * 8 - count * kind.bits))
        byteCount += ProgramWeights.alignment + ProgramWeights.aligned(bytes)
        return start
    }

    static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }

    /// Hands on the bytes of the file in order.
    func write(_ append: (UnsafeRawBufferPointer) throws -> Void) throws {
        try header([UInt32(blobs.count), ProgramWeights.version], []).withUnsafeBytes(append)
        var place = ProgramWeights.alignment
        for blob in blobs {
            let start = place + ProgramWeights.alignment
            let numbers = [blob.byteCount, start, blob.paddingBits].map { UInt64($0) }
            try header([ProgramWeights.sentinel, blob.kind.rawValue], numbers).withUnsafeBytes(append)
            try write(blob, append)
            let rest = ProgramWeights.aligned(blob.byteCount) - blob.byteCount
            try [UInt8](repeating: 0, count: rest).withUnsafeBytes(append)
            place = start + blob.byteCount + rest
        }
    }

    private func header(_ words: [UInt32], _ numbers: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
        for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
        return bytes + [UInt8](repeating: 0, count: ProgramWeights.alignment - bytes.count)
    }

    /// Weights become half as wide piece by piece, so that no second copy of them all is needed.
    private func write(_ blob: Blob, _ append: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard blob.kind == .float16, blob.tensor.element != .float16 else {
            return try withExtendedLifetime(blob.tensor.storage) { try append(blob.tensor.bytes) }
        }
        let piece = 1 << 15
        try blob.tensor.withFloats { floats in
            var halves = [UInt16](repeating: 0, count: min(piece, floats.count))
            for start in stride(from: 0, to: floats.count, by: piece) {
                let count = min(piece, floats.count - start)
                for i in 0..<count { halves[i] = half(from: floats[start + i]).littleEndian }
                try halves.withUnsafeBytes { try append(UnsafeRawBufferPointer(rebasing: $0[..<(count * 2)])) }
            }
        }
    }
}
