import Foundation
import Testing

#if os(Linux)
    /// File names may be any bytes, if the system allows that.
    @Suite struct RawNameTests {
        @Test(
            arguments: [
                ["classify", ClassifyTests.model.path, "photographs"],
                ["evaluate", ClassifyTests.model.path, "photographs"],
                ["compare", ClassifyTests.model.path, ClassifyTests.model.path, "photographs"],
                [
                    "apply", Project.fixture("generators/super_resolution.pb"), "photographs", "-o", "out",
                    "--max-side", "64",
                ],
            ])
        func `JSON is UTF-8 whatever the file names`(_ arguments: [String]) throws {
            let folder = try TemporaryFolder()
            // A horse in the folder of deer is in the list of mistakes.
            let start =
                "mkdir -p photographs/deer; cp '\(Project.photograph("horse"))' \"photographs/deer/$(printf 'h\\377.jpg')\";"
            let outcome = try Thaw.run(arguments + ["--format", "json"], in: folder, shell: start)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("photographs/deer/h") && !outcome.output.contains("\u{FFFD}"))
            for line in outcome.lines {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
            }
        }

        private static let network = Project.fixture("generators/super_resolution.pb")

        @Test(
            arguments: [
                ("converted/tiny_program_iOS15_float32.mlpackage", "inspect $raw/tiny*"),
                ("live/saved", "inspect $raw/saved"),
                ("live/checkpoint", "inspect $raw/checkpoint"),
                ("photographs", "apply '\(network)' . --max-side 32 -o out && [ -f out/$raw/photographs/cat.jpg ]"),
                ("photographs/cat.jpg", "apply '\(network)' $raw --max-side 32 -o $raw/out && [ -f $raw/out/cat.jpg ]"),
                ("photographs/cat.jpg", "convert '\(Project.demo)' -o $raw/a.mlpackage && \"$0\" inspect $raw/a*"),
            ])
        func `folders may have any names`(_ content: String, _ line: String) throws {
            let start = "raw=$(printf 'b\\374cher'); mkdir $raw; cp -r '\(Project.fixture(content))' $raw;"
            // The rest is not run if this line fails.
            let outcome = try Thaw.run(
                ["--version"], in: TemporaryFolder(), shell: "\(start) \"$0\" \(line) > /dev/null &&")
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test func `an output does not replace its input`() throws {
            let folder = try TemporaryFolder()
            let start = "raw=$(printf 'b\\374rste.jpg'); cp '\(Project.photograph("cat"))' $raw;"
            let outcome = try Thaw.run(
                ["apply", Self.network, "--max-side", "32"], in: folder, shell: start, after: "$raw -o $raw")
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("this is one of the input images"))
        }
    }
#endif
