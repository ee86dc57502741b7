/// A sorted table of keys and values in LevelDB's table format: a checkpoint's `.index` file, or all of one in the first format.
///
/// It consists of blocks of entries, in which each key is stored as the length of the prefix shared with the previous key and the
/// rest; after each block its compression and checksum; an index block with the locations of the blocks; and a footer with the
/// location of the index.
/// Source: https://github.com/google/leveldb/blob/main/doc/table_format.md
struct TableFile {
    /// The values by their keys.
    private(set) var values: [[UInt8]: RawMessage] = [:]
    private let file: ByteView

    private static let footerSize = 48
    private static let magic: UInt64 = 0xDB47_7524_8B80_FB57
    /// Limits for keys, which are variable names: their length, and their total size per byte of the file.
    private static let longestKey = 1 << 16
    private static let growth = 64

    /// Reads the whole table and verifies all checksums.
    /// - Throws: `Failure` if the table is corrupt or compressed.
    init(_ file: ByteView) throws {
        self.file = file
        let footer = file.count - TableFile.footerSize
        let magic = withUnsafeBytes(of: TableFile.magic.littleEndian) { Array($0) }
        guard footer >= 0, file.bytes.suffix(8).elementsEqual(magic) else { throw Failure.tableTruncated() }
        var reader = WireReader(file.bytes, footer..<file.count - 8)
        for _ in 0..<2 { _ = try TableFile.varint(&reader) }
        var budget = TableFile.growth * file.count
        var last: [UInt8] = []
        for entry in try entries(try block(&reader), &budget) {
            var handle = WireReader(file.bytes, entry.value)
            for (key, value) in try entries(try block(&handle), &budget) {
                guard values.isEmpty || last.lexicographicallyPrecedes(key) else {
                    throw Failure.tableCorrupt(at: value.lowerBound)
                }
                values[key] = RawMessage(file, at: value)
                last = key
            }
        }
    }

    /// The content of the block whose offset and size are read next.
    private func block(_ handle: inout WireReader) throws -> Range<Int> {
        let (claimedOffset, claimedSize) = (try TableFile.varint(&handle), try TableFile.varint(&handle))
        // After a block come its compression and its checksum.
        guard file.count >= 5, let offset = claimedOffset.within(0...file.count - 5),
            let size = claimedSize.within(0...file.count - 5 - offset)
        else { throw Failure.tableTruncated() }
        let contents = offset..<offset + size
        let checked = UnsafeRawBufferPointer(rebasing: file.bytes[offset..<offset + size + 1])
        let stored = try file.bytes.number(UInt32.self, at: offset + size + 1)
        #if !THAW_FUZZ  // A changed table would never get further.
            guard FileNumber(CRC32C.masked(CRC32C.sum(checked))) == stored else {
                throw Failure.tableChecksum(at: offset)
            }
        #endif
        switch file.bytes[offset + size] {
        case 0: return contents
        case 1: throw Failure.tableCompression("Snappy")
        case let number: throw Failure.tableCompression("number \(number)")
        }
    }

    private func entries(_ block: Range<Int>, _ budget: inout Int) throws -> [(key: [UInt8], value: Range<Int>)] {
        guard block.count >= 4 else { throw Failure.tableCorrupt(at: block.lowerBound) }
        let claimed = try file.bytes.number(UInt32.self, at: block.upperBound - 4)
        guard let restarts = claimed.within(0...(block.count - 4) / 4) else {
            throw Failure.tableCorrupt(at: block.lowerBound)
        }
        var reader = WireReader(file.bytes, block.lowerBound..<block.upperBound - 4 - 4 * restarts)
        var key: [UInt8] = []
        var entries: [(key: [UInt8], value: Range<Int>)] = []
        while reader.position < reader.end {
            let start = reader.position
            let claimed = try (0..<3).map { _ in try TableFile.varint(&reader) }
            let left = reader.end - reader.position
            guard let shared = claimed[0].within(0...key.count), let rest = claimed[1].within(0...left),
                let count = claimed[2].within(0...left - rest), shared + rest <= TableFile.longestKey
            else { throw Failure.tableCorrupt(at: start) }
            budget -= shared + rest
            guard budget >= 0 else { throw Failure.tableCorrupt(at: start) }
            let position = reader.position
            key.removeLast(key.count - shared)
            key.append(contentsOf: file.bytes[position..<position + rest])
            entries.append((key, position + rest..<position + rest + count))
            reader.skip(rest + count)
        }
        return entries
    }

    private static func varint(_ reader: inout WireReader) throws -> FileNumber {
        let start = reader.position
        guard let number = try? FileNumber(reader.varint()) else { throw Failure.tableCorrupt(at: start) }
        return number
    }
}
