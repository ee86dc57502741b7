import Foundation

@testable import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Damages fixtures, and reads each variant in a child process: a crash is a finding like any other.
struct DamageRun {
    /// The seconds that a file may take, and the memory beyond four times its size. A build without optimization takes
    /// longer.
    var seconds = 2.0
    var memory = 64 << 20
    let folder: URL
    /// Where damaged files with findings are kept; nil to keep none.
    var findings: URL?
    /// Where damaged files that are read without a finding are kept; nil to keep none.
    var accepted: URL?

    private(set) var counts: [HostileReader: DamageCounts] = [:]

    init(folder: URL) { self.folder = folder }

    /// Reads variants of the fixture in this process, where other tests may run.
    mutating func runInside(_ fixture: DamagedFixture, _ indices: some Sequence<Int>, of damage: DamageList) throws {
        try fixture.withCopy(in: folder) { path, write in
            for index in indices {
                let variant = damage[index]
                try write(variant.bytes)
                switch fixture.reader.read(path) {
                case .refused: counts[fixture.reader, default: DamageCounts()].refused += 1
                case .accepted: counts[fixture.reader, default: DamageCounts()].accepted += 1
                case .wrong(let problem): add(fixture, variant, problem)
                }
            }
        }
    }

    /// Reads variants of the fixture in child processes: all whose index has this remainder.
    mutating func run(_ fixture: DamagedFixture, every step: Int, from offset: Int) throws {
        let damage = try fixture.damage()
        var next = offset
        let size = Self.size(of: fixture.path)
        while next < damage.count {
            let (lines, status) = try Self.lines { report in
                try! fixture.withCopy(in: folder) { path, write in
                    for index in stride(from: next, to: damage.count, by: step) {
                        let variant = damage[index]
                        try write(variant.bytes)
                        report("begin \(index)")
                        alarm(120)
                        Self.resetPeak()
                        let before = Self.memory(peak: false)
                        let start = Self.now()
                        let reading = fixture.reader.read(path)
                        let time = Self.now() - start
                        let memory = Self.memory(peak: true) - before - 4 * (size + variant.bytes.count)
                        if case .accepted = reading, let accepted {
                            let name = fixture.path.components(separatedBy: "/Fixtures/").last!
                            let kept = accepted.appendingPathComponent("\(index)-" + name.replacing("/", with: "-"))
                            try Data(variant.bytes).write(to: kept)
                        }
                        let outcome =
                            switch reading {
                            case .refused: "refused"
                            case .accepted: "accepted"
                            case .wrong(let problem): "wrong \(problem.prefix(500).replacing("\n", with: " "))"
                            }
                        report("end \(time) \(memory) \(outcome)")
                    }
                }
            }
            next = damage.count
            var current = 0
            for line in lines {
                let words = line.split(separator: " ", maxSplits: 3).map(String.init)
                if words[0] == "begin" {
                    current = Int(words[1])!
                    continue
                }
                let (time, bytes) = (Double(words[1])!, Int(words[2])!)
                counts[fixture.reader, default: DamageCounts()].slowest = max(
                    time, counts[fixture.reader]?.slowest ?? 0)
                counts[fixture.reader]!.largest = max(bytes, counts[fixture.reader]!.largest)
                if words[3] == "refused" { counts[fixture.reader]!.refused += 1 }
                if words[3] == "accepted" { counts[fixture.reader]!.accepted += 1 }
                if words[3].hasPrefix("wrong") { add(fixture, damage[current], String(words[3].dropFirst(6))) }
                if time > seconds { add(fixture, damage[current], "\(time) s") }
                if bytes > memory { add(fixture, damage[current], "\(bytes >> 20) MB more than four times its size") }
            }
            if status != 0 {
                add(fixture, damage[current], "the process ended with status \(status)")
                next = current + step
            }
        }
    }

    private mutating func add(_ fixture: DamagedFixture, _ damage: Damage, _ problem: String) {
        counts[fixture.reader, default: DamageCounts()].findings.append(
            DamageFinding(fixture: fixture, words: damage.words, problem: problem))
        guard let findings else { return }
        let number = counts.values.reduce(0) { $0 + $1.findings.count }
        let target = findings.appendingPathComponent("\(fixture.reader.rawValue)-\(number)")
        try? FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try? fixture.withCopy(in: target) { path, write in
            try write(damage.bytes)
            let kept = target.appendingPathComponent("kept-" + URL(fileURLWithPath: path).lastPathComponent)
            try? FileManager.default.removeItem(at: kept)
            try FileManager.default.copyItem(atPath: path, toPath: kept.path)
        }
    }

    // MARK: Child processes

    /// Runs `body` in a child process, and returns the lines that it reports and the status that it ends with.
    private static func lines(_ body: ((String) -> Void) -> Void) throws -> (lines: [String], status: Int32) {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0)
        fflush(nil)
        let child = fork()
        precondition(child >= 0)
        if child == 0 {
            close(ends[0])
            body { line in
                let bytes = Array((line + "\n").utf8)
                _ = write(ends[1], bytes, bytes.count)
            }
            _exit(0)
        }
        close(ends[1])
        let handle = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return (text.split(separator: "\n").map(String.init), status)
    }

    // MARK: Measuring

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The process's memory, or its peak since `resetPeak`. 0 if the system does not report it.
    private static func memory(peak: Bool) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let key = peak ? "VmHWM:" : "VmRSS:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else { return 0 }
        return (Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) ?? 0) * 1024
    }

    private static func resetPeak() {
        let file = open("/proc/self/clear_refs", O_WRONLY)
        guard file >= 0 else { return }
        _ = write(file, "5", 1)
        close(file)
    }

    private static func size(of path: String) -> Int {
        guard let names = FileManager.default.enumerator(atPath: path) else { return 0 }
        return names.compactMap { $0 as? String }.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}
