import CMachine
import COutputs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The two kinds of renames that not every file system supports. Tests replace them.
struct NameChanges: Sendable {
    /// Exchanges the names of two files or folders.
    var exchange: @Sendable (String, String) -> Int32 = { thaw_exchange_names($0.fileName, $1.fileName) }
    /// Renames unless the new name exists.
    var renameExclusively: @Sendable (String, String) -> Int32 = { thaw_rename_exclusively($0.fileName, $1.fileName) }

    /// Whether `errno` means that the file system or the kernel does not support the operation.
    static var isUnknown: Bool { [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(errno) }
}

extension TemporaryOutput {
    /// Gives a complete output its final name. Readers of this name find the previous content or the complete output,
    /// even after the machine crashes.
    ///
    /// The exception is a folder on a file system that cannot exchange names: the name is missing for a moment. If the
    /// program is killed at that moment, the next output in the folder renames the old one back (`Leftovers`).
    ///
    /// - Throws: `SystemError`, with the code `EEXIST` if the name exists and must not be replaced.
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
            // Unlike rename, link fails if the name exists.
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
        // The lock belongs to the folder, not to its name: the replaced folder must not be removed as a leftover before
        // the new one is stored under its name.
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

/// Surrounds a change to the names of outputs: signals that arrive meanwhile are handled afterwards.
func changingNames<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
    thaw_outputs_enter()
    defer { thaw_outputs_leave() }
    return try body()
}
