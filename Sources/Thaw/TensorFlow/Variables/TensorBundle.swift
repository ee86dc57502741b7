/// The variables of a checkpoint in today's format: an index (`PREFIX.index`) with their locations in the data files
/// (`PREFIX.data-00000-of-00001`, …). Values are views of the data files.
///
/// Source of the format: tensorflow/core/protobuf/tensor_bundle.proto and core/util/tensor_bundle.
final class TensorBundle: StoredVariables {
    let index: String
    private let prefix: String
    private let table: TableFile
    private let shardCount: Int
    private var shards: [Int: MappedFile] = [:]
    private let isMapped: Bool

    /// No checkpoint has as many data files.
    private static let maximumShards = 100_000

    private enum Field {
        static let shardCount = 1, endianness = 2
        static let type = 1, shape = 2, shard = 3, offset = 4, size = 5, check = 6, slice = 7
    }

    /// - Throws: `Failure` naming the index file if it is missing or corrupt.
    init(prefix: String, isMapped: Bool = true) throws {
        let index = prefix + ".index"
        (self.index, self.prefix, self.isMapped) = (index, prefix, isMapped)
        (table, shardCount) = try naming(file: index) {
            let file = try MappedFile(path: index, isMapped: isMapped)
            guard !file.bytes.isEmpty else { throw Failure.isEmpty(index) }
            let table = try TableFile(ByteView(viewing: file.bytes, of: file))
            guard let header = table.values[[]] else { throw Failure.noBundleHeader() }
            guard try header.integer(Field.endianness) ?? 0 == 0 else { throw Failure.bigEndian() }
            return (table, (try header.integer(Field.shardCount) ?? 1).clamped(to: 0...TensorBundle.maximumShards))
        }
    }

    var names: [String] {
        table.values.keys.filter { !$0.isEmpty && $0[0] != 0 }.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    func contains(_ name: String) -> Bool { table.values[Array(name.utf8)] != nil }

    /// The total size of the files that exist.
    var byteCount: Int {
        let data = (0..<min(shardCount, 1000)).compactMap { try? path(ofShard: $0) }
        return ([index] + data).reduce(0) { $0 + (fileSize($1) ?? 0) }
    }

    func entry(_ name: String) throws -> (type: TensorType, slices: [VariableSlice])? {
        try table.values[Array(name.utf8)].map { entry in
            let type = try declaredType(entry)
            return (type, try entry.messages(Field.slice).map { try VariableSlice($0, of: type.shape) })
        }
    }

    func string(_ name: String) throws -> ByteView? {
        guard let entry = table.values[Array(name.utf8)] else { return nil }
        return try naming(location: name) {
            let bytes = try bytes(of: entry)
            var reader = WireReader(bytes.bytes, 0..<bytes.count)
            // The length, its checksum, the characters.
            guard let claimed = try? FileNumber(reader.varint()) else { throw Failure.valueCorrupt() }
            let start = reader.position + 4
            guard start <= bytes.count, let length = claimed.within(0...bytes.count - start) else {
                throw Failure.valueCorrupt()
            }
            return ByteView(
                viewing: UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<start + length]), of: bytes.owner)
        }
    }

    // MARK: Values

    func tensor(at key: [UInt8], _ expected: TensorType) throws -> Tensor? {
        guard let entry = table.values[key] else { return nil }
        let type = try naming(file: index) { () throws -> TensorType in
            let type = try declaredType(entry)
            guard type == expected else { throw Failure.valueCorrupt() }
            return type
        }
        let bytes = try bytes(of: entry)
        guard bytes.count == type.shape.elementCount * type.element.size else {
            throw Failure.contentMismatch(bytes: bytes.count, type.shape, type.element).inFile(index)
        }
        return Tensor(
            shape: type.shape, element: type.element, storage: Tensor.Storage(viewing: bytes.bytes, of: bytes.owner))
    }

    private func declaredType(_ entry: RawMessage) throws -> TensorType {
        try TensorType(number: try entry.integer(Field.type), shape: try entry.message(Field.shape))
    }

    /// The bytes of an entry in its data file, with the checksum verified.
    private func bytes(of entry: RawMessage) throws -> ByteView {
        let number = (try entry.integer(Field.shard) ?? 0).clamped(to: -1...TensorBundle.maximumShards)
        let path = try path(ofShard: number)
        let file =
            try shards[number]
            ?? naming(file: path) {
                guard fileExists(path) else { throw Failure.shardMissing(number + 1, of: shardCount) }
                return try MappedFile(path: path, isMapped: isMapped)
            }
        shards[number] = file
        return try naming(file: path) {
            guard let offset = (try entry.integer(Field.offset) ?? 0).within(0...file.bytes.count),
                let size = (try entry.integer(Field.size) ?? 0).within(0...file.bytes.count - offset)
            else { throw Failure.shardTruncated(file.bytes.count) }
            let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[offset..<offset + size])
            // The checksum reads all of it, long before it is needed.
            defer { file.release(bytes) }
            if let check = try entry.integer(Field.check),
                CRC32C.masked(CRC32C.sum(bytes)) != UInt32(truncatingIfNeeded: check.size),
                // The checksum of strings includes their lengths.
                try entry.integer(Field.type) != FileNumber(DataType.string.rawValue)
            {
                throw Failure.valueChecksum()
            }
            return ByteView(viewing: bytes, of: file)
        }
    }

    private func path(ofShard number: Int) throws -> String {
        guard (0..<shardCount).contains(number), shardCount < TensorBundle.maximumShards else {
            throw Failure.noSuchShard(number, of: shardCount)
        }
        return "\(prefix).data-\(number.shardDigits)-of-\(shardCount.shardDigits)"
    }
}

extension Int {
    /// The number of a checkpoint's file, or of its files, as in their names.
    var shardDigits: String { String("0000\(self)".suffix(5)) }
}
