import Foundation
import Testing

/// Graphs of two inputs, from conversion to result.
@Suite struct SeveralInputsCommandTests {
    @Test(arguments: Project.table("pairs/pairs.tsv").map { ($0[0], $0[1], $0[2]) })
    func `two inputs are given by name, and inspect shows both`(_ name: String, _ inputs: String, _ options: String)
        throws
    {
        let folder = try TemporaryFolder()
        let arguments = options == "-" ? [] : options.split(separator: " ").map(String.init)
        let arrays = inputs.split(separator: ",").map { "\($0)=" + Project.fixture("pairs/\(name).\($0).npy") }
        let graph = Project.fixture("pairs/\(name).pb")
        for model in ["m.mlmodel", "m.mlpackage"] {
            let converted = try Thaw.run(["convert", graph, "-o", model] + arguments, in: folder)
            #expect(converted.status == 0, "\(converted.errors)")
            let run = try Thaw.run(["run", model] + arrays + ["-o", "\(model).npy"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let shown = try Thaw.run("inspect", model, in: folder)
            for input in inputs.split(separator: ",") { #expect(shown.output.contains("\(input): ")) }
        }
        let direct = try Thaw.run(["run", graph] + arrays + ["-o", "graph.npy"], in: folder)
        #expect(direct.status == 0, "\(direct.errors)")
        #expect(try folder.data("graph.npy").count == folder.data("m.mlmodel.npy").count)
    }

    @Test func `options by name are read; unknown and repeated names are refused`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.fixture("pairs/masked.pb")
        let given = try Thaw.run(
            "convert", graph, "-o", "m.mlmodel", "--color", "image=bgr", "--scale", "mask=0.5", "--bias",
            "image=-1,-2,-3",
            in: folder)
        #expect(given.status == 0, "\(given.errors)")
        #expect(given.errors.contains("image, blue: "), "\(given.errors)")
        for (arguments, message) in [
            (["--size", "other=8x8"], "there is no input 'other'; the model takes 'image', 'mask'"),
            (["--color", "mask=gray", "--color", "mask=gray"], "--color mask= is given twice"),
            (["--scale", "1", "--scale", "2"], "--scale is given twice"),
            (["--size", "mask=8x8,16x16"], "--size: each of several inputs has a fixed size"),
            (["--color", "image=green"], "--color: invalid value 'green'"),
        ] {
            let refused = try Thaw.run(["convert", graph, "-o", "n.mlmodel"] + arguments, in: folder)
            #expect(refused.status == 2 && refused.errors.contains(message), "\(refused.errors)")
        }
    }
}
