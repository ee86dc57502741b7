import CMachine
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ctrl-C ends a long command when the image at hand is done, with all results written, and so do the other signals that
/// ask a program to end. A second one ends it at once.
enum Interruption {
    private static let cancellation = Cancellation()
    /// The first signal that came; 0 before.
    nonisolated(unsafe) private static let received: UnsafeMutablePointer<Int32> = {
        let word = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        word.initialize(to: 0)
        return word
    }()

    /// The exit code of a command that a signal ended, as a shell reports it: 128 and the signal's number.
    static var exitCode: Int32 {
        let number = thaw_load(received)
        return number == 0 ? ExitStatus.interrupted.rawValue : 128 + number
    }

    /// From now on an interruption cancels what this gives.
    static func watch() -> Cancellation {
        // Made here: a signal handler must not allocate.
        _ = (cancellation, received)
        // Whoever started this program may have blocked them.
        var signals = sigset_t()
        sigemptyset(&signals)
        // Under nohup a closed terminal ends nothing.
        let numbers = [SIGINT, SIGTERM] + (thaw_is_ignored(SIGHUP) ? [] : [SIGHUP])
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        for number in numbers {
            signal(number) { number in
                thaw_store(Interruption.received, number)
                Interruption.cancellation.cancel()
                signal(number, SIG_DFL)
            }
        }
        return cancellation
    }
}

/// The lines of standard input, as they come: names of files. Where there are NULs, as `find -print0` writes them, these end
/// them, and lines do not.
final class InputLines {
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    private var hasNULs = false
    private var hasBegun = false
    /// Why no more can be read, where that is not their end.
    var failure: Failure?
    private let cancellation: Cancellation

    init(_ cancellation: Cancellation) { self.cancellation = cancellation }

    /// The next line that is not empty; nil at the end, or when the command is to stop.
    func next() -> String? {
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
