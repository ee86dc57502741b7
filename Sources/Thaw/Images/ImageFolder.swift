#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The image files that a list of names from the command line stands for.
public enum ImageFiles {
    /// Every file in `paths`, and for a folder those below it, in byte order of their paths.
    ///
    /// A file that is named is in the list whatever it is. One that is found in a folder is passed over when it is no
    /// image by content and has no image's extension. Links to folders inside a folder are not followed.
    /// - Throws: `Failure` when a folder cannot be read.
    public static func under(_ paths: [String]) throws -> [String] {
        try paths.flatMap { isFolder($0) ? try walk($0) : [$0] }
    }

    private static func walk(_ root: String) throws -> [String] {
        var found: [String] = []
        var folders = [root]
        while let folder = folders.popLast() {
            guard let stream = opendir(folder) else { throw Failure.cannotOpen(folder, errno) }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    folders.append(path)
                } else if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, isImage(path) {
                    found.append(path)
                }
            }
        }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the file's name or its first bytes are an image's.
    private static func isImage(_ path: String) -> Bool {
        if ImageKind.isNamedLikeAnImage(path) { return true }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: ImageKind.prefix, alignment: 1) { start in
            let count = read(descriptor, start.baseAddress, start.count)
            return count > 0 && ImageKind(of: UnsafeRawBufferPointer(rebasing: start[..<count])) != nil
        }
    }
}
