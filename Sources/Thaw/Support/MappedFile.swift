import COutputs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a file, either mapped into memory or read. Tensors that view them keep it alive.
final class MappedFile: @unchecked Sendable {
    let path: String
    /// The file's bytes. Valid as long as this object lives.
    let bytes: UnsafeRawBufferPointer
    private let isMapped: Bool
    /// The position in the list of mapped files.
    private var listed: Int32 = -1
    /// The addresses to be released next, guarded by the lock.
    private var unneeded = 0..<0
    private let lock = Lock()

    /// How many bytes are released at once.
    private static let releaseSize = 2 << 20

    /// Calls `body` with the bytes, and keeps them valid until it returns.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try withExtendedLifetime(self) { try body(bytes) }
    }

    /// Maps the file at `path`.
    /// - Parameter isMapped: Whether the file is mapped or read completely. The system kills a process that accesses a
    ///   mapped file after it has been truncated. A command then reports that (`thaw_watch_mapped_files`); a service,
    ///   and a command with ten thousand photos, must survive it.
    /// - Parameter check: For a file that is read: receives its first bytes and its size before memory is allocated.
    /// - Throws: `Failure` if there is no such file, if it is a folder, a pipe or a device, if it cannot be read, or
    ///   if it changes while it is being read; and any error of `check`.
    init(
        path: String, isMapped: Bool = true,
        check: (_ start: UnsafeRawBufferPointer, _ size: Int) throws -> Void = { _, _ in }
    ) throws {
        (self.path, self.isMapped) = (path, isMapped)
        // Without O_NONBLOCK, `open` would wait for the writer of a pipe.
        let descriptor = open(path.fileName, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure.cannotOpen(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure.cannotOpen(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure.isFolder(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure.notARegularFile(path) }
        let count = Int(status.st_size)
        guard count > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        if !isMapped {
            bytes = try MappedFile.contents(of: descriptor, status, path: path, check: check)
            return
        }
        guard let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), address != MAP_FAILED else {
            throw Failure.cannotOpen(path, errno)
        }
        bytes = UnsafeRawBufferPointer(start: address, count: count)
        listed = thaw_mapped_add(address, count, path.fileName)
    }

    /// The contents of an open file that is not empty, in memory that the caller frees.
    private static func contents(
        of descriptor: Int32, _ status: stat, path: String,
        check: (_ start: UnsafeRawBufferPointer, _ size: Int) throws -> Void
    ) throws -> UnsafeRawBufferPointer {
        let count = Int(status.st_size)
        try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { start in
            let known = max(0, pread(descriptor, start.baseAddress!, start.count, 0))
            try check(UnsafeRawBufferPointer(rebasing: start[..<known]), count)
        }
        guard let address = malloc(count) else { throw Failure.cannotOpen(path, ENOMEM) }
        var isComplete = false
        defer { if !isComplete { free(address) } }
        var done = 0
        while done < count {
            let more = read(descriptor, address + done, count - done)
            if more == 0 { break }
            if more > 0 {
                done += more
            } else if errno != EINTR {
                throw Failure.cannotOpen(path, errno)
            }
        }
        var current = stat()
        guard done == count, fstat(descriptor, &current) == 0, FileVersion(current) == FileVersion(status) else {
            throw Failure.changedWhileRead(path)
        }
        isComplete = true
        return UnsafeRawBufferPointer(start: address, count: count)
    }

    /// Hints that these bytes of the file will not be needed soon, so that they take no memory. They are reloaded
    /// when accessed. A file that was read stays in memory.
    ///
    /// Nearby parts are released together, because each release interrupts the other threads.
    func release(_ part: UnsafeRawBufferPointer) {
        guard isMapped, let start = part.baseAddress.map(Int.init(bitPattern:)) else { return }
        var due: [Range<Int>] = []
        lock.withLock {
            let range = start..<start + part.count
            let both = min(range.lowerBound, unneeded.lowerBound)..<max(range.upperBound, unneeded.upperBound)
            if unneeded.isEmpty {
                unneeded = range
            } else if both.count <= 2 * MappedFile.releaseSize {
                unneeded = both
            } else {
                due.append(unneeded)
                unneeded = range
            }
            if unneeded.count >= MappedFile.releaseSize {
                due.append(unneeded)
                unneeded = 0..<0
            }
        }
        for range in due { MappedFile.releasePages(range) }
    }

    /// Releases the pages of a range of addresses that are completely in it.
    private static func releasePages(_ range: Range<Int>) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let first = range.lowerBound.rounded(upToMultipleOf: page)
        let end = range.upperBound / page * page
        guard end > first, let address = UnsafeMutableRawPointer(bitPattern: first) else { return }
        madvise(address, end - first, MADV_DONTNEED)
    }

    deinit {
        guard let address = bytes.baseAddress else { return }
        let memory = UnsafeMutableRawPointer(mutating: address)
        thaw_mapped_remove(listed)
        if isMapped { munmap(memory, bytes.count) } else { free(memory) }
    }
}
