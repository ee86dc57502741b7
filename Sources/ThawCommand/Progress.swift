#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A progress line at the bottom of the terminal: the number done, the speed, and the time left. There is none if
/// standard error is not a terminal.
final class Progress {
    private let console: Console
    private let total: Int?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant
    private var isVisible = false
    private var done = 0
    /// Images done by earlier runs, which do not count toward the speed.
    private let before: Int

    /// - Parameter total: How many there will be; nil if unknown.
    init?(_ console: Console, total: Int?, before: Int = 0) {
        guard Console.isTerminal(STDERR_FILENO), !Console.isDumb, !console.isQuiet else { return nil }
        (self.console, self.total, self.before) = (console, total, before)
        start = clock.now
        shown = start
    }

    /// Counts one more as done. The line is redrawn at most ten times a second.
    func advance() {
        done += 1
        let now = clock.now
        guard now - shown > .milliseconds(100) else { return }
        shown = now
        isVisible = true
        // A wrapped line could not be erased.
        let line = Self.line(
            done: done, before: before, total: total, seconds: (now - start) / .seconds(1),
            columns: Console.width(of: STDERR_FILENO) - 1)
        console.raw("\r\u{1B}[K" + line)
    }

    /// Erases the line so that something else can be printed.
    func clear() {
        guard isVisible else { return }
        console.raw("\r\u{1B}[K")
        isVisible = false
    }

    /// The summary at the end: the number done, the time, the speed, and the number of failures.
    func summary(failures: Int) -> String {
        Self.summary(done: done, failures: failures, seconds: (clock.now - start) / .seconds(1))
    }

    static func summary(done: Int, failures: Int, seconds: Double) -> String {
        let rate = Double(done) / max(seconds, 1e-3)
        let failed = failures == 0 ? "" : "; could not be read: \(grouped(failures))"
        let time = seconds < 60 ? "\(fixed(seconds, 1)) s" : time(Int(seconds))
        return "\(grouped(done)) images in \(time), \(fixed(rate, rate < 10 ? 1 : 0))/s" + failed
    }

    /// The line after `seconds`: as much as fits into `columns`, most important parts first.
    static func line(done: Int, before: Int, total: Int?, seconds: Double, columns: Int) -> String {
        let rate = Double(done) / max(seconds, 1e-3)
        let speed = ", \(fixed(rate, rate < 10 ? 1 : 0))/s"
        let count = grouped(before + done)
        guard let total, total > 0 else {
            return fitting(["\(count) images\(speed)", "\(count) images", count], columns)
        }
        let share = min(1, Double(before + done) / Double(total))
        let width = 24
        let filled = Int(share * Double(width))
        let bar = String(repeating: "━", count: filled) + String(repeating: "─", count: width - filled)
        let left = Int((Double(max(0, total - before - done)) / max(rate, 1e-9)).rounded(.up))
        let position = "\(count) of \(grouped(total))"
        let text = "\(position)\(speed), \(time(left)) left"
        return fitting(["\(bar) \(text)", text, "\(position), \(time(left)) left", position, count], columns)
    }

    private static func fitting(_ lines: [String], _ columns: Int) -> String {
        lines.first { $0.count <= columns } ?? String(lines.last!.prefix(max(0, columns)))
    }

    private static func time(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}
