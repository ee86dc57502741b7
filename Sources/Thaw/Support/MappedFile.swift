#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file mapped into memory, read only. Tensors that view it keep it alive.
final class MappedFile: @unchecked Sendable {
    let path: String
    /// The file's bytes. Valid as long as this object lives.
    let bytes: UnsafeRawBufferPointer

    /// Maps the file at `path`.
    /// - Throws: `Failure` when there is no such file, when it is a folder, a pipe or a device, or when it cannot be read.
    init(path: String) throws {
        self.path = path
        // A pipe that nobody writes to would hold up a plain `open`.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure.cannotOpen(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure.cannotOpen(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure.isFolder(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure.isNoPlainFile(path) }
        let count = Int(status.st_size)
        guard count > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), address != MAP_FAILED else {
            throw Failure.cannotOpen(path, errno)
        }
        bytes = UnsafeRawBufferPointer(start: address, count: count)
    }

    /// Says that these bytes of the file will not be needed soon, so that they take no memory; they are there again when they are
    /// read.
    func release(_ part: UnsafeRawBufferPointer) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard let start = part.baseAddress.map(Int.init(bitPattern:)) else { return }
        let first = (start + page - 1) / page * page
        let end = (start + part.count) / page * page
        guard end > first, let address = UnsafeMutableRawPointer(bitPattern: first) else { return }
        madvise(address, end - first, MADV_DONTNEED)
    }

    deinit {
        if let address = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: address), bytes.count) }
    }
}
