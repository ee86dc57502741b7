import Foundation
import Testing

@testable import Thaw

/// SavedModels and checkpoints on the command line. Those without variables are in the table of refused files.
@Suite struct LiveGraphTests {
    /// A kind of damage: the fixture, the change, and the expected message about a file.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var model = "checkpoint"
        let file: String
        let problem: String
        let change: @Sendable (URL) throws -> Void
    }

    private static func edit(_ file: URL, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: file)
        change(&data)
        try data.write(to: file)
    }

    /// Changes the compression of a table's first block, and adapts its checksum.
    private static func compress(_ file: URL) throws {
        try edit(file) { data in
            func check(_ size: Int) -> [UInt8] {
                let sum = data.prefix(size + 1).withUnsafeBytes { CRC32C.masked(CRC32C.sum($0)) }
                return withUnsafeBytes(of: sum.littleEndian) { Array($0) }
            }
            let size = (1..<data.count - 5).first { data[($0 + 1)..<($0 + 5)].elementsEqual(check($0)) }!
            data[size] = 7
            data.replaceSubrange(size + 1..<size + 5, with: check(size))
        }
    }

    private static let damages = [
        Damage(
            testDescription: "a byte of the index differs", file: "model.ckpt-7.index",
            problem: "byte 0: the checksum of a block is wrong: the file is corrupt; copy or download it again"
        ) { try edit($0) { $0[10] ^= 1 } },
        Damage(
            testDescription: "a byte of a variable differs", file: "model.ckpt-7.data-00000-of-00001",
            problem: "conv/kernel: the checksum of the variable's value is wrong: the file is corrupt; "
        ) { try edit($0) { $0[5] ^= 1 } },
        Damage(
            testDescription: "the index is truncated", file: "model.ckpt-7.index",
            problem: "the table is truncated, or not the index of a checkpoint; copy or download the file again"
        ) { try edit($0) { $0 = $0.prefix($0.count / 2) } },
        Damage(
            testDescription: "an unknown compression", file: "model.ckpt-7.index",
            problem: "the table is compressed (number 7), which is not supported; "
        ) { try compress($0) },
        Damage(
            testDescription: "a shard is missing", model: "checkpoint_shards", file: "model.ckpt-7.data-00001-of-00002",
            problem: "data file 2 of 2 of the variables cannot be read: it is missing, or access is denied; "
        ) { try FileManager.default.removeItem(at: $0) },
        Damage(
            testDescription: "a SavedModel without its variables", model: "saved",
            file: "variables/variables.data-00000-of-00001",
            problem: "data file 1 of 1 of the variables cannot be read: it is missing, or access is denied; "
        ) { try FileManager.default.removeItem(at: $0) },
    ]

    @Test(arguments: damages) func `a corrupt SavedModel or checkpoint is refused, naming the file at fault`(
        _ damage: Damage
    ) throws {
        let folder = try TemporaryFolder()
        let model = folder.url.appending(path: "model")
        try FileManager.default.copyItem(atPath: Project.fixture("live/" + damage.model), toPath: model.path)
        let file = model.appending(path: damage.file)
        try damage.change(file)
        let outcome = try Thaw.run("convert", "model", "-o", "m.mlmodel", in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("thaw: model/\(damage.file): "), "\(outcome.errors)")
        #expect(outcome.errors.contains(damage.problem), "\(outcome.errors)")
        #expect(try folder.names == ["model"])
    }

    @Test(arguments: [
        (
            ["saved", "--tag", "train"],
            "no graph of the SavedModel has the tag 'train'; its tags are 'serve'\nhint: --tag serve\n"
        ),
        (
            ["saved_tags"],
            "the SavedModel has no signature 'serving_default'; it has 'classes', 'other'\nhint: --signature classes\n"
        ),
        (
            ["saved_v2", "--signature", "x"],
            "the SavedModel has no signature 'x'; it has 'energies', 'serving_default'\nhint: --signature energies\n"
        ),
        (["checkpoint", "--tag", "serve"], "--tag is for SavedModels\n"),
        (["checkpoint/model.ckpt-8"], "no such file\n"),
        (
            ["checkpoint", "--moving-averages"],
            "there are no moving averages of variables; omit --moving-averages, which is for checkpoints that have them\n"
        ),
        (
            ["../refuse/batch_norm_training.pb", "--moving-averages"],
            "there are no moving averages of variables; omit --moving-averages, which is for checkpoints that have them\n"
        ),
    ]) func `an unknown tag, signature or checkpoint is refused with the known ones`(
        _ arguments: [String], _ message: String
    ) throws {
        let path = Project.fixture("live/" + arguments[0])
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(["convert", path, "-o", "m.mlmodel"] + arguments.dropFirst(), in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasSuffix(message), "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("thaw: \(path)"), "\(outcome.errors)")
    }

    @Test(arguments: [
        (
            "checkpoint/checkpoint",
            "is the list of a folder's TensorFlow checkpoints; expected a TensorFlow graph (.pb, SavedModel, checkpoint)\n"
                + "hint: pass the folder\n"
        ),
        (
            "checkpoint/model.ckpt-7.data-00000-of-00001",
            "is a .data file of a TensorFlow checkpoint, which has only the values of variables; expected a TensorFlow graph "
                + "(.pb, SavedModel, checkpoint)\nhint: pass its folder\n"
        ),
        ("saved_v2/variables", "has only the variables of a SavedModel; expected a folder with a graph\n"),
        ("saved_v2/variables/", "has only the variables of a SavedModel; "),
        ("saved_v2/variables/variables.index", "has only the variables of a SavedModel; "),
    ]) func `a part of a checkpoint or SavedModel is refused with what to give instead`(
        _ name: String, _ message: String
    ) throws {
        let path = Project.fixture("live/" + name)
        let outcome = try Thaw.run("convert", path, "-o", "m.mlmodel")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("thaw: \(path): \(message)"), "\(outcome.errors)")
        if name.hasPrefix("saved_v2") {
            let folder = Project.fixture("live/saved_v2")
            #expect(outcome.errors.hasSuffix("hint: give the SavedModel's folder, \(folder)\n"), "\(outcome.errors)")
        }
    }

    @Test func `the message for a graph without its checkpoint names the missing files`() throws {
        let folder = try TemporaryFolder()
        let meta = folder.path("model.ckpt-7.meta")
        try FileManager.default.copyItem(atPath: Project.fixture("live/checkpoint/model.ckpt-7.meta"), toPath: meta)
        let outcome = try Thaw.run("convert", meta, in: folder)
        #expect(outcome.status == 2)
        let index = folder.path("model.ckpt-7.index")
        #expect(outcome.errors.hasPrefix("thaw: \(meta): the .meta file contains only the graph"), "\(outcome.errors)")
        #expect(outcome.errors.contains("there is no \(index); put the .index and .data files"), "\(outcome.errors)")
    }

    @Test(arguments: [("saved_v2", true), ("saved", true), ("saved", false)])
    func `a saved_model under another name is read with its variables`(_ name: String, _ isWhole: Bool) throws {
        let folder = try TemporaryFolder()
        let model = folder.url.appending(path: "model")
        try FileManager.default.copyItem(atPath: Project.fixture("live/" + name), toPath: model.path)
        try FileManager.default.moveItem(
            at: model.appending(path: "saved_model.pb"), to: model.appending(path: "my_model.pb"))
        if !isWhole { try FileManager.default.removeItem(at: model.appending(path: "variables")) }
        let outcome = try Thaw.run("convert", "model/my_model.pb", "-o", "m.mlmodel", in: folder)
        #expect(outcome.status == (isWhole ? 0 : 2), "\(outcome.errors)")
        guard isWhole else {
            let problem = "is a SavedModel's graph without its variables: there is no "
            #expect(outcome.errors.hasPrefix("thaw: model/my_model.pb: \(problem)"), "\(outcome.errors)")
            #expect(outcome.errors.contains("put it into the SavedModel's folder as saved_model.pb"))
            return
        }
        let original = try Thaw.run("convert", Project.fixture("live/" + name), "-o", "original.mlmodel", in: folder)
        #expect(original.status == 0)
        #expect(try folder.data("m.mlmodel") == folder.data("original.mlmodel"))
    }

    @Test func `a SavedModel without a signature is reported as such`() throws {
        let path = Project.fixture("refuse/saved_without_signature")
        let outcome = try Thaw.run("convert", path)
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.hasPrefix(
                "thaw: \(path): the SavedModel has no signature, so its inputs and outputs are unknown; save it "
                    + "with one: "), "\(outcome.errors)")
        #expect(!outcome.errors.contains("--output"))
    }

    @Test(arguments: ["m.mlmodel", "m.mlpackage"])
    func `a signature may have two names for one tensor`(_ file: String) throws {
        let folder = try TemporaryFolder()
        let saved = Project.fixture("live/saved_doubled")
        let outcome = try Thaw.run("convert", saved, "-o", file, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let model = try Model.load(contentsOfFile: folder.path(file)).model
        #expect(model.graph.outputs.map(\.name) == ["probabilities", "scores"])
        let input = Project.fixture("ways/color0.npy")
        #expect(try Thaw.run("run", file, input, "-o", "outputs", in: folder).status == 0)
        #expect(try folder.data("outputs/probabilities.npy") == folder.data("outputs/scores.npy"))
        // Both may be requested, but neither twice.
        let both = ["convert", saved, "--output", "scores", "--output", "probabilities", "-o", "both.mlmodel"]
        #expect(try Thaw.run(both, in: folder).status == 0)
        let twice = try Thaw.run(["convert", saved, "--output", "scores", "--output", "scores"], in: folder)
        #expect(twice.status == 2)
        #expect(twice.errors.contains("--output names 'scores' twice"), "\(twice.errors)")
    }

    @Test func `an output can be named by its key in the signature`() throws {
        let folder = try TemporaryFolder()
        let saved = Project.fixture("live/saved")
        let signature = try Thaw.run("inspect", saved)
        let line = try #require(signature.lines.first { $0.hasPrefix("outputs") })
        let word = String(try #require(line.dropFirst(7).split(separator: ":").first).drop { $0 == " " })
        let outcome = try Thaw.run("convert", saved, "--output", word, "-o", "m.mlmodel", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let model = try Model.load(contentsOfFile: folder.path("m.mlmodel")).model
        #expect(model.graph.outputs.map(\.name) == [word])
        // A node can still be named by its own name.
        let node = try Thaw.run("convert", saved, "--output", "softmax:0", "-o", "n.mlmodel", in: folder)
        #expect(node.status == 0, "\(node.errors)")
        #expect(try Model.load(contentsOfFile: folder.path("n.mlmodel")).model.graph.outputs.map(\.name) == ["softmax"])
        let twice = try Thaw.run("convert", saved, "--output", word, "--output", word, "-o", "m.mlmodel", in: folder)
        #expect(twice.status == 2)
        #expect(twice.errors.contains("twice"))
    }
}
