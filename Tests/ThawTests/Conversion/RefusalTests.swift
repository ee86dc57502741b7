import Foundation
import Testing

@testable import Thaw

/// A file in the fixtures that must be refused, and words that its message must contain.
struct RefusalCase: CustomTestStringConvertible, Sendable {
    let file: String
    let words: [String]
    let wrong: String

    static let all = Fixtures.table("refuse/refuse.tsv").map { row in
        RefusalCase(
            file: row[0], words: row[1] == "-" ? [] : row[1].split(separator: " ").map(String.init), wrong: row[2])
    }

    var testDescription: String { "\(file): \(wrong)" }
}

@Suite struct RefusalTests {
    @Test(arguments: RefusalCase.all)
    func `files that cannot be converted are refused with the reason`(_ refusal: RefusalCase) throws {
        let path = Fixtures.path("refuse/" + refusal.file)
        try #require(FileManager.default.fileExists(atPath: path))
        let failure = try #require(throws: Failure.self) { try Converter().convert(contentsOfFile: path) }
        #expect(failure.file == path)
        var unnamed = failure
        unnamed.file = nil
        let text = unnamed.phrase.withDashes
        for word in refusal.words { #expect(text.localizedCaseInsensitiveContains(word)) }
    }

    /// Hints with something to fill in (NODE, VALUE) cannot be followed literally.
    @Test(arguments: RefusalCase.all)
    func `following a hint works`(_ refusal: RefusalCase) throws {
        let path = Fixtures.path("refuse/" + refusal.file)
        let failure = try #require(throws: Failure.self) { try Converter().convert(contentsOfFile: path) }
        let words = (failure.hint?.withDashes ?? "").split(separator: " ").map(String.init)
        var options: [String] = []
        for (option, value) in zip(words, words.dropFirst()) where ["--input", "--output", "--size"].contains(option) {
            options += [option, value]
        }
        guard !options.isEmpty, !words.contains(where: { $0.contains("NODE") || $0.contains("VALUE") }) else { return }
        let model = try Converter(Converter.Options(words: options.joined(separator: " "))).convert(
            contentsOfFile: path
        )
        .model
        #expect(!model.graph.nodes.isEmpty)
    }

    @Test(arguments: Fixtures.table("labels/labels.tsv"))
    func `a label file is read or refused`(_ row: [String]) throws {
        let path = Fixtures.path("labels/" + row[0])
        let read = {
            let labels = try Labels(contentsOfFile: path)
            try labels.check(classCount: 5)
            return labels
        }
        guard row[1].hasPrefix("refused: ") else {
            let labels = try read()
            #expect(labels.names == row[1].split(separator: "|").map(String.init))
            let code: Note.Code? =
                row[0].contains("duplicates") ? .duplicateLabel : row[0].contains("other_order") ? .labelOrder : nil
            #expect(labels.warnings.map(\.code) == (code.map { [$0] } ?? []))
            return
        }
        let failure = try #require(throws: Failure.self) { try read() }
        #expect(failure.file == path)
        // The numbers in the reason, including the line.
        for number in row[1].split(whereSeparator: { !$0.isNumber }) {
            #expect(failure.description.split(whereSeparator: { !$0.isNumber }).contains(number) || number == "8")
        }
    }
}
