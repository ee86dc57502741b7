#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The kind of a folder, detected from the names in it. It decides how the folder is loaded.
enum FolderKind: Sendable {
    case savedModel, checkpoint, coreMLPackage, plain

    /// The kind of the folder at `path`, or nil if there is no readable folder.
    init?(path: String) {
        guard let names = FolderKind.names(in: path) else { return nil }
        self =
            if names.contains("saved_model.pb") || names.contains("saved_model.pbtxt") {
                .savedModel
            } else if names.contains("Manifest.json") {
                .coreMLPackage
            } else if names.contains(where: { $0 == "checkpoint" || $0.hasSuffix(".index") || $0.hasSuffix(".meta") }) {
                .checkpoint
            } else {
                .plain
            }
    }

    /// The names in a folder, or nil if there is no readable folder.
    static func names(in path: String) -> [String]? {
        guard let folder = opendir(path.fileName) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(fileName: $0.prefix { $0 != 0 })
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
