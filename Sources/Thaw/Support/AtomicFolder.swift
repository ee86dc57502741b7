import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that comes into being whole or not at all: files are made in a folder with a temporary name beside it, and
/// `commit` gives it the right one. Without a commit nothing remains, and what stood under that name stays as it was.
final class AtomicFolder {
    /// The name as the user gave it, for messages.
    private let path: String
    private let target: String
    /// Where files are made; empty once the folder has its name.
    private var temporary: String
    private let mayReplace: Bool

    /// - Parameters:
    ///   - mayReplace: whether what stands under this name already is replaced.
    ///   - isReplaceable: whether a folder that stands there is of a kind that may go.
    /// - Throws: `Failure` when the folder around it is missing or cannot be written to, or when something stands there
    ///   that may not be replaced.
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

    /// Makes a folder in it, and those around that.
    func makeFolder(_ name: String) throws {
        var path = temporary
        for part in name.split(separator: "/") {
            path += "/" + part
            guard mkdir(path.fileName, 0o777) == 0 || errno == EEXIST else {
                throw Failure.cannotWrite(self.path, errno)
            }
        }
    }

    /// Begins a file in it. Failures name the folder, not the file, whose name is a passing one.
    func file(_ name: String) throws -> AtomicFile { try AtomicFile(path: temporary + "/" + name) }

    /// Gives the folder its name; what stood there before is removed.
    func commit() throws {
        var status = stat()
        let exists = stat(target.fileName, &status) == 0
        if exists && !mayReplace { throw Failure.alreadyExists(path) }
        let (source, place) = (temporary.fileName, target.fileName)
        guard (exists ? thaw_exchange_names(source, place) : rename(source, place)) == 0 else {
            throw errno == EEXIST || errno == ENOTEMPTY ? Failure.alreadyExists(path) : Failure.cannotWrite(path, errno)
        }
        if exists { Self.remove(temporary) }
        temporary = ""
    }

    /// Removes a file, or a folder with all that is in it; links in it are removed, not followed.
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
