import Foundation

@testable import Thaw

/// Code that reads untrusted input.
struct FuzzTarget: @unchecked Sendable {
    let name: String
    /// Whether inputs are changed as messages: of bytes that are changed at random, few get past the parser.
    var isMessage = false
    /// The inputs to begin with.
    let seeds: () -> [[UInt8]]
    /// Traps if anything is wrong.
    let run: ([UInt8]) -> Void

    /// The target that runs.
    nonisolated(unsafe) static var current: FuzzTarget?

    static let all = HostileReader.allCases.map(FuzzTarget.init(reader:)) + [options, http, infer, cInterface]

    static let fixtures: URL = {
        var url = URL(fileURLWithPath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.appendingPathComponent("Fixtures")
    }()

    private static let damagedFixtures = DamagedFixture.all(in: fixtures)
}

// MARK: Readers of files

extension FuzzTarget {
    /// An input is the number of a fixture in two bytes, and the content of the file that is exchanged in it.
    init(reader: HostileReader) {
        let fixtures = FuzzTarget.damagedFixtures.filter { $0.reader == reader }
        let folder = URL(fileURLWithPath: "/dev/shm/thaw-fuzz-\(getpid())")
        name = reader.rawValue
        isMessage = [.graph, .savedModel, .checkpoint, .neuralNetwork, .program, .pipeline].contains(reader)
        seeds = {
            fixtures.enumerated().compactMap { index, fixture in
                guard let content = try? fixture.content(), content.count < 12_000 else { return nil }
                return [UInt8(index & 0xFF), UInt8(index >> 8)] + content
            }
        }
        run = { input in
            guard input.count > 2, !fixtures.isEmpty else { return }
            let fixture = fixtures[(Int(input[0]) | Int(input[1]) << 8) % fixtures.count]
            // libFuzzer's timer interrupts calls of the system, which Foundation reports as errors.
            var reading: Reading?
            for _ in 0..<100 where reading == nil {
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                reading = try? fixture.withCopy(in: folder) { path, write in
                    try write(Array(input[2...]))
                    return reader.read(path)
                }
            }
            if case .wrong(let problem)? = reading { fatalError("\(fixture.path): \(problem)") }
        }
    }
}
