import Foundation
import Testing

/// Names of inputs and outputs, and metadata, written by `convert` and shown by `inspect`.
@Suite struct InterfaceCommandTests {
    private static let names = [
        "--rename", "resnet/softmax=scores", "--class-label", "thing", "--rename", "input=photo",
        "--describe", "photo=Something = anything", "--describe", "thing=What it is", "--metadata", "run=17",
        "--metadata", "b=", "--author", "A. Person", "--version", "2.1",
    ]

    @Test(arguments: ["m.mlmodel", "m.mlpackage"]) func `names and descriptions are written, shown, and kept`(
        _ name: String
    ) throws {
        let folder = try TemporaryFolder()
        let arguments = ["convert", Project.network("resnet"), "--labels", Project.labels("resnet"), "-o", name]
        let outcome = try Thaw.run(arguments + Self.names, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let small = "small" + name.dropFirst()
        let compressed = try Thaw.run(
            "compress", name, "-o", small, "--weights", "int8", "--min-elements", "16", in: folder)
        #expect(compressed.status == 0, "\(compressed.errors)")
        for file in [name, small] {
            let lines = try Thaw.run("inspect", file, in: folder).lines
            for line in [
                "inputs          photo: an image, 32×32, rgb", "outputs         thing: the top label",
                "author          A. Person", "version         2.1", "features        photo: Something = anything",
                "                thing: What it is", "metadata        b: ", "                run: 17",
            ] {
                #expect(lines.contains(line), "\(line) is not in \(lines.joined(separator: "\n"))")
            }
            #expect(lines.contains { $0.hasPrefix("                scores: the probability of each label") })
        }
    }

    @Test(arguments: ["m.mlmodel", "m.mlpackage"]) func `classify prints integer labels`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let labels = try folder.write((0..<10).map { "\($0 * 100)\n" }.joined(), to: "labels.txt")
        let arguments = ["convert", Project.demo, "--labels", labels, "--integer-labels", "--probabilities", "chances"]
        #expect(try Thaw.run(arguments + ["-o", name], in: folder).status == 0)
        let lines = try Thaw.run("inspect", name, in: folder).lines
        #expect(lines.contains("labels          10 integers, from 0 to 900"))
        #expect(lines.contains { $0.hasPrefix("                chances: the probability of each label") })
        let outcome = try Thaw.run("classify", name, Project.photograph("cat"), "--top", "1", in: folder)
        #expect(outcome.lines.last?.hasSuffix("  300") == true, "\(outcome.output)")
    }

    @Test(
        arguments: [
            (
                ["--rename", "x=y"],
                "there is no input or output 'x'; the names are 'input', 'resnet_softmax', 'classLabel'"
            ),
            (
                ["--rename", "x"],
                "--rename: invalid value 'x'; expected the old and the new name, as in input=image"
            ),
            (["--rename", "input=a b"], "'a b' cannot be the name of an input or output; "),
            (["--rename", "input=classLabel"], "two inputs or outputs would have the name 'classLabel'; "),
            (["--class-label", "the label"], "'the label' cannot be the name of an input or output; "),
            (["--class-label", "input"], "two inputs or outputs would have the name 'input'; "),
            (["--probabilities", "classLabel"], "two inputs or outputs would have the name 'classLabel'; "),
            (["--describe", "x=y"], "there is no input or output 'x'; "),
            (["--describe", "=y"], "--describe: invalid value '=y'; expected "),
            (["--describe", "input=a", "--describe", "input=b"], "--describe: 'input' is given twice"),
            (
                ["--metadata", "a"],
                "--metadata: invalid value 'a'; expected a key and its value, as in com.example.run=17"
            ),
            (["--metadata", "a=1", "--metadata", "a=2"], "--metadata: 'a' is given twice"),
            (["--metadata", "thaw.lifted.scale=1"], "--metadata: the key 'thaw.lifted.scale' is reserved; "),
            (["--integer-labels"], "line 1: "),
        ])
    func `invalid names and descriptions are refused`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        let base = ["convert", Project.network("resnet"), "--labels", Project.labels("resnet"), "-o", "m.mlmodel"]
        let outcome = try Thaw.run(base + arguments, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.names == [])
    }

    @Test(arguments: [["--integer-labels"], ["--class-label", "a"], ["--probabilities", "a"]])
    func `options for classifiers need labels`(_ arguments: [String]) throws {
        let outcome = try Thaw.run(["convert", Project.network("resnet")] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("thaw: \(arguments[0]) has no effect without --labels\n"))
    }
}
