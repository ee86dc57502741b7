extension Model {
    /// A checksum that identifies the model at `path` by the content of its files, not by their names and locations.
    /// - Parameters:
    ///   - labels: A graph's label file, whose content is included.
    ///   - options: Options that change the model's results.
    /// - Throws: `Failure` naming the file that cannot be read.
    package static func fingerprint(of path: String, labels: String? = nil, options: [String] = []) throws -> UInt32 {
        let (folder, names) = try files(of: path, ModelFormat(of: path))
        var sum: UInt32 = 0
        func add(_ bytes: UnsafeRawBufferPointer) {
            // The boundaries between files count too.
            withUnsafeBytes(of: bytes.count.littleEndian) { sum = CRC32C.sum($0, after: sum) }
            sum = CRC32C.sum(bytes, after: sum)
        }
        for path in names.map({ folder + $0 }) + (labels.map { [$0] } ?? []) {
            let file = try MappedFile(path: path)
            file.withBytes { add($0) }
        }
        for option in options { Array(option.utf8).withUnsafeBytes(add) }
        return sum
    }

    /// The size of the model at `path` in bytes, and a checksum that other tools can reproduce. For a file it is what
    /// `sha256sum` prints; for a folder it is the checksum of the lines that `sha256sum` prints for its files, in the order of
    /// their names (`LC_ALL=C; find . -type f | sed s,./,, | sort | xargs sha256sum | sha256sum`, in the folder).
    /// - Throws: `Failure` naming the file that cannot be read.
    package static func checksum(of path: String) throws -> (bytes: Int, sha256: String) {
        let (folder, names) = try files(of: path, ModelFormat(of: path))
        var (bytes, lines) = (0, "")
        for name in names {
            let file = try MappedFile(path: folder + name)
            let sum = file.withBytes { SHA256.text(of: $0) }
            bytes += file.bytes.count
            if folder.isEmpty { return (bytes, sum) }
            lines += "\(sum)  \(name)\n"
        }
        return (bytes, Array(lines.utf8).withUnsafeBytes { SHA256.text(of: $0) })
    }

    /// The files that a model consists of: their folder, and their names in it.
    private static func files(of path: String, _ format: ModelFormat) -> (folder: String, names: [String]) {
        if FolderKind(path: path) != nil { return (path + "/", below(path + "/", "")) }
        // An empty folder means a single file.
        let folder = folder(of: path).isEmpty ? "./" : folder(of: path)
        switch format {
        case .frozenGraph, .coreML, .coreMLPackage: return ("", [path])
        case .savedModel: return (folder, below(folder, ""))
        case .checkpoint:
            // One of several checkpoints in a folder, given by the prefix of its files' names or by one of these files.
            let suffix = [".index", ".meta"].first { path.hasSuffix($0) } ?? ""
            let prefix = TensorSlices.prefix(String(fileName(of: path).dropLast(suffix.count)))
            // The first format has files without an extension.
            return (
                folder, below(folder, "").filter { $0.hasPrefix(prefix + ".") || TensorSlices.prefix($0) == prefix }
            )
        }
    }

    /// The names of all files in a folder and its subfolders, sorted in byte order as whole paths, as `sort` does it. Models
    /// are nested only a few levels deep.
    private static func below(_ folder: String, _ inner: String, depth: Int = 0) -> [String] {
        let names = fileNames(in: folder + inner) ?? []
        let paths = names.flatMap { name in
            FolderKind(path: folder + inner + name) == nil
                ? [inner + name] : depth < 4 ? below(folder, inner + name + "/", depth: depth + 1) : []
        }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
