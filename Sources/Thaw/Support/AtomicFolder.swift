import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that is written atomically: files are created in a temporary folder beside it, and `commit` renames that.
/// Without a commit nothing remains, and whatever existed under the final name is unchanged.
final class AtomicFolder {
    /// The name as the user specified it, for messages.
    private let path: String
    private let target: String
    /// The folder where files are created; empty after it has been renamed.
    private var temporary: String
    private let mayReplace: Bool

    /// - Parameters:
    /// - mayReplace: Whether whatever exists under this name is replaced.
    /// - isReplaceable: Whether an existing folder is of a kind that may be replaced.
    /// - Throws: `Failure` if the enclosing folder is missing or not writable, or if there is something that may not
    ///   be replaced.
    init(path: String, mayReplace: Bool = true, isReplaceable: (String) -> Bool) throws {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        (self.path, self.mayReplace) = (path, mayReplace)
        target = withoutLinks(String(name)) ?? String(name)
        temporary = ""
        var status = stat()
        if stat(target.fileName, &status) == 0 {
            if !mayReplace { throw Failure.alreadyExists(path) }
            guard status.st_mode & S_IFMT == S_IFDIR, isReplaceable(target) else { throw Failure.notReplaceable(path) }
        }
        while true {
            let candidate = folder(of: target) + ".thaw-" + String(UInt64.random(in: .min ... .max), radix: 36)
            if mkdir(candidate.fileName, 0o777) == 0 {
                temporary = candidate
                return
            }
            if errno != EEXIST { throw Failure.cannotCreate(path, errno) }
        }
    }

    deinit { if !temporary.isEmpty { Self.remove(temporary) } }

    /// Creates a folder in it, with intermediate folders.
    func makeFolder(_ name: String) throws {
        var path = temporary
        for part in name.split(separator: "/") {
            path += "/" + part
            guard mkdir(path.fileName, 0o777) == 0 || errno == EEXIST else {
                throw Failure.cannotWrite(self.path, errno)
            }
        }
    }

    /// Creates a file in it. Failures name the folder, because the file's name is temporary.
    func file(_ name: String) throws -> AtomicFile { try AtomicFile(path: temporary + "/" + name) }

    /// Renames the folder. Whatever existed under its name is removed.
    func commit() throws {
        var status = stat()
        let exists = stat(target.fileName, &status) == 0
        if exists && !mayReplace { throw Failure.alreadyExists(path) }
        let (source, destination) = (temporary.fileName, target.fileName)
        guard (exists ? thaw_exchange_names(source, destination) : rename(source, destination)) == 0 else {
            throw errno == EEXIST || errno == ENOTEMPTY ? Failure.alreadyExists(path) : Failure.cannotWrite(path, errno)
        }
        if exists { Self.remove(temporary) }
        temporary = ""
    }

    /// Removes a file, or a folder with its contents; links in it are removed, not followed.
    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path.fileName, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path.fileName)
            return
        }
        for name in FolderKind.names(in: path) ?? [] { remove(path + "/" + name) }
        rmdir(path.fileName)
    }
}
