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
