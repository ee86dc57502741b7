import Foundation
import Testing

@Suite struct RunTests {
    /// A row of networks.tsv: its inputs and the options that it needs.
    private static let networks = Project.table("networks/networks.tsv").map { row in
        (name: row[0], inputs: row[4].split(separator: ",").map(String.init), size: row[3])
    }

    /// The shape and the values of a NumPy file.
    private func array(_ path: String) throws -> (shape: [String], values: [Float]) {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(data.prefix(6) == Data([0x93] + "NUMPY".utf8))
        let length = Int(data[8]) | Int(data[9]) << 8
        let header = String(decoding: data[10..<10 + length], as: UTF8.self)
        let shape = try #require(header.firstMatch(of: /'shape': \(([^)]*)\)/)).1
        let values = data.dropFirst(10 + length).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) }
        }
        return (shape.split(separator: ",").map { $0.filter(\.isNumber) }.filter { !$0.isEmpty }, values)
    }

    @Test func `a graph, its reference implementations and its model give TensorFlow's outputs`() throws {
        // Arrays are in the layout of the graph's placeholder, one of them with channels first.
        for network in RunTests.networks {
            let folder = try TemporaryFolder()
            let size = network.size == "-" ? [] : ["--size", network.size]
            let graph = Project.network(network.name)
            let converted = try Thaw.run(["convert", graph, "-o", "m.mlmodel"] + size, in: folder)
            #expect(converted.status == 0, "\(network.name): \(converted.errors)")
            for (index, input) in network.inputs.enumerated() {
                let input = Project.fixture("networks/" + input)
                let expected = try array(Project.fixture("networks/\(network.name)/output\(index).npy"))
                for (name, arguments) in [
                    ("graph", [graph] + size), ("reference", [graph, "--reference"] + size), ("model", ["m.mlmodel"]),
                ] {
                    let outcome = try Thaw.run(["run"] + arguments + [input, "-o", "\(name).npy"], in: folder)
                    #expect(outcome.status == 0, "\(network.name), \(name): \(outcome.errors)")
                    guard outcome.status == 0 else { continue }
                    let output = try array(folder.path("\(name).npy"))
                    #expect(output.shape == expected.shape)
                    let worst = zip(output.values, expected.values).map { abs($0 - $1) }.max() ?? 0
                    #expect(worst < 1e-5, "\(network.name), \(name)")
                }
            }
        }
    }

    @Test func `batch normalization in training mode causes a warning`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.fixture("live/saved_keras_training")
        try write(1, side: 8, to: folder.url.appending(path: "x.npy"))
        for (options, isExpected) in [([], true), (["--batch-norm", "inference"], false)] {
            let run = try Thaw.run(["run", graph, "x.npy", "-o", "y.npy"] + options, in: folder)
            #expect(run.status == 0)
            #expect(run.errors.contains("batch normalization in training mode at") == isExpected, "\(run.errors)")
            let model = try Thaw.run(["convert", graph, "-o", "m.mlmodel"] + options, in: folder)
            #expect(model.status == 0)
            let photos = Project.fixture("photographs")
            let comparison = try Thaw.run(["compare", graph, "m.mlmodel", photos] + options, in: folder)
            #expect(comparison.errors.contains("in training mode") == isExpected, "\(comparison.errors)")
        }
    }

    @Test func `an input is never replaced`() throws {
        let folder = try TemporaryFolder()
        let first = RunTests.networks[0]
        let (network, input) = (Project.network(first.name), Project.fixture("networks/" + first.inputs[0]))
        let output = try Thaw.run("run", network, input, "-o", "out", in: folder)
        #expect(output.status == 0, "\(output.errors)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path("out")).first)
        for (file, target) in [("in.npy", "./in.npy"), ("out/\(name)", "out")] {
            try? FileManager.default.removeItem(atPath: folder.path(file))
            try FileManager.default.copyItem(atPath: input, toPath: folder.path(file))
            let before = try folder.data(file)
            let refused = try Thaw.run("run", network, file, "-o", target, in: folder)
            #expect(refused.status == 2 && refused.errors.contains("would replace an input"), "\(refused.errors)")
            #expect(try folder.data(file) == before)
        }
    }

    @Test func `outputs are written to a folder, each under its name`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.network("mobilenet_v1_folded")
        let outcome = try Thaw.run(
            "run", graph, "input=" + Project.fixture("networks/pictures/color0.npy"), "-o", "outputs",
            "--output", "MobilenetV1/Predictions/Reshape_1", "--output", "MobilenetV1/Predictions/Reshape", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("outputs")).sorted()
                == ["MobilenetV1_Predictions_Reshape.npy", "MobilenetV1_Predictions_Reshape_1.npy"])
    }

    @Test func `assumptions about the graph are reported, but not those about images`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.fixture("ways/phase_placeholder.pb")
        let arguments = ["run", graph, Project.fixture("ways/color0.npy"), "-o", "out.npy"]
        let outcome = try Thaw.run(arguments, in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors == "the placeholder 'keras_learning_phase' is false, as at inference; "
                + "--set keras_learning_phase=true overrides this\n")
        #expect(try Thaw.run(arguments + ["--set", "keras_learning_phase=false"], in: folder).errors == "")
    }

    @Test func `a larger batch is split into several runs`() throws {
        let folder = try TemporaryFolder()
        // Both inputs concatenated in one file.
        let files = ["color0", "color1"].map { Project.fixture("networks/pictures/\($0).npy") }
        let data = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let start = 10 + Int(data[0][8]) + Int(data[0][9]) << 8
        var header = String(decoding: data[0][10..<start], as: UTF8.self)
        header.replace("(1,", with: "(2,")
        try #require(header.contains("(2, 32, 32, 3)"))
        let both = data[0][..<10] + Data(header.utf8) + data[0][start...] + data[1][start...]
        try both.write(to: folder.url.appending(path: "both.npy"))
        let outcome = try Thaw.run("run", Project.network("resnet"), "both.npy", "-o", "out.npy", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let output = try array(folder.path("out.npy"))
        let expected = try (0..<2).flatMap { try array(Project.fixture("networks/resnet/output\($0).npy")).values }
        #expect(output.shape == ["2", "10"])
        #expect(zip(output.values, expected).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    /// Writes a square RGB image with equal values as a NumPy file.
    private func write(_ number: Float, side: Int = 6, to url: URL) throws {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, \(side), \(side), 3)}"
        let text = header.padding(toLength: 117, withPad: " ", startingAt: 0) + "\n"
        let values = [Float](repeating: number, count: side * side * 3)
        try (Data([0x93] + "NUMPY".utf8 + [1, 0, 118, 0]) + Data(text.utf8) + values.withUnsafeBytes { Data($0) })
            .write(to: url)
    }

    @Test func `each input of a graph gets the array with its name`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.fixture("pairs/added.pb")
        try write(2, to: folder.url.appending(path: "a.npy"))
        try write(0.5, to: folder.url.appending(path: "b.npy"))
        for arguments in [["second=b.npy", "first=a.npy"], ["first=a.npy", "second=b.npy", "--reference"]] {
            let outcome = try Thaw.run(["run", graph, "-o", "sum.npy"] + arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let sum = try array(folder.path("sum.npy"))
            #expect(sum.shape == ["1", "6", "6", "3"])
            #expect(sum.values == [Float](repeating: 2.5, count: 108))
        }
        for (arguments, message) in [
            (["first=a.npy"], "the input 'second' is missing; the model takes first=FILE.npy second=FILE.npy"),
            (["a.npy"], "an array does not name one of the 2 inputs; the model takes first=FILE.npy"),
            (["first=a.npy", "third=b.npy"], "there is no input 'third'; the model takes 'first', 'second'"),
            (["first=a.npy", "second=b.npy", "second=a.npy"], "too many arrays: 3"),
            (["first=a.npy"], "hint: --set second=VALUE"),
        ] {
            let outcome = try Thaw.run(["run", graph, "-o", "no.npy"] + arguments, in: folder)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test(
        arguments: [
            ([], "-o OUTPUT.npy or -o FOLDER is missing"),
            (["color0"], "-o OUTPUT.npy or -o FOLDER is missing"),
            (["x=color0", "-o", "a"], "there is no input 'x'; the model takes 'input'"),
            (["color0", "color1", "-o", "a"], "too many arrays: 2; the model takes input=FILE.npy"),
            (["gray0", "-o", "a"], "the array for 'input' has shape [1, 28, 28, 1]; expected [1, 32, 32, 3]"),
            (["none", "-o", "a"], "none.npy: no such file"),
            (["color0", "-o", "a.txt"], "a.txt: unsupported extension for an output array; expected FILE.npy"),
            (["color0", "-o", "none/a.npy"], "none/a.npy: "),
            (["color0", "-o", "none/a"], "none/a: the folder cannot be created: No such file or directory"),
            (
                ["color0", "-o", "a.npy", "--output", "resnet/softmax", "--output", "resnet/block3/add"],
                "a.npy: one file cannot hold 2 outputs: 'resnet/softmax', 'resnet/block3/add'; name a folder"
            ),
        ] as [([String], String)])
    func `arrays that do not fit are refused with what the model takes`(
        _ arguments: [String], _ message: String
    ) throws {
        let folder = try TemporaryFolder()
        let paths = arguments.map { argument in
            argument.contains(/^(x=)?(color.|gray.|none)$/)
                ? argument.replacing(/color.|gray.|none/) { Project.fixture("networks/pictures/\($0.output).npy") }
                : argument
        }
        let outcome = try Thaw.run(["run", Project.network("resnet")] + paths, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.names == [])
    }
}
