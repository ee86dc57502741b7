import COutputs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files and folders left behind by programs that were killed while writing an output. Their locks ended with them, so
/// a lock that can be taken shows that nobody uses the leftover.
enum Leftovers {
    /// The prefix of an output while it is written.
    static let unfinishedPrefix = ".thaw-unfinished-"
    /// The prefix of the folder that keeps an old output while a new one takes its name, on a file system that cannot
    /// exchange names.
    static let replacedPrefix = ".thaw-replaced-"

    /// Removes the leftovers of this user in a folder. An old output is renamed back if its name is free.
    /// - Parameter path: The folder, ending in a slash; empty for the current one.
    static func remove(from path: String) {
        let folder = open((path.isEmpty ? "." : path).fileName, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        for name in names(in: folder, beginningWith: [unfinishedPrefix, replacedPrefix]) {
            thaw_outputs_enter()
            remove(name, from: folder)
            thaw_outputs_leave()
        }
    }

    private static func remove(_ name: String, from folder: Int32) {
        let file = openat(folder, name.fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var (status, named) = (stat(), stat())
        guard fstat(file, &status) == 0, status.st_uid == geteuid(),
            [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT), flock(file, LOCK_EX | LOCK_NB) == 0,
            // Its owner may have renamed it before releasing the lock.
            fstatat(folder, name.fileName, &named, AT_SYMLINK_NOFOLLOW) == 0, named.st_ino == status.st_ino
        else { return }
        if name.hasPrefix(replacedPrefix) {
            for old in names(in: file) where fstatat(folder, old.fileName, &named, AT_SYMLINK_NOFOLLOW) != 0 {
                guard renameat(file, old.fileName, folder, old.fileName) == 0 else { return }
            }
        }
        removeTree(name, in: folder)
    }

    /// Removes a file, or a folder with its contents; links in it are removed, not followed.
    static func removeTree(_ name: String, in folder: Int32 = AT_FDCWD) {
        guard unlinkat(folder, name.fileName, 0) != 0, errno != ENOENT else { return }
        // Every level takes a descriptor, and descriptors run out before the stack does.
        let inner = openat(folder, name.fileName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if inner >= 0 {
            for name in names(in: inner) { removeTree(name, in: inner) }
            close(inner)
        }
        unlinkat(folder, name.fileName, AT_REMOVEDIR)
    }

    /// The names in an open folder that begin with one of these.
    private static func names(in folder: Int32, beginningWith prefixes: [String] = [""]) -> [String] {
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        // Closing the directory stream closes its descriptor.
        guard let list = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(list) }
        rewinddir(list)
        var names: [String] = []
        while let entry = readdir(list) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                guard prefixes.contains(where: { name.starts(with: $0.utf8) }) else { return }
                guard !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { return }
                names.append(String(fileName: name))
            }
        }
        return names
    }
}
