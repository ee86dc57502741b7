import Foundation
import Testing

@testable import ThawCommand

/// Running the layout program.
@Suite struct GraphvizTests {
    @Test func `a layout that takes too long is ended`() throws {
        let folder = try TemporaryFolder()
        let program = try folder.write("#!/bin/sh\nexec sleep 600\n", to: "slow")
        chmod(program, 0o755)
        let problem = #expect(throws: Graphviz.Problem.self) {
            try Graphviz.svg(of: "digraph {}", program: program, timeLimit: 0.1)
        }
        if case .tooSlow = problem {} else { Issue.record("\(String(describing: problem))") }
    }

    @Test func `the program reads the drawing and writes the layout`() throws {
        let folder = try TemporaryFolder()
        let program = try folder.write("#!/bin/sh\necho \"$@\"; cat\n", to: "echo")
        chmod(program, 0o755)
        let layout = try Graphviz.svg(of: "digraph {}", program: program, timeLimit: 600)
        #expect(String(decoding: layout, as: UTF8.self) == "-Tsvg\ndigraph {}")
    }
}
