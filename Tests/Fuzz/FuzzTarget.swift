import Foundation

@testable import Thaw

/// Code that reads untrusted input.
struct FuzzTarget: @unchecked Sendable {
    let name: String
    /// Whether inputs are changed as messages: of bytes that are changed at random, few get past the parser.
    var isMessage = false
    /// The inputs to begin with.
    let seeds: () -> [[UInt8]]
    /// Throws if anything is wrong.
    let run: ([UInt8]) throws -> Void

    /// The target that runs.
    nonisolated(unsafe) static var current: FuzzTarget?

    static let all: [FuzzTarget] = {
        let targets = HostileReader.allCases.map(FuzzTarget.init(reader:)) + [options, http, infer]
        #if THAW_FUZZ
            return targets + [cInterface]
        #else
            // The C functions are in a library that tests do not link.
            return targets
        #endif
    }()

    /// An input that was not handled as it must be.
    struct Finding: Error {
        let description: String
    }

    static let fixtures: URL = {
        var url = URL(fileURLWithPath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.appendingPathComponent("Fixtures")
    }()

    /// Where the fixtures are copied, in memory if there is such a folder.
    static let folder: URL = {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let parent =
            FileManager.default.fileExists(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        return parent.appendingPathComponent("thaw-fuzz-\(getpid())")
    }()

    private static let damagedFixtures = DamagedFixture.all(in: fixtures)
}

// MARK: Readers of files

extension FuzzTarget {
    /// An input is the number of a fixture in two bytes, and the content of the file that is exchanged in it.
    init(reader: HostileReader) {
        let fixtures = FuzzTarget.damagedFixtures.filter { $0.reader == reader }
        let folder = FuzzTarget.folder
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
            switch reading {
            case .wrong(let problem)?: throw Finding(description: "\(fixture.path): \(problem)")
            case nil: throw Finding(description: "\(fixture.path) cannot be copied to \(folder.path)")
            default: break
            }
        }
    }
}
