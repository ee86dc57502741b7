import CMachine
import COutputs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The two changes of names that not every file system has. Tests replace them.
struct NameChanges: Sendable {
    /// Exchanges the names of two files or folders.
    var exchange: @Sendable (String, String) -> Int32 = { thaw_exchange_names($0.fileName, $1.fileName) }
    /// Renames unless something has the new name.
    var renameExclusively: @Sendable (String, String) -> Int32 = { thaw_rename_exclusively($0.fileName, $1.fileName) }

    /// Whether `errno` says that the file system or the system's core does not know the change.
    static var isUnknown: Bool { [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(errno) }
}

extension TemporaryOutput {
    /// Gives a complete output its final name. Whoever reads this name finds what was there before, or the complete
    /// output, also after the machine crashed.
    ///
    /// A folder on a file system that cannot exchange names is the exception: the name is missing for a moment. If the
    /// program is killed in that moment, the next output in the folder renames the old one back (`Leftovers`).
    ///
    /// - Throws: `SystemError`, with the code `EEXIST` if something has the name that must not be replaced.
    func publish(mayReplace: Bool, _ changes: NameChanges = NameChanges()) throws(SystemError) {
        try finish()
        try changingNames { () throws(SystemError) in
            var status = stat()
            if kind == .folder, mayReplace, lstat(target.fileName, &status) == 0 {
                try replaceFolder(changes)
            } else if kind == .file, mayReplace {
                guard rename(path.fileName, target.fileName) == 0 else { throw .last }
            } else {
                try renameExclusively(changes)
            }
            forget()
        }
        try synchronize(folder: folder(of: target))
    }

    private func renameExclusively(_ changes: NameChanges) throws(SystemError) {
        if changes.renameExclusively(path, target) == 0 { return }
        guard NameChanges.isUnknown else { throw .last }
        if kind == .file {
            // Unlike rename, link fails if a file has this name.
            if link(path.fileName, target.fileName) == 0 {
                unlink(path.fileName)
                return
            }
            guard NameChanges.isUnknown || errno == EPERM else { throw .last }
        }
        var status = stat()
        guard lstat(target.fileName, &status) != 0 else { throw SystemError(code: EEXIST) }
        guard rename(path.fileName, target.fileName) == 0 else { throw .last }
    }

    private func replaceFolder(_ changes: NameChanges) throws(SystemError) {
        // The lock goes with the folder, not with its name: what is replaced is not to be taken for a leftover before the new
        // one is stored under its name.
        let old = open(target.fileName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        defer { if old >= 0 { close(old) } }
        if old >= 0 { flock(old, LOCK_EX | LOCK_NB) }
        if changes.exchange(path, target) == 0 {
            do { try synchronize(folder: folder(of: target)) } catch {
                _ = changes.exchange(path, target)
                throw error
            }
            Leftovers.removeTree(path)
            return
        }
        guard NameChanges.isUnknown else { throw .last }
        let aside = folder(of: target) + Leftovers.replacedPrefix + identifier
        guard mkdir(aside.fileName, 0o700) == 0 else { throw .last }
        let lock = open(aside.fileName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        guard lock >= 0, TemporaryOutput.lock(lock, aside) else {
            rmdir(aside.fileName)
            throw SystemError(code: EBUSY)
        }
        let kept = aside + "/" + target.dropFirst(folder(of: target).count)
        guard rename(target.fileName, kept.fileName) == 0 else {
            let error = SystemError.last
            rmdir(aside.fileName)
            throw error
        }
        guard rename(path.fileName, target.fileName) == 0 else {
            let error = SystemError.last
            if rename(kept.fileName, target.fileName) == 0 { rmdir(aside.fileName) }
            throw error
        }
        do { try synchronize(folder: folder(of: target)) } catch {
            if rename(target.fileName, path.fileName) == 0, rename(kept.fileName, target.fileName) == 0 {
                rmdir(aside.fileName)
            }
            throw error
        }
        Leftovers.removeTree(aside)
    }
}

/// Surrounds a change to the names of outputs: a signal that arrives meanwhile is handled after it.
func changingNames<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
    thaw_outputs_enter()
    defer { thaw_outputs_leave() }
    return try body()
}
