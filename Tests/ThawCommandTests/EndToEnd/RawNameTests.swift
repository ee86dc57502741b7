import Foundation
import Testing

#if os(Linux)
    /// Names of files may be any bytes, where the system has no say in that.
    @Suite struct RawNameTests {
        @Test(
            "JSON is UTF-8 whatever files are called",
            arguments: [
                ["classify", ClassifyTests.model.path, "photographs"],
                ["evaluate", ClassifyTests.model.path, "photographs"],
                ["compare", ClassifyTests.model.path, ClassifyTests.model.path, "photographs"],
                [
                    "apply", Project.fixture("generators/super_resolution.pb"), "photographs", "-o", "out",
                    "--max-side", "64",
                ],
            ])
        func json(_ words: [String]) throws {
            let folder = try TemporaryFolder()
            // A horse among the deer stands in the list of mistakes.
            let start =
                "mkdir -p photographs/deer; cp '\(Project.photograph("horse"))' \"photographs/deer/$(printf 'h\\377.jpg')\";"
            let outcome = try Thaw.run(words + ["--format", "json"], in: folder, shell: start)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("photographs/deer/h") && !outcome.output.contains("\u{FFFD}"))
            for line in outcome.lines {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
            }
        }
    }
#endif
