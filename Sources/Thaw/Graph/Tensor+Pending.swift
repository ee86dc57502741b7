extension Tensor {
    /// The bytes of the tensor with its axes in this order and its elements converted to this type, produced piece by
    /// piece during writing.
    func pending(_ order: [Int]? = nil, as element: ElementType) -> PendingBytes {
        PendingBytes(count: elementCount * element.size) { append in
            let (source, plan) = arranged(order ?? Array(shape.indices))
            defer { source.release() }
            try withExtendedLifetime(source) {
                try plan.pieces(of: source.bytes, elementSize: self.element.size, limit: Tensor.pieceSize) { piece in
                    try Tensor.convert(piece, from: self.element, to: element, append)
                }
            }
        }
    }

    /// How many bytes are processed at a time, unless a single row is longer.
    static let pieceSize = 1 << 22

    private static func convert(
        _ piece: UnsafeRawBufferPointer, from: ElementType, to: ElementType, _ append: PendingBytes.Append
    ) throws {
        if from == to { return try append(piece) }
        let count = piece.count / from.size
        let storage = Storage(byteCount: piece.count) { $0.copyMemory(from: piece) }
        let converted = Tensor(shape: [count], element: from, storage: storage).converted(to: to)
        try withExtendedLifetime(converted.storage) { try append(converted.bytes) }
    }

    /// The tensor converted to another element type, or the tensor itself if it already has that type.
    func converted(to element: ElementType) -> Tensor {
        if element == self.element { return self }
        return withElements { elements in Tensor(shape: shape, element: element) { elements[$0] } }
    }
}

extension PendingBytes {
    /// Whether any float32 value is finite and larger than this in magnitude.
    func hasFloats(beyond limit: Float) -> Bool {
        var isFound = false
        // Only the consumer of the bytes throws.
        try! write { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) where !isFound {
                let number = bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)
                isFound = abs(number) > limit && number.isFinite
            }
        }
        return isFound
    }

    /// Converts float32 values to float16.
    var halved: PendingBytes {
        PendingBytes(count: count / 2) { append in
            let piece = 1 << 15
            var halves = [UInt16](repeating: 0, count: piece)
            try write { bytes in
                for start in stride(from: 0, to: bytes.count / 4, by: piece) {
                    let count = min(piece, bytes.count / 4 - start)
                    for i in 0..<count {
                        let number = bytes.loadUnaligned(fromByteOffset: (start + i) * 4, as: Float.self)
                        halves[i] = half(from: number).littleEndian
                    }
                    try halves.withUnsafeBytes { try append(UnsafeRawBufferPointer(rebasing: $0[..<(count * 2)])) }
                }
            }
        }
    }
}
