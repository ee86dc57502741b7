/// The variables of a checkpoint: an index (`PREFIX.index`) with their locations in the data files
/// (`PREFIX.data-00000-of-00001`, …). Values are views of the data files.
///
/// Source of the format: tensorflow/core/protobuf/tensor_bundle.proto and core/util/tensor_bundle.
final class TensorBundle {
    let prefix: String
    private let table: TableFile
    private let shardCount: Int
    private var shards: [Int: MappedFile] = [:]
    private let isMapped: Bool

    /// No checkpoint has as many data files.
    private static let maximumShards = 100_000

    private enum Field {
        static let shardCount = 1, endianness = 2
        static let type = 1, shape = 2, shard = 3, offset = 4, size = 5, check = 6, slice = 7
        static let dimension = 2, dimensionSize = 1, extent = 1, start = 1, length = 2
    }

    /// - Throws: `Failure` naming the index file if it is missing or corrupt.
    init(prefix: String, isMapped: Bool = true) throws {
        (self.prefix, self.isMapped) = (prefix, isMapped)
        let index = prefix + ".index"
        (table, shardCount) = try naming(file: index) {
            let file = try MappedFile(path: index, isMapped: isMapped)
            guard !file.bytes.isEmpty else { throw Failure.isEmpty(index) }
            let table = try TableFile(ByteView(viewing: file.bytes, of: file))
            guard let header = table.values[[]] else { throw Failure.noBundleHeader() }
            guard try header.integer(Field.endianness) ?? 0 == 0 else { throw Failure.bigEndian() }
            return (table, (try header.integer(Field.shardCount) ?? 1).clamped(to: 0...TensorBundle.maximumShards))
        }
    }

    /// The names of the variables, sorted.
    var names: [String] {
        table.values.keys.filter { !$0.isEmpty && $0[0] != 0 }.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// Whether there is a variable with this name.
    func contains(_ name: String) -> Bool { table.values[Array(name.utf8)] != nil }

    /// The total size of all its existing files.
    var byteCount: Int {
        let data = (0..<min(shardCount, 1000)).compactMap { try? path(ofShard: $0) }
        return ([prefix + ".index"] + data).reduce(0) { $0 + (fileSize($1) ?? 0) }
    }

    /// The value of a variable, or of a part of a partitioned one.
    ///
    /// - Parameter part: The part's range along each axis; nil means the whole variable.
    /// - Throws: `Failure` naming the file at fault if the value is corrupt, or if a shard is missing.
    func value(_ name: String, part: [Range<Int>]? = nil) throws -> Tensor? {
        guard let entry = table.values[Array(name.utf8)] else { return nil }
        return try naming(location: name) { () throws -> Tensor in
            let slices = try naming(file: prefix + ".index") { try self.slices(of: entry) }
            if let part, let slice = slices.first(where: { $0.ranges == part }) { return try stored(slice, of: name) }
            let tensor = try slices.isEmpty ? stored(entry) : assembled(name, slices, self.fullType(entry))
            guard let part else { return tensor }
            guard part.count == tensor.shape.rank, zip(part, tensor.shape).allSatisfy({ $0.upperBound <= $1 }) else {
                throw Failure.sliceOutside(tensor.shape)
            }
            return StridedSlice(ranges: part.map { StridedSlice.Range(start: $0.lowerBound, count: $0.count) })
                .evaluate([tensor])[0]
        }
    }

    /// The bytes of a scalar string; nil if there is none with this name.
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

    /// The type of a complete value according to the index.
    private func fullType(_ entry: RawMessage) throws -> TensorType {
        let number = try entry.integer(Field.type) ?? 0
        guard let element = DataType(rawValue: number.size)?.element else { throw Failure.valueNotNumeric(number.size) }
        let sizes = try entry.message(Field.shape)?.messages(Field.dimension).map {
            (try $0.integer(Field.dimensionSize) ?? 0).size
        }
        let shape = Shape(sizes ?? [])
        guard shape.checkedCount != nil else { throw Failure.impossibleConstant(shape) }
        return TensorType(shape, element)
    }

    private func stored(_ entry: RawMessage) throws -> Tensor {
        let type = try naming(file: prefix + ".index") { try fullType(entry) }
        let bytes = try bytes(of: entry)
        guard bytes.count == type.shape.elementCount * type.element.size else {
            throw Failure.contentMismatch(bytes: bytes.count, type.shape, type.element).inFile(prefix + ".index")
        }
        return Tensor(
            shape: type.shape, element: type.element, storage: Tensor.Storage(viewing: bytes.bytes, of: bytes.owner))
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
        func five(_ number: Int) -> String { String("0000\(number)".suffix(5)) }
        return "\(prefix).data-\(five(number))-of-\(five(shardCount))"
    }

    // MARK: Parts

    /// The parts in which a partitioned variable is stored.
    private func slices(of entry: RawMessage) throws -> [VariableSlice] {
        let parts = try entry.messages(Field.slice)
        guard !parts.isEmpty else { return [] }
        let shape = try fullType(entry).shape
        return try parts.map { part in
            let extents = try part.messages(Field.extent)
            guard extents.count == shape.rank else { throw Failure.valueCorrupt() }
            var slice = VariableSlice()
            for (extent, size) in zip(extents, shape) {
                let claimed = try extent.integer(Field.length)
                guard let start = (try extent.integer(Field.start) ?? 0).within(0...size),
                    let length = (claimed ?? FileNumber(size - start)).within(0...size - start)
                else { throw Failure.valueCorrupt() }
                slice.ranges.append(claimed == nil ? 0..<size : start..<start + length)
                slice.isWhole.append(claimed == nil)
            }
            return slice
        }
    }

    private func stored(_ slice: VariableSlice, of name: String) throws -> Tensor {
        guard let entry = table.values[slice.key(of: name)] else {
            throw Failure.sliceMissing(slice.ranges).inFile(prefix + ".index")
        }
        return try stored(entry)
    }

    /// A complete partitioned variable.
    private func assembled(_ name: String, _ slices: [VariableSlice], _ type: TensorType) throws -> Tensor {
        let parts = try slices.map { try stored($0, of: name) }
        let count = parts.reduce(0) { $0 + $1.elementCount }
        guard count == type.shape.elementCount,
            zip(slices, parts).allSatisfy({
                $0.ranges.map(\.count) == $1.shape.dimensions && $1.element == type.element
            })
        else { throw Failure.valueCorrupt() }
        let storage = Tensor.Storage(byteCount: count * type.element.size) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            for (slice, part) in zip(slices, parts) {
                slice.copy(part, to: memory, type)
                part.storage.release()
            }
        }
        return Tensor(shape: type.shape, element: type.element, storage: storage)
    }
}
