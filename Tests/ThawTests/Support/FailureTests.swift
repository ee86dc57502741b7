import Foundation
import Testing

@testable import Thaw

/// What a program learns about a failure without parsing its message.
@Suite struct FailureTests {
    /// Files in the fixtures, the code of each failure, and its nodes or names.
    @Test(
        arguments: [
            ("custom_twice.pb", .unsupportedOperations, ["first/odd", "second/odd"], []),
            ("several_reasons.pb", .unsupportedOperations, ["odd", "norm"], []),
            ("conv_stride_zero.pb", .invalidModel, ["conv"], []),
            ("variable.pb", .missingVariables, ["weights"], []),
            ("checkpoint_lacking", .missingVariables, ["shift"], []),
            ("reshape_size.pb", .wrongShape, ["flat"], []),
            ("missing_node.pb", .invalidModel, ["negative"], []),
            ("placeholder_string.pb", .wrongType, ["input"], []),
            ("two_outputs.pb", .ambiguousOutputs, [], ["left", "right"]),
            ("no_placeholder.pb", .noInput, [], []),
            ("unknown_size.pb", .unknownSize, ["input"], []),
            ("saved_without_signature", .unsupportedModel, [], []),
            ("truncated.pb", .damaged, [], []),
            ("random.pb", .unknownFormat, [], []),
            ("model.onnx", .wrongKind, [], []),
            ("there_is_none.pb", .noSuchFile, [], []),
        ] as [(String, Failure.Code, [String], [String])])
    func `a failed conversion has a code, and nodes or names`(
        _ file: String, _ code: Failure.Code, _ nodes: [String], _ names: [String]
    ) throws {
        let path = Fixtures.path("refuse/" + file)
        let failure = try #require(throws: Failure.self) { try Converter().convert(contentsOfFile: path) }
        #expect(failure.code == code)
        #expect(failure.nodes.map(\.name) == nodes)
        #expect(failure.names == names)
    }

    @Test func `unsupported operations are listed with their nodes`() throws {
        let path = Fixtures.path("refuse/several_reasons.pb")
        let failure = try #require(throws: Failure.self) { try Converter().convert(contentsOfFile: path) }
        #expect(failure.nodes.map(\.op) == ["Digamma", "FusedBatchNormV3"])
    }

    @Test func `adding the file, the location or the node keeps the rest`() throws {
        let node = Failure.Node(name: "a", op: "B")
        let failure = Failure(.wrongShape, "is too wide", remedy: "make it narrow", hint: "try", names: ["x"])
        var whole = failure
        whole.file = "file"
        whole.location = "a (B)"
        whole.nodes = [node]
        #expect(failure.inFile("file").at("a (B)").of(node) == whole)
        #expect(whole.inFile("other").at("elsewhere").of(Failure.Node(name: "c", op: "D")) == whole)
        #expect(throws: whole) { try naming(file: "file") { try naming(node: node) { throw failure } } }
        #expect("\(whole)" == "file: a (B): is too wide; make it narrow\nhint: try")
        #expect(whole.withoutFile.description == "a (B): is too wide; make it narrow")
    }

    @Test func `names and values that are very long are abbreviated`() {
        let name = String(repeating: "é", count: 100_000)
        let failure = Failure(
            .damaged, file: "file", location: name, "the name '\(name)' and \([Int](0..<100_000)) are long")
        let text = failure.description
        #expect(text.utf8.count < 3000 && text.hasPrefix("file: é"))
        #expect(text.contains("… (199500 more bytes) …") && text.contains("99999] are long"))
        let list = (0..<100).map { "name\($0)" }.joined(separator: ", ")
        #expect("\(Failure(.damaged, "\(list)"))" == list)
        #expect([Phrase](repeating: "a", count: 3).joined(separator: "-") == "a-a-a")
    }

    @Test func `every code is documented, once`() throws {
        let codes = Failure.Code.all.map(\.rawValue)
        #expect(Set(codes).count == codes.count)
        let root = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }
        let source = try text("Sources/Thaw/Support/Failure+Code.swift")
        #expect(
            source.matches(of: #/static let (\w+) = Self\(rawValue: "(\w+)"\)/#).map { "\($0.1) \($0.2)" }
                == codes.map { "\($0) \($0)" })
        let notes = Note.Code.all.map(\.rawValue)
        #expect(Set(notes).count == notes.count)
        #expect(
            try text("Sources/Thaw/Support/Note+Code.swift")
                .matches(of: #/static let (\w+) = Self\(rawValue: "(\w+)"\)/#).map { "\($0.1) \($0.2)" }
                == notes.map { "\($0) \($0)" })
        let page = try text("docs/failure-codes.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) } == codes + notes)
    }
}
