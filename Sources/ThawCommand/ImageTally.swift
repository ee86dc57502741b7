import Thaw

/// Counts the images that a command processes in turn. It shows the progress, and reports warnings and failures.
final class ImageTally {
    private let console: Console
    private let progress: Progress?
    private(set) var done = 0
    /// The number of images that could not be processed.
    private(set) var failures = 0
    /// The hints that were printed.
    private var hints: Set<Phrase> = []

    /// - Parameters:
    ///   - total: The number of images; nil if unknown.
    ///   - before: The number of images that earlier runs processed.
    init(_ console: Console, total: Int?, before: Int = 0) {
        self.console = console
        progress = Progress(console, total: total, before: before)
    }

    /// Counts one more image as done.
    func advance() {
        done += 1
        progress?.advance()
    }

    /// Counts a failure, which `report` prints unless it is a row of the results.
    func countFailure() { failures += 1 }

    /// Erases the progress line so that something else can be printed.
    func clear() { progress?.clear() }

    func warn(_ image: String, _ warning: Note?) {
        guard let warning else { return }
        clear()
        console.warn("\(image): \(warning)")
    }

    func note(_ text: Phrase) {
        clear()
        console.note(text)
    }

    /// Prints a failure, with its hint unless it was printed before.
    func report(_ failure: Failure) {
        clear()
        console.report(failure, &hints)
    }

    /// The summary at the end, on a terminal; nil elsewhere.
    var summary: String? { progress?.summary(failures: failures) }

    /// Prints the summary of several images, and returns the exit status.
    /// - Parameter skippedCount: The number of images that had results already.
    func finish(_ cancellation: Cancellation? = nil, skippedCount: Int = 0) -> ExitStatus {
        if let cancellation, cancellation.isCanceled {
            console.note("interrupted after \(grouped(done, "image"))")
            return .interrupted
        }
        if done > 1, let summary { console.note("\(summary)") }
        return ExitStatus(failures: failures, of: done + skippedCount)
    }
}
