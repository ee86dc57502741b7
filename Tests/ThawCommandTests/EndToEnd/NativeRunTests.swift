import Foundation
import Testing

@testable import Thaw

/// `thaw run` on flexible, optional and native arrays.
@Suite struct NativeRunTests {
    private func write(_ values: [Float], _ shape: [Int], to path: String) throws {
        try Tensor(values, shape: Tensor.Shape(shape)).write(toNumPyFile: path)
    }

    @Test func `an image is a file or its pixels, and gets the preprocessing`() throws {
        let folder = try TemporaryFolder()
        let labels = try Labels(contentsOfFile: Project.demoLabels)
        try Converter().convert(contentsOfFile: Project.demo, labels: labels).model
            .write(toFile: folder.path("m.mlmodel"))
        let photo = try Pixels(contentsOfFile: Project.photograph("cat")).fitted(width: 32, height: 32)
        try photo.write(toFile: folder.path("cat.png"))
        try write(photo.bytes.map { Float($0) }, [32, 32, 3], to: folder.path("cat.npy"))
        try write(photo.bytes.map { Float($0) }, [3, 32, 32], to: folder.path("other.npy"))
        let runner = try ModelRunner(ModelDocument(contentsOfFile: folder.path("m.mlmodel")))
        let expected = try runner.run([(nil, .pixels(photo))])[0].tensor.floats
        for file in ["cat.png", "cat.npy"] {
            let run = try Thaw.run("run", "m.mlmodel", file, "--layout", "native", "-o", "out.npy", in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try Tensor(contentsOfNumPyFile: folder.path("out.npy")).floats == expected)
        }
        let run = try Thaw.run("run", "m.mlmodel", "other.npy", "--layout", "native", "-o", "out.npy", in: folder)
        #expect(run.status != 0 && run.errors.contains("expected [height, width, 3]"), "\(run.errors)")
        let both = try Thaw.run(
            "run", "m.mlmodel", "cat.npy", "--layout", "native", "--reference", "-o", "out.npy", in: folder)
        #expect(both.status != 0 && both.errors.contains("cannot be combined"), "\(both.errors)")
        for (model, option) in [("m.mlmodel", "--scale=2"), (Project.demo, "--function=f")] {
            let other = try Thaw.run("run", model, "cat.npy", "--layout", "native", option, "-o", "no.npy", in: folder)
            let name = option.prefix { $0 != "=" }
            #expect(other.status == 2 && other.errors.contains("\(name) is for"), "\(other.errors)")
        }
    }

    @Test func `flexible and optional arrays are accepted in both layouts`() throws {
        let folder = try TemporaryFolder()
        let x = (0..<24).map { Float($0 % 5) - 2 }
        try write(x, [3, 2, 4], to: folder.path("x.npy"))
        try write(Array(x.prefix(6)), [2, 3], to: folder.path("small.npy"))
        for options in [[], ["--layout", "native"], ["--reference"]] {
            let flexible = try Thaw.run(
                ["run", Project.fixture("inputs/ranges.mlpackage"), "x.npy", "-o", "y.npy"] + options, in: folder)
            #expect(flexible.status == 0, "\(flexible.errors)")
            #expect(try Tensor(contentsOfNumPyFile: folder.path("y.npy")).shape == [3, 2, 3])
            let optional = try Thaw.run(
                ["run", Project.fixture("inputs/optional.mlpackage"), "x=small.npy", "-o", "y.npy"] + options,
                in: folder)
            #expect(optional.status == 0, "\(optional.errors)")
            #expect(try Tensor(contentsOfNumPyFile: folder.path("y.npy")).floats == x.prefix(6).map { 1.5 * $0 })
        }
        let inspected = try Thaw.run("inspect", Project.fixture("inputs/ranges.mlpackage"))
        #expect(inspected.output.contains("of the shapes [1…6, 1…9, 4]"), "\(inspected.output)")
        let states = try Thaw.run("inspect", Project.fixture("inputs/stateful.mlpackage"))
        #expect(states.output.contains("states          total: "), "\(states.output)")
    }
}
