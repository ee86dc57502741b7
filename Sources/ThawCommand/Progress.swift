#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line at the foot of the terminal that says how far the work is, how fast it goes, and how long it will take. Where
/// standard error is no terminal there is none.
final class Progress {
    private let console: Console
    private let total: Int?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant
    private var isVisible = false
    private var done = 0
    /// Images that were done before this run: they say nothing of its speed.
    private let before: Int

    /// - Parameter total: How many there will be, nil where that cannot be known.
    init?(_ console: Console, total: Int?, before: Int = 0) {
        guard Console.isTerminal(STDERR_FILENO), !Console.isDumb, !console.isQuiet else { return nil }
        (self.console, self.total, self.before) = (console, total, before)
        start = clock.now
        shown = start
    }

    /// Notes that one more is done. The line is drawn ten times a second at most.
    func advance() {
        done += 1
        let now = clock.now
        guard now - shown > .milliseconds(100) else { return }
        shown = now
        isVisible = true
        // A line that is wrapped could not be taken away again.
        let line = Self.line(
            done: done, before: before, total: total, seconds: (now - start) / .seconds(1),
            columns: Console.width(of: STDERR_FILENO) - 1)
        console.raw("\r\u{1B}[K" + line)
    }

    /// Takes the line away, so that something else can be printed.
    func clear() {
        guard isVisible else { return }
        console.raw("\r\u{1B}[K")
        isVisible = false
    }

    /// What is said at the end: how many were done, in what time, how fast, and how many failed.
    func summary(failures: Int) -> String {
        Self.summary(done: done, failures: failures, seconds: (clock.now - start) / .seconds(1))
    }

    static func summary(done: Int, failures: Int, seconds: Double) -> String {
        let rate = Double(done) / max(seconds, 1e-3)
        let failed = failures == 0 ? "" : "; could not be read: \(grouped(failures))"
        let time = seconds < 60 ? "\(fixed(seconds, 1)) s" : time(Int(seconds))
        return "\(grouped(done)) images in \(time), \(fixed(rate, rate < 10 ? 1 : 0)) a second" + failed
    }

    /// What is shown after `seconds` in so many columns: as much of it as has room, what matters most first.
    static func line(done: Int, before: Int, total: Int?, seconds: Double, columns: Int) -> String {
        let rate = Double(done) / max(seconds, 1e-3)
        let speed = ", \(fixed(rate, rate < 10 ? 1 : 0)) a second"
        let count = grouped(before + done)
        guard let total, total > 0 else {
            return fitting(["\(count) images\(speed)", "\(count) images", count], columns)
        }
        let share = min(1, Double(before + done) / Double(total))
        let width = 24
        let filled = Int(share * Double(width))
        let bar = String(repeating: "━", count: filled) + String(repeating: "─", count: width - filled)
        let left = Int((Double(max(0, total - before - done)) / max(rate, 1e-9)).rounded(.up))
        let place = "\(count) of \(grouped(total))"
        let text = "\(place)\(speed), \(time(left)) left"
        return fitting(["\(bar) \(text)", text, "\(place), \(time(left)) left", place, count], columns)
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
