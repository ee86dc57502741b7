#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is written atomically: bytes are appended under a temporary name in the same folder, and `commit` stores
/// and renames the file. Without a commit nothing remains, and an existing file under the final name is unchanged.
///
/// Pipes and devices are written to directly, and so are open files (`/dev/stdout`), whatever the shell has redirected them
/// to. Links are followed: the file that they point to is replaced.
package final class AtomicFile {
    private enum Destination {
        /// A pipe, a device, an open file, or a file in a folder that is itself temporary.
        case direct(isStored: Bool)
        case temporary(TemporaryOutput)
    }

    /// The name as the user specified it, for messages.
    private let path: String
    private let destination: Destination
    private let mayReplace: Bool
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// Whether nothing has been written.
    package private(set) var isEmpty = true

    /// - Parameter mayReplace: Whether an existing file under this name is replaced.
    /// - Throws: `Failure` if the folder is missing or not writable, if there is a folder under this name, or a file
    ///   that may not be replaced.
    package init(path: String, mayReplace: Bool = true) throws {
        (self.path, self.mayReplace) = (path, mayReplace)
        guard !path.isEmpty else { throw Failure.cannotCreate(path, ENOENT) }
        buffer.reserveCapacity(Self.bufferSize)
        if let open = Self.openFile(path) {
            destination = .direct(isStored: false)
            descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw Failure.cannotCreate(path, errno) }
            return
        }
        var status = stat()
        let exists = stat(path.fileName, &status) == 0
        let kind = status.st_mode & S_IFMT
        if exists && kind == S_IFDIR { throw Failure.isFolder(path) }
        if exists && kind != S_IFREG {
            destination = .direct(isStored: false)
            descriptor = open(path.fileName, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure.cannotCreate(path, errno) }
        } else {
            if exists && !mayReplace { throw Failure.alreadyExists(path) }
            let mode = exists ? status.st_mode & 0o777 : nil
            do {
                let output = try TemporaryOutput(.file, for: endOfLinks(path), mode: mode)
                (destination, descriptor) = (.temporary(output), output.descriptor)
            } catch { throw Failure.cannotCreate(path, error.code) }
        }
    }

    /// The descriptor of an open file that a path names, such as 1 for `/dev/stdout`.
    private static func openFile(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": 1
        case "/dev/stderr": 2
        default:
            ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix).flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    /// Creates a file in a folder that is itself temporary, and is removed with its contents without a commit.
    /// - Parameter path: The name in messages.
    init(creating file: String, shownAs path: String) throws(SystemError) {
        (self.path, mayReplace, destination) = (path, false, .direct(isStored: true))
        descriptor = open(file.fileName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .last }
        buffer.reserveCapacity(Self.bufferSize)
    }

    deinit { end() }

    /// Appends bytes.
    /// - Throws: `Failure` if the disk is full, for example.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        isEmpty = isEmpty && bytes.isEmpty
        if buffer.count + bytes.count > Self.bufferSize { try flush() }
        if bytes.count > Self.bufferSize { try writeOut(bytes) } else { buffer.append(contentsOf: bytes) }
    }

    package func write(_ bytes: some Collection<UInt8>) throws {
        let done: Void? = try bytes.withContiguousStorageIfAvailable { try write(UnsafeRawBufferPointer($0)) }
        if done == nil { try Array(bytes).withUnsafeBytes { try write($0) } }
    }

    /// Finishes the file and renames it.
    package func commit() throws {
        try flush()
        do {
            switch destination {
            case .direct(let isStored):
                if isStored { try synchronize(descriptor) }
                let status = close(descriptor)
                descriptor = -1
                guard status == 0 else { throw SystemError.last }
            case .temporary(let output): try output.publish(mayReplace: mayReplace)
            }
        } catch let error as SystemError { throw failure(error.code) }
    }

    /// Writes a whole file at once.
    package static func write(_ bytes: some Collection<UInt8>, to path: String, mayReplace: Bool = true) throws {
        let file = try AtomicFile(path: path, mayReplace: mayReplace)
        try file.write(bytes)
        try file.commit()
    }

    // MARK: Implementation

    private static let bufferSize = 1 << 16

    private func flush() throws {
        try buffer.withUnsafeBytes { try writeOut($0) }
        buffer.removeAll(keepingCapacity: true)
    }

    private func writeOut(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress!, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure(errno)
            }
        }
    }

    /// Removes what has been written so far, and returns the reason.
    private func failure(_ code: Int32) -> Failure {
        if case .temporary(let output) = destination { output.discard() }
        end()
        return code == EEXIST ? Failure.alreadyExists(path) : Failure.cannotWrite(path, code)
    }

    /// Closes a pipe or a device. A temporary output does that itself.
    private func end() {
        if case .direct = destination, descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
