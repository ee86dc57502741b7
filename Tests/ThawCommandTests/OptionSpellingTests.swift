import Testing
import Thaw

@testable import ThawCommand

/// The library names options and tasks; the command spells them.
@Suite struct OptionSpellingTests {
    @Test func `every option of the library has its own spelling`() {
        let spellings = OptionName.all.map(\.forCommand)
        let options = Set(Commands.all.flatMap(\.options).map(\.spelling))
        for (option, spelling) in zip(OptionName.all, spellings) {
            #expect(options.contains(spelling), "\(option.rawValue)")
        }
        #expect(Set(spellings).count == spellings.count)
        #expect(Set(OptionName.all.map(\.rawValue)).count == spellings.count)
        #expect(OptionName(rawValue: "later").forCommand == "later")
    }

    @Test func `every task is that of a command`() {
        let commands = Commands.all.map { "'thaw \($0.name)'" }
        for task in TaskName.allCases {
            #expect(commands.contains(("\(task: task)" as Phrase).forCommand), "\(task)")
            #expect(("\(task: task)" as Phrase).description == task.typeName)
        }
    }

    @Test(
        arguments: [
            ("\(option: .outputs) names 'y' twice", "outputs names 'y' twice", "--output names 'y' twice"),
            (
                "\(option: .input) a \(option: .placeholderValues) b=1", "input a placeholderValues b=1",
                "--input a --set b=1"
            ),
            ("omit \(option: .size)", "omit size", "omit --size"),
            ("\(option: .maximumPixels) raises it", "maximumPixels raises it", "--max-pixels raises it"),
            ("no option --size", "no option --size", "no option --size"),
            ("use \(task: .runPipeline)", "use Pipeline", "use 'thaw run'"),
            ("takes \(inputs: ["a", "b"])", "takes 'a', 'b'", "takes a=FILE.npy b=FILE.npy"),
        ] as [(Phrase, String, String)])
    func `a phrase is spelled for the library and for the command`(
        _ phrase: Phrase, _ library: String, _ command: String
    ) {
        let failure = Failure(.invalidOption, file: "a.pb", phrase, remedy: phrase, hint: phrase)
        #expect("\(failure)" == "a.pb: \(library); \(library)\nhint: \(library)")
        #expect(failure.phrase.forCommand == "a.pb: \(command); \(command)\nhint: \(command)")
        #expect(failure.withoutFile.forCommand == "\(command); \(command)")
        #expect("\(failure.forCommand)" == failure.phrase.forCommand)
        let note = Note(.formula, phrase)
        #expect("\(note)" == library)
        #expect(("\(note)" as Phrase).forCommand == command)
        #expect(("in \(failure)" as Phrase).forCommand == "in " + failure.phrase.forCommand)
    }

    @Test func `equal texts are equal phrases, however they are written`() {
        let (name, option) = ("x", OptionName.size)
        #expect("ab \(name)" as Phrase == "ab x")
        #expect(["a", "\(option: option)", "b"].joined(separator: " ") as Phrase == "a \(option: .size) b")
        #expect("\(option: .size)" as Phrase != "size")
        #expect(([] as [Phrase]).joined(separator: ", ") == "")
    }
}
