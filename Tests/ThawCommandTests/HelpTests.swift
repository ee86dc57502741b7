import Testing
import Thaw

@testable import ThawCommand

@Suite struct HelpTests {
    @Test(arguments: Commands.all.map(\.name))
    func `the help of a command names all its options, in 80 columns`(_ name: String) throws {
        let command = try #require(Commands.all.first { $0.name == name })
        let help = Help.text(of: command)
        for option in command.options {
            let heading = option.spelling + (option.placeholder.map { " " + $0 } ?? "")
            #expect(help.contains(heading), "\(heading)")
        }
        #expect(help.hasPrefix("thaw \(name): \(command.summary)\n\nusage: thaw \(name) "))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 && $0.last != " " })
    }

    @Test(arguments: Commands.all.map(\.name))
    func `every command's help ends with examples that can be parsed`(_ name: String) throws {
        let command = try #require(Commands.all.first { $0.name == name })
        let examples = Examples.of(name)
        #expect(!examples.isEmpty)
        for example in examples {
            // Skip the parts of the line that only the shell reads.
            let own = try #require(example.line.split(separator: "| ").last).split(separator: ">")[0]
            let words = own.split(separator: " ").map(String.init)
            #expect(words.prefix(2) == ["thaw", name])
            #expect(try command.arguments(words.dropFirst(2)).positional.count >= 1)
            #expect(Help.text(of: command).contains(example.line))
        }
    }

    @Test(arguments: Commands.all.map(\.name))
    func `no command has two options of the same name`(_ name: String) throws {
        let options = try #require(Commands.all.first { $0.name == name }).options
        let words = options.map(\.spelling) + options.compactMap { $0.letter.map { "-\($0)" } }
        #expect(Set(words).count == words.count)
    }

    @Test func `commands are found by their names`() {
        for name in Commands.names { #expect(Commands.named(name)?.name == name) }
        #expect(Commands.named("clasify") == nil)
    }

    @Test func `the overview lists every command`() {
        for command in Commands.all { #expect(Help.overview.contains("  \(command.name) ")) }
        #expect(Help.overview.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `an option's help is next to it, wrapped, with its default`() {
        #expect(
            Help.text(of: Commands.classify).contains(
                """
                  --top N                 the number of labels to print per image (5)
                  --format text|json|csv  the format of the results (text)
                  --function NAME         the function of a Core ML model that has several
                                          (default: the model's default)
                  --crop HOW              fill stretches the image; center crops the central
                                          square, center:F one whose side is F times the shorter
                                          side; fit letterboxes the image onto a background
                                          (fill)

                """))
    }
}

@Suite struct FormatsTests {
    @Test func `strings become CSV`() {
        #expect(csv("plain text") == "plain text")
        #expect(csv("tench, Tinca") == "\"tench, Tinca\"")
        // A combining mark after a quote makes them one character.
        #expect(csv("\"\u{301}") == "\"\"\"\u{301}\"")
        #expect(csv("say \"hi\"\n") == "\"say \"\"hi\"\"\n\"")
        #expect(csv("a\r\nb") == "\"a\r\nb\"")
    }

    @Test func `numbers become text`() {
        #expect(fixed(1.005, 0) == "1")
        #expect(fixed(0.98765, 4) == "0.9877")
        #expect(fixed(0.05, 2) == "0.05")
        #expect(fixed(-0.001, 2) == "0.00")
        #expect(fixed(-12.5, 1) == "-12.5")
        #expect(fixed(1e300, 2) == "1e+300")
        #expect(fixed(.infinity, 2) == "inf")
        #expect(grouped(0) == "0")
        #expect(grouped(999) == "999")
        #expect(grouped(1000) == "1,000")
        #expect(grouped(-1_234_567) == "-1,234,567")
        #expect(padded("ab", 4) == "ab  ")
        #expect(padded("ab", 4, left: true) == "  ab")
    }
}
