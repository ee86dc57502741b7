import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is on standard input: an image, or lines as they come, names of files. Where there are NULs, as `find -print0` writes them, these end
/// them, and lines do not.
final class InputLines {
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    private var hasNULs = false
    private var hasBegun = false
    /// Why no more can be read, if that is not their end.
    private var failure: Failure?
    private let cancellation: Cancellation
    /// The bytes that an image on standard input may have.
    private let maximumBytes: Int

    init(_ cancellation: Cancellation, maximumBytes: Int) {
        (self.cancellation, self.maximumBytes) = (cancellation, maximumBytes)
    }

    /// The file that the next line names, or the image that standard input is instead of a list; nil at the end, or when the
    /// command is to stop.
    func next() -> FoundImage? {
        if !hasBegun, let image = readImage() { return image }
        if let line = nextLine() { return FoundImage(path: line) }
        defer { failure = nil }
        return failure.map { FoundImage(path: "-", failure: $0) }
    }

    /// All of standard input if it is an image and not a list.
    private func readImage() -> FoundImage? {
        while !hasEnded, buffer.count < 32, !isImage, !buffer.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\n") }) {
            read()
        }
        guard isImage else { return nil }
        while !hasEnded {
            guard buffer.count <= maximumBytes else {
                hasEnded = true
                let failure = Failure.inputTooLarge(maximumBytes)
                buffer = []
                return FoundImage(path: "-", failure: failure)
            }
            read()
        }
        defer { buffer = [] }
        return FoundImage(path: "-", content: buffer)
    }

    /// Whether standard input begins as an image does. A list may, too, if its first name is as odd as `GIF89a`.
    private var isImage: Bool {
        guard DecodedImage.isImage(buffer) else { return false }
        let line = buffer.prefix(256).prefix { $0 != UInt8(ascii: "\n") }
        return line.contains(0) || access(String(fileName: line).fileName, F_OK) != 0
    }

    /// The next line that is not empty; nil at the end, or when the command is to stop.
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

    /// Waits for more, and looks now and then whether it is to stop: a signal may have gone to another thread.
    private func read() {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 100) <= 0 {
            if cancellation.isCancelled {
                hasEnded = true
                return
            }
        }
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { block in
            let count = Self.systemRead(STDIN_FILENO, block.baseAddress!, block.count)
            if count > 0 {
                // A byte-order mark is no part of a name.
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
