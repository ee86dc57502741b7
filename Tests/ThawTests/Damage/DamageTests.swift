import Foundation
import Testing

@testable import Thaw

/// Fixtures with every field dropped, repeated and replaced by what is hard to compute with, one at a time. Each must be
/// refused in a message that names the file, or be computed by the engine as by the reference.
@Suite(.serialized) struct DamageTests {
    /// `all`, or the name of a reader: reads as many variants as `make damage` does.
    private static let request = ProcessInfo.processInfo.environment["THAW_DAMAGE"]
    /// The number of variants of each reader then, at most.
    private static let limit = Int(ProcessInfo.processInfo.environment["THAW_DAMAGE_COUNT"] ?? "") ?? 4000
    /// The folder where damaged graphs that are read are kept, for a comparison with TensorFlow.
    private static let graphs = ProcessInfo.processInfo.environment["THAW_DAMAGE_GRAPHS"]

    @Test(arguments: HostileReader.allCases)
    func `a sample of damaged files is refused, or computed as by the reference`(_ reader: HostileReader) throws {
        let all = DamagedFixture.all(in: Fixtures.folder).filter { $0.reader == reader }
        let fixtures = stride(from: 0, to: all.count, by: max(1, all.count / 8)).map { all[$0] }
        try #require(!fixtures.isEmpty)
        let folder = try TemporaryFolder()
        var run = DamageRun(folder: folder.url)
        for (number, fixture) in fixtures.enumerated() {
            let damage = try fixture.damage()
            let step = max(1, damage.count / 6) | 1
            try run.runInside(fixture, stride(from: number % step, to: damage.count, by: step), of: damage)
        }
        for finding in run.counts[reader]?.findings ?? [] { Issue.record("\(finding)") }
    }

    #if os(Linux)
        @Test(.enabled(if: DamageTests.request != nil), arguments: HostileReader.allCases)
        func `damaged files are refused, or computed as by the reference, in little time and memory`(
            _ reader: HostileReader
        ) throws {
            if let request = Self.request, request != "all", request != reader.rawValue { return }
            let fixtures = DamagedFixture.all(in: Fixtures.folder).filter { $0.reader == reader }
            let sizes = try fixtures.map { try $0.damage().count }
            let total = sizes.reduce(0, +)
            let folder = try TemporaryFolder()
            var run = DamageRun(folder: folder.url)
            #if DEBUG
                run.seconds = 30
            #endif
            run.findings = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent(".build/damage")
            if reader == .graph { run.accepted = Self.graphs.map { URL(fileURLWithPath: $0) } }
            let step = max(1, total / Self.limit)
            // The number of variants before those of the fixture.
            var start = 0
            for (fixture, size) in zip(fixtures, sizes) {
                try run.run(fixture, every: step, from: (step - start % step) % step)
                start += size
            }
            let counts = run.counts[reader] ?? DamageCounts()
            print(
                "damage: \(reader.rawValue): \(counts.refused + counts.accepted) of \(total) variants of \(fixtures.count) files: "
                    + "\(counts.refused) refused, \(counts.accepted) read, \(counts.findings.count) findings; at most "
                    + "\((counts.slowest * 1000).rounded() / 1000) s and \(counts.largest >> 20) MB beyond four times their size"
            )
            for finding in counts.findings.prefix(100) { Issue.record("\(finding)") }
        }
    #endif
}
