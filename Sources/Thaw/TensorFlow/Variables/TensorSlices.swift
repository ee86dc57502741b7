import CSchemas

/// The variables of a checkpoint in TensorFlow's first format (V1): one table or several (`PREFIX`, or
/// `PREFIX-00000-of-00002`, …), with a list of the variables and the values of their parts. Values are views of the files.
///
/// Source of the format: tensorflow/core/util/saved_tensor_slice.proto and tensor_slice_reader.
final class TensorSlices: StoredVariables {
    let index: String
    let byteCount: Int
    /// What the files say of each variable, every file of its own parts.
    private var entries: [String: [RawMessage]] = [:]
    /// The value of each part by its key, and the number of its file.
    private var values: [[UInt8]: (value: RawMessage, file: Int)] = [:]
    private let paths: [String]
    private let unpackers: [Unpacker]

    private enum Field {
        static let list = 1, value = 2
        static let entry = 1
        static let name = 1, shape = 2, type = 3, slice = 4
        static let tensor = 3
    }

    /// - Parameter paths: The files, at least one.
    /// - Throws: `Failure` naming the file that is missing or corrupt.
    init(_ paths: [String], isMapped: Bool = true) throws {
        (index, self.paths) = (paths[0], paths)
        byteCount = paths.reduce(0) { $0 + (fileSize($1) ?? 0) }
        let files = try paths.map { path in
            let file = try MappedFile(path: path, isMapped: isMapped)
            return ByteView(viewing: file.bytes, of: file)
        }
        unpackers = files.map(Unpacker.init)
        for (number, file) in files.enumerated() {
            try naming(file: paths[number]) {
                let table = try TableFile(file)
                guard let list = try table.values[[]]?.message(Field.list) else { throw Failure.noBundleHeader() }
                for (key, value) in table.values where !key.isEmpty { values[key] = (value, number) }
                for entry in try list.messages(Field.entry) {
                    entries[try entry.string(Field.name), default: []].append(entry)
                }
            }
        }
    }

    var names: [String] { entries.keys.sorted() }

    func contains(_ name: String) -> Bool { entries[name] != nil }

    func entry(_ name: String) throws -> (type: TensorType, slices: [VariableSlice])? {
        guard let entries = entries[name] else { return nil }
        let type = try TensorType(
            number: try entries[0].integer(Field.type), shape: try entries[0].message(Field.shape))
        let slices = try entries.flatMap { try $0.messages(Field.slice) }
        return (type, try slices.map { try VariableSlice($0, of: type.shape) })
    }

    func tensor(at key: [UInt8], _ type: TensorType) throws -> Tensor? {
        guard let (value, file) = values[key] else { return nil }
        return try naming(file: paths[file]) {
            guard let tensor = try value.message(Field.value)?.message(Field.tensor) else {
                throw Failure.valueCorrupt()
            }
            let unpacker = unpackers[file]
            return try unpacker.unpack(thaw_tensor(), at: tensor.range) { message in
                let proto = UnsafeRawPointer(message).assumingMemoryBound(to: TensorFlow__Tensor.self).pointee
                return try TensorDecoder.complete(proto, type, unpacker)
            }
        }
    }

    /// Objects are stored only in today's format.
    func string(_ name: String) throws -> ByteView? { nil }

    // MARK: Files

    /// The prefix of the files to which a path belongs: the path without `-00000-of-00002`, or the pattern for it.
    static func prefix(_ path: String) -> String {
        let parts = path.split(separator: "-", omittingEmptySubsequences: false)
        let number = parts.dropLast(2).last ?? ""
        guard parts.suffix(2).first == "of", parts.last?.count == 5, number.count == 5,
            number.allSatisfy({ $0 == "?" || $0.isNumber })
        else { return path }
        return parts.dropLast(3).joined(separator: "-")
    }

    /// The files with this prefix; nil if there are none.
    /// - Throws: `Failure` if one of several is missing.
    static func files(_ prefix: String) throws -> [String]? {
        if fileExists(prefix), FolderKind(path: prefix) == nil { return [prefix] }
        let (folder, name) = (folder(of: prefix), fileName(of: prefix))
        let parts = (fileNames(in: folder.isEmpty ? "." : folder) ?? []).filter {
            TensorSlices.prefix($0) == name && $0 != name
        }
        guard let count = parts.first.flatMap({ Int($0.suffix(5)) }), count > 0 else { return nil }
        return try (0..<count).map { number in
            let path = "\(prefix)-\(number.shardDigits)-of-\(count.shardDigits)"
            guard fileExists(path) else { throw Failure.shardMissing(number + 1, of: count).inFile(path) }
            return path
        }
    }
}
