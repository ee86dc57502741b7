import Foundation
import Testing

@testable import Thaw

/// Files in `damaged/READER` that were once not handled as they must be, or that show why they are now.
@Suite struct ReplayTests {
    private struct Kept: CustomTestStringConvertible, Sendable {
        let reader: HostileReader
        let name: String

        var testDescription: String { "\(reader.rawValue): \(name)" }

        static let all = HostileReader.allCases.flatMap { reader in
            let folder = Fixtures.path("damaged/\(reader.rawValue)")
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map {
                Kept(reader: reader, name: $0)
            }
        }
    }

    @Test func `the inputs that once failed are found`() { #expect(!Kept.all.isEmpty) }

    @Test(arguments: Kept.all)
    private func `inputs that once failed are refused, or computed like the reference`(_ kept: Kept) {
        if case .wrong(let problem) = kept.reader.read(Fixtures.path("damaged/\(kept.reader.rawValue)/\(kept.name)")) {
            Issue.record("\(problem)")
        }
    }
}
