/// The weight file of an ML Program, mapped or in memory. Nothing in it is trusted. See `ProgramWeights` for its format.
struct WeightFile: Sendable {
    let file: ByteView
    /// The file's name in messages.
    private let name: String

    init(path: String, isMapped: Bool) throws {
        let file = try MappedFile(path: path, isMapped: isMapped)
        try self.init(ByteView(viewing: file.bytes, of: file), name: path)
    }

    init(_ file: ByteView, name: String) throws {
        self.file = file
        self.name = name
        guard file.bytes.count >= ProgramWeights.alignment else {
            throw Failure.weightsOutside(0, file.bytes.count).inFile(name)
        }
        let version = UInt32(clamping: try file.bytes.number(UInt32.self, at: 4).size)
        guard version == ProgramWeights.version else { throw Failure.weightFileVersion(version).inFile(name) }
    }

    /// The tensor whose header is at `offset`, which must have this type. Values of fewer than 8 bits are unpacked; all
    /// others are a view of the file.
    /// - Throws: `Failure` if there is no such tensor.
    func tensor(at offset: Int, _ shape: Shape, _ type: MILElement) throws -> Tensor {
        try naming(file: name) {
            let alignment = ProgramWeights.alignment
            let size = file.bytes.count
            guard offset >= 0, offset % alignment == 0 else { throw Failure.weightsUnaligned(offset) }
            guard offset <= size - alignment else { throw Failure.weightsOutside(offset, size) }
            guard try file.bytes.number(UInt32.self, at: offset) == FileNumber(ProgramWeights.sentinel) else {
                throw Failure.weightSentinel(offset)
            }
            let kindCode = UInt32(clamping: try file.bytes.number(UInt32.self, at: offset + 4).size)
            guard let kind = ProgramWeights.Kind(rawValue: kindCode), kind == type.kind else {
                let found = ProgramWeights.Kind(rawValue: kindCode).map { "\($0)" } ?? "\(kindCode)"
                throw Failure.weightKind(offset, found, type.name)
            }
            let claimedCount = try file.bytes.number(UInt64.self, at: offset + 8)
            let claimedStart = try file.bytes.number(UInt64.self, at: offset + 16)
            guard claimedStart.size % alignment == 0 else { throw Failure.weightsUnaligned(claimedStart.size) }
            guard let start = claimedStart.within(0...size), let count = claimedCount.within(0...size - start) else {
                throw Failure.weightsOutside(offset, size)
            }
            guard let elements = shape.checkedCount, kind.byteCount(elements) == count else {
                let expected = shape.checkedCount.map(kind.byteCount) ?? 0
                throw Failure.weightCount(offset, count, "\(type.name)\(shape)", expected)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[start..<start + count])
            return type.tensor(shape, ByteView(viewing: bytes, of: file.owner))
        }
    }
}

/// An element type of an ML Program's tensors, including those of fewer than 8 bits.
struct MILElement {
    /// The format's name: "UINT4".
    let name: String
    let kind: ProgramWeights.Kind
    /// The type of the unpacked elements.
    let element: ElementType

    private static let types: [String: (ProgramWeights.Kind, ElementType)] = [
        "FLOAT16": (.float16, .float16), "FLOAT32": (.float32, .float32), "BFLOAT16": (.bfloat16, .bfloat16),
        "INT8": (.int8, .int8), "INT16": (.int16, .int16), "INT32": (.int32, .int32), "INT4": (.int4, .int8),
        "UINT8": (.uint8, .uint8), "UINT16": (.uint16, .uint16), "UINT32": (.uint32, .uint32),
        "UINT6": (.uint6, .uint8), "UINT4": (.uint4, .uint8), "UINT3": (.uint3, .uint8),
        "UINT2": (.uint2, .uint8), "UINT1": (.uint1, .uint8),
    ]

    /// The type with this name, or nil if weight files do not have such a type.
    init?(_ name: String) {
        guard let (kind, element) = Self.types[name] else { return nil }
        (self.name, self.kind, self.element) = (name, kind, element)
    }

    /// The tensor in `bytes`, whose count must match its shape.
    func tensor(_ shape: Shape, _ bytes: ByteView) -> Tensor {
        guard kind.bits < 8 else {
            return Tensor(
                shape: shape, element: element, storage: Tensor.Storage(viewing: bytes.bytes, of: bytes.owner))
        }
        let elements = bytes.withBytes { unpacked($0, count: shape.elementCount, bits: kind.bits, .lowestFirst) }
        guard element == .int8 else { return Tensor(bytes: elements, shape: shape) }
        // The highest of the bits is the sign.
        let sign = 1 << (kind.bits - 1)
        return Tensor(shape: shape, element: element) { Double((Int(elements[$0]) ^ sign) - sign) }
    }
}
