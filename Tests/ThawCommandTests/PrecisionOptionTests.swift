import Testing
import Thaw

@testable import ThawCommand

@Suite struct PrecisionOptionTests {
    @Test(arguments: Commands.all.map(\.name).filter { !["inspect", "quantize"].contains($0) })
    func `commands that run networks take a precision`(_ name: String) throws {
        let command = Commands.all.first { $0.name == name }!
        let positionals = ["a", "b", "c"].prefix(command.positionals.count)
        for precision in Precision.allCases {
            let arguments = try Arguments(
                positionals + ["--precision", precision.rawValue], options: command.options)
            #expect(arguments[Options.precision] == precision)
        }
        #expect(try Arguments(Array(positionals), options: command.options)[Options.precision] == .float32)
        #expect(throws: Failure.self) {
            try Arguments(positionals + ["--precision", "half"], options: command.options)
        }
    }

    @Test func `results of different precisions are not mixed in one file`() throws {
        let arguments = try Commands.classify.arguments(["m", "i", "--precision", "bf16"])
        #expect(arguments.commandLine(of: OptionGroups.results).contains("bf16"))
    }
}
