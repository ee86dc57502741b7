import CMachine
import COutputs
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ctrl-C and the other termination signals end a command without unfinished outputs. They end a long command after the
/// current image, with all results written, unless a second signal arrives.
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
        let numbers = unblockedSignals(evenIfIgnored: [SIGINT, SIGTERM])
        for number in numbers {
            signal(number) { number in
                thaw_store(Interruption.received, number)
                Interruption.cancellation.cancel()
                signal(number, thaw_end_by_signal)
            }
        }
        return cancellation
    }

    /// Lets signals remove the unfinished outputs before they end the program.
    static func removeOutputs() {
        for number in unblockedSignals(evenIfIgnored: []) { signal(number, thaw_end_by_signal) }
    }

    /// The signals that end the program, without those that the parent process wants to be ignored: under nohup, closing the
    /// terminal must not end it. The parent process may have blocked them; they are unblocked.
    private static func unblockedSignals(evenIfIgnored always: [Int32]) -> [Int32] {
        let numbers = [SIGINT, SIGTERM, SIGHUP].filter { always.contains($0) || !thaw_is_ignored($0) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return numbers
    }
}

/// Thrown to stop when the user interrupts the command.
struct Interrupted: Error {}

extension Cancellation {
    /// - Throws: `Interrupted` if the user has interrupted the command.
    func check() throws { if isCanceled { throw Interrupted() } }

    /// Runs `work`, which calls `check` after each image. An interruption ends it without an error.
    func stoppable(_ work: () throws -> Void) throws {
        do { try work() } catch is Interrupted {
        } catch {
            // A thread may be waiting for the next line of a list.
            cancel()
            throw error
        }
    }
}
