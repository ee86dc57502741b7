import COutputs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system's reason for a failed call.
struct SystemError: Error, Equatable {
    var code: Int32

    /// The reason of the call that has just failed.
    static var last: SystemError { SystemError(code: errno) }
}

/// A file or folder while it is written: it is next to its final name, only its owner may open it, and its owner holds
/// a lock on it. It is removed with this object unless it has been published. If the program is killed, the lock is
/// gone, and the next output in the same folder removes it (`Leftovers`).
final class TemporaryOutput {
    enum Kind { case file, folder }

    let kind: Kind
    /// Its final name.
    let target: String
    /// Its name until then.
    let path: String
    /// The suffix of the names of everything that belongs to this output.
    let identifier: String
    /// Open for writing if it is a file. Holds the lock.
    let descriptor: Int32
    /// The permissions of a new file or folder here, or those of the one that is replaced.
    private let mode: mode_t
    private var listed: [Int32]
    private let process = getpid()
    private var isGone = false

    /// - Parameter mode: The final permissions; nil for those of new files.
    init(_ kind: Kind, for target: String, mode: mode_t? = nil) throws(SystemError) {
        (self.kind, self.target) = (kind, target)
        Leftovers.remove(from: folder(of: target))
        while true {
            let identifier = String(UInt64.random(in: .min ... .max), radix: 36)
            let path = folder(of: target) + Leftovers.unfinishedPrefix + identifier
            thaw_outputs_enter()
            defer { thaw_outputs_leave() }
            guard let (descriptor, natural) = try Self.create(kind, path, probing: mode == nil) else { continue }
            guard Self.lock(descriptor, path) else {
                close(descriptor)
                continue
            }
            (self.path, self.identifier, self.descriptor) = (path, identifier, descriptor)
            self.mode = mode ?? natural
            listed = [thaw_unfinished_add(path.fileName, kind == .folder)]
            return
        }
    }

    deinit {
        if !isGone { discard() }
        close(descriptor)
    }

    /// Removes it.
    func discard() {
        // A process made by a fork does not own it.
        guard process == getpid() else { return }
        thaw_outputs_enter()
        defer { thaw_outputs_leave() }
        if kind == .file { unlink(path.fileName) } else { Leftovers.removeTree(path) }
        forget()
    }

    /// Marks everything as not to be removed, and releases the lock: under its final name, others may lock it.
    func forget() {
        isGone = true
        flock(descriptor, LOCK_UN)
        for position in listed { thaw_unfinished_remove(position) }
        listed = []
    }

    /// Registers a file or folder in this folder that a signal must remove too.
    func list(_ path: String, _ kind: Kind) { listed.append(thaw_unfinished_add(path.fileName, kind == .folder)) }

    /// Sets its final permissions, and waits until it is on disk.
    func finish() throws(SystemError) {
        if fchmod(descriptor, mode) != 0, errno != EPERM, errno != ENOTSUP { throw .last }
        try synchronize(descriptor)
    }

    // MARK: Implementation

    /// A new file or folder that only this user may open; nil if the name is taken.
    /// - Parameter probing: Whether to determine the permissions of new files from the process's umask and the folder's
    ///   default access list.
    private static func create(_ kind: Kind, _ path: String, probing: Bool) throws(SystemError) -> (Int32, mode_t)? {
        let name = path.fileName
        func make(_ mode: mode_t) throws(SystemError) -> (Int32, mode_t)? {
            if kind == .folder, mkdir(name, mode) != 0 {
                guard errno == EEXIST else { throw .last }
                return nil
            }
            let flags = kind == .folder ? O_RDONLY | O_DIRECTORY | O_NOFOLLOW : O_WRONLY | O_CREAT | O_EXCL
            let opened = open(name, flags | O_CLOEXEC, mode)
            guard opened >= 0 else {
                let error = SystemError.last
                if kind == .folder { rmdir(name) }
                guard error.code == EEXIST else { throw error }
                return nil
            }
            var status = stat()
            fstat(opened, &status)
            return (try aboveStandardDescriptors(opened), status.st_mode & 0o777)
        }
        var natural: mode_t = 0
        if probing {
            guard let (probe, mode) = try make(kind == .folder ? 0o777 : 0o666) else { return nil }
            natural = mode
            close(probe)
            _ = kind == .folder ? rmdir(name) : unlink(name)
        }
        guard let (descriptor, _) = try make(kind == .folder ? 0o700 : 0o600) else { return nil }
        // The process's umask may take away the owner's permissions.
        fchmod(descriptor, kind == .folder ? 0o700 : 0o600)
        return (descriptor, natural)
    }

    /// The same file under a descriptor above those of standard input, output and error. If one of these is closed,
    /// other parts of the process may still write to it.
    private static func aboveStandardDescriptors(_ descriptor: Int32) throws(SystemError) -> Int32 {
        guard descriptor <= STDERR_FILENO else { return descriptor }
        let other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let error = SystemError.last
        close(descriptor)
        guard other >= 0 else { throw error }
        return other
    }

    /// Locks the file or folder that was just created.
    /// - Returns: Whether it still exists: before it was locked, another process may have taken it for a leftover.
    static func lock(_ descriptor: Int32, _ path: String) -> Bool {
        // Some file systems have no locks. Leftovers then stay, because nothing shows that their owner is gone.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path.fileName, &named) == 0 && own.st_ino == named.st_ino
    }
}

/// Waits until a file, or the names in a folder, are on disk.
func synchronize(_ descriptor: Int32) throws(SystemError) {
    while fsync(descriptor) != 0 {
        switch errno {
        case EINTR: continue
        // A file system without that operation.
        case EINVAL, ENOTSUP, ENOSYS, EROFS: return
        default: throw .last
        }
    }
}

/// Waits until the names in a folder are on disk.
/// - Parameter path: The folder, ending in a slash; empty for the current one.
func synchronize(folder path: String) throws(SystemError) {
    let descriptor = open((path.isEmpty ? "." : path).fileName, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder may be writable but not readable.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try synchronize(descriptor)
}
