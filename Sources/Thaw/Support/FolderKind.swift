#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a folder is, told by the names in it, so that an error can call it by name.
enum FolderKind: Sendable {
    case savedModel, checkpoint, coreMLPackage, plain

    /// The kind of the folder at `path`, or nil when there is no folder there that can be read.
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

    /// The names in a folder, or nil when there is no folder there that can be read.
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
