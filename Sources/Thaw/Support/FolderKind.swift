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
        self = .plain
        for name in names {
            if name == "saved_model.pb" || name == "saved_model.pbtxt" {
                self = .savedModel
            } else if name == "Manifest.json" {
                self = .coreMLPackage
            } else if self == .plain, name == "checkpoint" || name.hasSuffix(".index") || name.hasSuffix(".meta") {
                self = .checkpoint
            }
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
