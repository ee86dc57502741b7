#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is written atomically: bytes are appended under a temporary name in the same folder, and `commit`
/// renames the file. Without a commit nothing remains, and an existing file under the final name is unchanged.
///
/// Pipes and devices (`/dev/stdout`) are written to directly. Links are followed: the file that they point to is
/// replaced.
package final class AtomicFile {
    /// The name as the user specified it, for messages.
    private let path: String
    private let target: String
    /// nil for a pipe or a device.
    private let temporary: String?
    private let mayReplace: Bool
    private var descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter mayReplace: Whether an existing file under this name is replaced.
    /// - Throws: `Failure` if the folder is missing or not writable, if there is a folder under this name, or a file
    ///   that may not be replaced.
    package init(path: String, mayReplace: Bool = true) throws {
        (self.path, self.mayReplace) = (path, mayReplace)
        guard !path.isEmpty else { throw Failure.cannotCreate(path, ENOENT) }
        var status = stat()
        let exists = stat(path.fileName, &status) == 0
        let kind = status.st_mode & S_IFMT
        if exists && kind == S_IFDIR { throw Failure.isFolder(path) }
        if exists && kind != S_IFREG {
            (target, temporary) = (path, nil)
            descriptor = open(path.fileName, O_WRONLY | O_CLOEXEC)
        } else {
            if exists && !mayReplace { throw Failure.alreadyExists(path) }
            target = Self.end(of: path)
            let (name, opened) = Self.openTemporary(besides: target)
            (temporary, descriptor) = (name, opened)
            if exists && opened >= 0 { fchmod(opened, status.st_mode & 0o777) }
        }
        guard descriptor >= 0 else { throw Failure.cannotCreate(path, errno) }
        buffer.reserveCapacity(Self.bufferSize)
    }

    deinit { abandon() }

    /// Appends bytes.
    /// - Throws: `Failure` if the disk is full, for example.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
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
        let status = close(descriptor)
        descriptor = -1
        guard status == 0 else { throw failure(errno) }
        guard let temporary else { return }
        if mayReplace {
            guard rename(temporary.fileName, target.fileName) == 0 else { throw failure(errno) }
        } else {
            // Unlike rename, link fails if a file with this name has appeared in the meantime.
            guard link(temporary.fileName, target.fileName) == 0 else { throw failure(errno) }
            unlink(temporary.fileName)
        }
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
        abandon()
        return code == EEXIST ? Failure.alreadyExists(path) : Failure.cannotWrite(path, code)
    }

    private func abandon() {
        if descriptor >= 0 {
            close(descriptor)
            descriptor = -1
        }
        // After a commit the temporary name no longer exists.
        if let temporary { unlink(temporary.fileName) }
    }

    /// The file that a path finally refers to, whether it exists or not.
    private static func end(of path: String) -> String {
        if let resolved = withoutLinks(path) { return resolved }
        // A link may point to a file that does not exist yet. The limit stops cycles.
        var target = path
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

    /// A new file beside `path`, with an unused name.
    private static func openTemporary(besides path: String) -> (String, Int32) {
        while true {
            let name = folder(of: path) + ".thaw-" + String(UInt64.random(in: .min ... .max), radix: 36)
            let descriptor = open(name.fileName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 || errno != EEXIST { return (name, descriptor) }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
