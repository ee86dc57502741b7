import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard input: an image, or file names, read as they arrive, one per line. If there are NULs, which `find -print0`
/// writes, the names end with NULs instead of newlines.
final class InputLines: IteratorProtocol {
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    private var hasNULs = false
    private var hasBegun = false
    /// The reason why reading failed, if it did.
    private var failure: Failure?
    private let cancellation: Cancellation
    /// The maximum size in bytes of an image on standard input.
    private let maximumBytes: Int

    init(_ cancellation: Cancellation, maximumBytes: Int) {
        (self.cancellation, self.maximumBytes) = (cancellation, maximumBytes)
    }

    /// The file named by the next line, or the image on standard input; nil at the end, or if the command is canceled.
    func next() -> ImageFile? {
        let image = hasBegun ? nil : readImage()
        let found = image ?? nextLine().map { ImageFile(path: $0) }
        // A signal may have cut off the image or the line.
        if cancellation.isCanceled { return nil }
        if let found { return found }
        defer { failure = nil }
        return failure.map { ImageFile(path: "-", failure: $0) }
    }

    /// All of standard input, if it is an image instead of a list.
    private func readImage() -> ImageFile? {
        while !hasEnded, buffer.count < 32, !isImage, !buffer.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\n") }) {
            read()
        }
        guard isImage else { return nil }
        while !hasEnded {
            guard buffer.count <= maximumBytes else {
                hasEnded = true
                let failure = Failure.inputTooLarge(maximumBytes)
                buffer = []
                return ImageFile(path: "-", failure: failure)
            }
            read()
        }
        defer { buffer = [] }
        return ImageFile(path: "-", content: buffer)
    }

    /// Whether standard input begins like an image. So does a list whose first name is something like `GIF89a`.
    private var isImage: Bool {
        guard DecodedImage.isImage(buffer) else { return false }
        let line = buffer.prefix(256).prefix { $0 != UInt8(ascii: "\n") }
        return line.contains(0) || access(String(fileName: line).fileName, F_OK) != 0
    }

    /// The next nonempty line; nil at the end, or if the command is canceled.
    private func nextLine() -> String? {
        while true {
            if let end = buffer[start...].firstIndex(of: hasNULs ? 0 : UInt8(ascii: "\n")) {
                let line = text(start..<end)
                start = end + 1
                if !line.isEmpty { return line }
            } else if hasEnded {
                let line = text(start..<buffer.count)
                start = buffer.count
                return line.isEmpty ? nil : line
            } else {
                buffer.removeSubrange(0..<start)
                start = 0
                read()
            }
        }
    }

    private func text(_ range: Range<Int>) -> String {
        let line = buffer[range]
        return String(fileName: !hasNULs && line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    /// Waits for more input, and polls for cancellation: a signal may have been delivered to another thread.
    private func read() {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 100) <= 0 {
            if cancellation.isCanceled {
                hasEnded = true
                return
            }
        }
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { block in
            let count = Self.systemRead(STDIN_FILENO, block.baseAddress!, block.count)
            if count > 0 {
                // Skip a byte-order mark.
                let mark = !hasBegun && block[..<count].starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
                hasBegun = true
                hasNULs = hasNULs || block[..<count].contains(0)
                buffer += block[mark..<count]
            } else if count == 0 || errno != EINTR {
                if count < 0 { failure = Failure.unreadableList(String(cString: strerror(errno))) }
                hasEnded = true
            }
        }
    }

    private static func systemRead(_ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, target, count)
        #else
            Darwin.read(descriptor, target, count)
        #endif
    }
}
