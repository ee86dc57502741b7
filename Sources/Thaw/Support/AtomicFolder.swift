import COutputs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that is written atomically: files are created in a temporary folder next to it, which `commit` renames.
/// Without a commit nothing remains, and whatever existed under the final name is unchanged.
final class AtomicFolder {
    /// The name as the user specified it, for messages.
    private let path: String
    private let temporary: TemporaryOutput
    /// The folders in it, outer ones first.
    private var folders: [String] = []
    private let mayReplace: Bool
    private let isReplaceable: (String) -> Bool
    private let changes: NameChanges

    /// - Parameters:
    ///   - mayReplace: Whether whatever exists under this name is replaced.
    ///   - isReplaceable: Whether an existing folder is of a kind that may be replaced.
    /// - Throws: `Failure` if the enclosing folder is missing or not writable, or if there is something that may not
    ///   be replaced.
    init(
        path: String, mayReplace: Bool = true, changes: NameChanges = NameChanges(),
        isReplaceable: @escaping (String) -> Bool
    ) throws {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        (self.path, self.mayReplace, self.changes, self.isReplaceable) = (path, mayReplace, changes, isReplaceable)
        let target = endOfLinks(String(name))
        let mode = try Self.check(target, path, mayReplace, isReplaceable)
        do { temporary = try TemporaryOutput(.folder, for: target, mode: mode) } catch {
            throw Failure.cannotCreate(path, error.code)
        }
    }

    /// Creates a folder in it, with intermediate folders.
    func makeFolder(_ name: String) throws {
        var path = temporary.path
        for part in name.split(separator: "/") {
            path += "/" + part
            guard !folders.contains(path) else { continue }
            do {
                try changingNames { () throws(SystemError) in
                    guard mkdir(path.fileName, 0o777) == 0 else { throw .last }
                    temporary.list(path, .folder)
                }
            } catch { throw Failure.cannotWrite(self.path, error.code) }
            folders.append(path)
        }
    }

    /// Creates a file in it. Failures name the folder, because the file's name is temporary.
    func file(_ name: String) throws -> AtomicFile {
        let file = temporary.path + "/" + name
        do {
            return try changingNames { () throws(SystemError) in
                let file = try AtomicFile(creating: file, shownAs: path)
                temporary.list(self.temporary.path + "/" + name, .file)
                return file
            }
        } catch { throw Failure.cannotWrite(path, error.code) }
    }

    /// Renames the folder. Whatever existed under its name is removed.
    func commit() throws {
        // Something may have taken the name in the meantime.
        _ = try Self.check(temporary.target, path, mayReplace, isReplaceable)
        do {
            for folder in folders.reversed() { try synchronize(folder: folder) }
            try temporary.publish(mayReplace: mayReplace, changes)
        } catch {
            throw [EEXIST, ENOTEMPTY].contains(error.code)
                ? Failure.alreadyExists(path) : Failure.cannotWrite(path, error.code)
        }
    }

    /// - Returns: The permissions of the existing folder; nil if there is none.
    private static func check(
        _ target: String, _ path: String, _ mayReplace: Bool, _ isReplaceable: (String) -> Bool
    ) throws -> mode_t? {
        var status = stat()
        guard lstat(target.fileName, &status) == 0 else { return nil }
        if !mayReplace { throw Failure.alreadyExists(path) }
        guard status.st_mode & S_IFMT == S_IFDIR, isReplaceable(target) else { throw Failure.notReplaceable(path) }
        return status.st_mode & 0o777
    }
}
