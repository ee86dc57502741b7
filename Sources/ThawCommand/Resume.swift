import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file of results that a run resumes: the images in it, and the offset after its last complete line. Images that
/// could not be read are tried again; their lines are removed.
///
/// Only a 64-bit hash of each path is kept, so a million images take 8 MB. (The chance that two of a million collide is
/// 1 in 37 million; the second would be skipped.)
final class ResumedFile {
    private let path: String
    private let origin: ResultOrigin
    private var descriptor: Int32
    private var hashes: [UInt64] = []
    var count: Int { hashes.count }
    /// The numbers of labels of the results in the file.
    private(set) var labelCounts: Set<Int> = []

    /// Opens or creates the file. An incomplete last line is dropped.
    /// - Parameter origin: The origin of this run's results. A file with results of another origin is refused.
    /// - Throws: `Failure` if the file cannot be read and written, or contains a line that is not a result, or is a
    ///   result of another model.
    init(_ path: String, _ origin: ResultOrigin) throws {
        (self.path, self.origin) = (path, origin)
        descriptor = try Self.open(path, O_CREAT)
        // Reading a device may never end.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure.cannotResume(path, "it is a pipe or a device")
        }
        var (end, failures) = try readLines()
        if !failures.isEmpty { end = try remove(failures, end: end) }
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, off_t(end), SEEK_SET) >= 0 else {
            throw Failure.cannotResume(path, String(cString: strerror(errno)))
        }
        hashes.sort()
    }

    deinit { close(descriptor) }

    func contains(_ image: String) -> Bool {
        let hash = Self.hash(image.utf8)
        var (low, high) = (0, hashes.count)
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash
    }

    func append(_ line: String, _ console: Console) throws {
        do { try console.put(line, to: descriptor) } catch let failure as Failure { throw failure.inFile(path) }
    }

    /// - Returns: The offset after the last complete line, and the ranges of the lines of images that could not be
    ///   read.
    private func readLines() throws -> (end: Int, failures: [Range<Int>]) {
        var (line, number, end, offset): ([UInt8], Int, Int, Int) = ([], 1, 0, 0)
        var failures: [Range<Int>] = []
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { block in
            while true {
                let count = read(descriptor, block.baseAddress!, block.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Failure.cannotResume(path, String(cString: strerror(errno))) }
                if count == 0 {
                    // Anything but the start of a result belongs to the user, and must not be removed.
                    guard line.starts(with: Self.start) || Self.start.starts(with: line) else {
                        throw Failure.noResult(path, line: number)
                    }
                    return
                }
                for byte in block[..<count] {
                    offset += 1
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        continue
                    }
                    guard let (image, isFailure) = Self.image(inResult: line) else {
                        throw Failure.noResult(path, line: number)
                    }
                    if let other = ResultOrigin.text(inResult: line), !origin.isSame(as: other) {
                        throw Failure.otherOrigin(path, line: number, other, origin.text)
                    }
                    if isFailure {
                        failures.append(end..<offset)
                    } else {
                        hashes.append(Self.hash(image.utf8))
                        labelCounts.insert(Self.labelCount(inResult: line))
                    }
                    line.removeAll(keepingCapacity: true)
                    (number, end) = (number + 1, offset)
                }
            }
        }
        return (end, failures)
    }

    /// Rewrites the file without these lines.
    /// - Returns: The offset after the last line.
    private func remove(_ lines: [Range<Int>], end: Int) throws -> Int {
        let file = try AtomicFile(path: path)
        var (offset, written) = (0, 0)
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { block in
            for line in lines + [end..<end] {
                while offset < line.lowerBound {
                    let count = pread(
                        descriptor, block.baseAddress!, min(block.count, line.lowerBound - offset), off_t(offset))
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { throw Failure.cannotResume(path, String(cString: strerror(errno))) }
                    try file.write(UnsafeRawBufferPointer(rebasing: block[..<count]))
                    (offset, written) = (offset + count, written + count)
                }
                offset = line.upperBound
            }
        }
        try file.commit()
        let opened = try Self.open(path, 0)
        close(descriptor)
        descriptor = opened
        return written
    }

    /// Opens and locks the file: two runs that append to it would overwrite each other's results.
    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        while true {
            let descriptor = systemOpen(path.fileName, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | flags, 0o666)
            guard descriptor >= 0 else { throw Failure.cannotResume(path, String(cString: strerror(errno))) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                close(descriptor)
                throw Failure.cannotResume(path, "another run is adding to it")
            }
            // Another run may have replaced the file in the meantime.
            var (own, named) = (stat(), stat())
            if fstat(descriptor, &own) != 0 || stat(path.fileName, &named) != 0 || own.st_ino == named.st_ino {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// The number of labels in a line of results. Quotes in names and labels are escaped, so nothing else looks like
    /// the beginning of a prediction.
    private static func labelCount(inResult line: [UInt8]) -> Int {
        let start = Array("{\"label\": ".utf8)
        return line.indices.count(where: { line[$0] == start[0] && line[$0...].starts(with: start) })
    }

    private static let start = Array("{\"image\": \"".utf8)

    /// The path in a line of results, `{"image": "…", …}`, and whether it could not be read.
    static func image(inResult line: [UInt8]) -> (path: String, isFailure: Bool)? {
        guard line.starts(with: start), line.last == UInt8(ascii: "}") else { return nil }
        var text: [UInt8] = []
        var index = start.count
        while index < line.count {
            let byte = line[index]
            if byte == UInt8(ascii: "\"") {
                let isFailure = line[(index + 1)...].starts(with: ", \"error\": ".utf8)
                return (String(decoding: text, as: UTF8.self), isFailure)
            }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                index += 1
                continue
            }
            guard index + 1 < line.count else { return nil }
            switch line[index + 1] {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                // Only control characters, of which none is a surrogate, are escaped like this.
                guard index + 5 < line.count,
                    let code = UInt16(String(decoding: line[(index + 2)...(index + 5)], as: UTF8.self), radix: 16),
                    let scalar = Unicode.Scalar(code)
                else { return nil }
                text += String(scalar).utf8
                index += 4
            case let other: text.append(other)
            }
            index += 2
        }
        return nil
    }

    /// FNV-1a. Source: Fowler, Noll and Vo, RFC 9923.
    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

/// Inside the class, `open` is another function.
private func systemOpen(_ path: [CChar], _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
