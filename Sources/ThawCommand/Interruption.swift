import CMachine
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ctrl-C and the other termination signals end a long command after the current image, with all results written. A
/// second signal ends it at once.
enum Interruption {
    private static let cancellation = Cancellation()
    /// The first signal received; 0 if none.
    nonisolated(unsafe) private static let received: UnsafeMutablePointer<Int32> = {
        let word = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        word.initialize(to: 0)
        return word
    }()

    /// The exit code of a command ended by a signal, as a shell reports it: 128 plus the signal's number.
    static var exitCode: Int32 {
        let number = thaw_load(received)
        return number == 0 ? ExitStatus.interrupted.rawValue : 128 + number
    }

    /// Starts watching for signals, which cancel the result.
    static func watch() -> Cancellation {
        // Allocated here because a signal handler must not allocate.
        _ = (cancellation, received)
        // The parent process may have blocked them.
        var signals = sigset_t()
        sigemptyset(&signals)
        // Under nohup, closing the terminal must not end the program.
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
