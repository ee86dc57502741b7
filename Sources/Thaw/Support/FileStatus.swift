#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The size of the file at `path` in bytes, or nil if there is no such file.
func fileSize(_ path: String) -> Int? {
    var status = stat()
    guard stat(path.fileName, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
}

/// The properties that differ after a file is changed, or replaced by another one with its name.
struct FileVersion: Equatable {
    private let device: dev_t
    private let number: ino_t
    private let size: off_t
    private let seconds: Int
    private let nanoseconds: Int

    init(_ status: stat) {
        (device, number, size) = (status.st_dev, status.st_ino, status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
    }

    /// The version of the file at `path`; nil if it does not exist.
    init?(path: String) {
        var status = stat()
        guard stat(path.fileName, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// The path of a file or folder with links resolved; nil if it does not exist.
func withoutLinks(_ path: String) -> String? {
    guard let resolvedPath = realpath(path.fileName, nil) else { return nil }
    defer { free(resolvedPath) }
    return String(fileName: UnsafeRawBufferPointer(start: resolvedPath, count: strlen(resolvedPath)))
}

/// The file that a path finally refers to, whether it exists or not: a link may point to one that does not exist yet.
func endOfLinks(_ path: String) -> String {
    if let resolved = withoutLinks(path) { return resolved }
    var target = path
    // The limit stops cycles.
    for _ in 0..<8 {
        let next = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { block -> String? in
            let memory = block.baseAddress!.assumingMemoryBound(to: CChar.self)
            let count = readlink(target.fileName, memory, block.count)
            return count > 0 ? String(fileName: UnsafeRawBufferPointer(rebasing: block[..<count])) : nil
        }
        guard let next else { return target }
        target = next.hasPrefix("/") ? next : folder(of: target) + next
    }
    return path
}

/// The path of an existing or new file with links resolved, the same for every spelling.
package func canonicalPath(of path: String) -> String {
    if let resolved = withoutLinks(path) { return resolved }
    let folder = folder(of: path)
    return (withoutLinks(folder.isEmpty ? "." : folder) ?? folder) + "/"
        + Substring(path.utf8.dropFirst(folder.utf8.count))
}

/// The part of a path up to its last slash.
package func folder(of path: String) -> String {
    // By bytes: a slash and a combining mark after it are one character.
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(path.utf8[...$0])) } ?? ""
}

/// The part of a path after its last slash.
package func fileName(of path: String) -> String { String(Substring(path.utf8.dropFirst(folder(of: path).utf8.count))) }

/// - Throws: `Failure` naming the file or folder to be written at `path` if the folder around it does not exist.
func requireFolder(around path: String) throws {
    var name = path[...]
    while name.count > 1, name.last == "/" { name.removeLast() }
    let around = folder(of: String(name))
    var status = stat()
    if !around.isEmpty, stat(around.fileName, &status) != 0, errno == ENOENT { throw Failure.folderMissing(path) }
}

func fileExists(_ path: String) -> Bool { fileSize(path) != nil }

/// Whether there is a folder at a path, or a link to one.
package func folderExists(_ path: String) -> Bool {
    var status = stat()
    return stat(path.fileName, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Whether there is anything at a path.
func pathExists(_ path: String) -> Bool { access(path.fileName, F_OK) == 0 }

/// The names in a folder, without `.` and `..`; nil if there is no readable folder.
func fileNames(in folder: String) -> [String]? {
    guard let handle = opendir(folder.fileName) else { return nil }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(fileName: $0.prefix { $0 != 0 }) }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}
