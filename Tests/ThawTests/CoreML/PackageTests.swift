import Foundation
import Testing

@testable import Thaw

/// Packages that are written and then corrupted.
@Suite struct PackageTests {
    private static let program = "Data/com.apple.CoreML/model.mlmodel"
    private static let weights = "Data/com.apple.CoreML/weights/weight.bin"

    /// A small classifier as a package in a temporary folder.
    private func package(_ weights: WeightType = .float16) throws -> (TemporaryFolder, URL) {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("model.mlpackage")
        try NetworkCase.all[0].conversion().model.write(
            toFile: url.path, weights: WeightStorage(weights, minimumCount: 16))
        return (folder, url)
    }

    private func edit(_ url: URL, _ file: String, _ body: (inout Data) -> Void) throws {
        let path = url.appendingPathComponent(file)
        var data = try Data(contentsOf: path)
        body(&data)
        try data.write(to: path)
    }

    private func refusal(_ url: URL) -> String {
        let failure = #expect(throws: Failure.self) { try Model.load(contentsOfFile: url.path) }
        return failure?.description ?? ""
    }

    @Test func `the same model gives the same bytes, and replaces an old package`() throws {
        let (first, url) = try package()
        let (second, other) = try package()
        for file in ["Manifest.json", Self.program, Self.weights] {
            let bytes = try Data(contentsOf: url.appendingPathComponent(file))
            #expect(try bytes == Data(contentsOf: other.appendingPathComponent(file)))
        }
        try Data().write(to: url.appendingPathComponent("old"))
        let model = try NetworkCase.all[0].conversion().model
        try model.write(toFile: url.path)
        #expect(!FileManager.default.fileExists(atPath: url.appendingPathComponent("old").path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: first.url.path) == ["model.mlpackage"])
        #expect(throws: Failure.self) { try model.write(toFile: url.path, mayReplace: false) }
        _ = second
    }

    @Test func `a folder with other files is not replaced`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("notes.mlpackage")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: url.appendingPathComponent("text.txt"))
        let model = try NetworkCase.all[0].conversion().model
        let failure = #expect(throws: Failure.self) { try model.write(toFile: url.path) }
        #expect(failure?.description.contains("something that is not a Core ML package has this name") == true)
        #expect(FileManager.default.fileExists(atPath: url.appendingPathComponent("text.txt").path))
    }

    @Test func `a package without a manifest is refused`() throws {
        let (folder, url) = try package()
        try FileManager.default.removeItem(at: url.appendingPathComponent("Manifest.json"))
        #expect(refusal(url).contains("has no Manifest.json"))
        _ = folder
    }

    @Test(arguments: [
        (
            #""path": "com.apple.CoreML/model.mlmodel""#, #""path": "com.apple.CoreML/none.mlmodel""#,
            "which does not exist"
        ),
        (#""path": "com.apple.CoreML/model.mlmodel""#, #""path": "../../model.mlmodel""#, "is outside the package"),
        (#""path": "com.apple.CoreML/model.mlmodel""#, #""path": "/etc/passwd""#, "is outside the package"),
        (#""rootModelIdentifier""#, #""root""#, "which file is the model"),
        (#""path":"#, #""way":"#, "where the model"),
        ("{", "[", "not valid JSON"),
    ]) func `a corrupt manifest is refused with the reason`(_ old: String, _ new: String, _ words: String)
        throws
    {
        let (folder, url) = try package()
        try edit(url, "Manifest.json") {
            $0 = Data(String(decoding: $0, as: UTF8.self).replacingOccurrences(of: old, with: new).utf8)
        }
        #expect(refusal(url).contains(words))
        _ = folder
    }

    @Test(arguments: [
        "Manifest.json", "Data", "Data/com.apple.CoreML", program, "Data/com.apple.CoreML/weights", weights,
    ])
    func `a link out of the package is not followed, one in it is`(_ name: String) throws {
        let (folder, url) = try package()
        let item = url.appendingPathComponent(name)
        for (destination, isInside) in [
            (url.appendingPathComponent("elsewhere"), true), (folder.url.appendingPathComponent("elsewhere"), false),
        ] {
            let real = item.resolvingSymlinksInPath()
            try FileManager.default.moveItem(at: real, to: destination)
            try? FileManager.default.removeItem(at: item)
            try FileManager.default.createSymbolicLink(at: item, withDestinationURL: destination)
            if isInside {
                _ = try Model.load(contentsOfFile: url.path)
            } else {
                #expect(refusal(url).contains("is outside the package"))
            }
        }
    }

    @Test(arguments: [
        "@model_path/../../../../weight.bin", "/etc/passwd", "@model_path//etc/passwd", "weights/weight.bin",
        "@model_path/",
        "@model_path/./weights/weight.bin", "@model_path/weights/weight.bin\0", "@model_path/weights/..",
    ]) func `a weight file's name that leads elsewhere is refused`(_ name: String) throws {
        let (folder, url) = try package()
        let package = try ModelPackage(path: url.path)
        let failure = #expect(throws: Failure.self) { try package.weights(name) }
        #expect(failure?.problem.description.contains("is outside the package") == true)
        _ = folder
    }

    private struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let words: String
        let body: @Sendable (inout Data) -> Void
    }

    @Test(arguments: [
        Damage(testDescription: "truncated", words: "extends past the end") { $0.removeLast($0.count / 2) },
        Damage(testDescription: "only the first bytes", words: "extends past the end") { $0.removeLast($0.count - 8) },
        Damage(testDescription: "another version", words: "version 3 is not supported") { $0[4] = 3 },
        Damage(testDescription: "no sentinel", words: "no tensor begins here") { $0[64] ^= 1 },
        Damage(testDescription: "another type", words: "has the type int8") { $0[68] = 4 },
        Damage(testDescription: "an unknown type", words: "has the type 99") { $0[68] = 99 },
        Damage(testDescription: "fewer bytes than the shape needs", words: "bytes; ") { $0[72] ^= 4 },
        Damage(testDescription: "more bytes than there are", words: "extends past the end") { $0[79] = 0x7F },
        Damage(testDescription: "unaligned data", words: "a tensor cannot begin here") { $0[80] ^= 1 },
        Damage(testDescription: "data past the end of the file", words: "extends past the end") { $0[85] = 1 },
    ]) private func `a corrupt weight file is refused with the reason`(_ damage: Damage) throws {
        let (folder, url) = try package()
        try edit(url, Self.weights, damage.body)
        let text = refusal(url)
        #expect(text.contains(damage.words), "\(text)")
        _ = folder
    }

    @Test func `missing weights are refused`() throws {
        let (folder, url) = try package()
        try FileManager.default.removeItem(at: url.appendingPathComponent(Self.weights))
        #expect(refusal(url).contains("'weights/weight.bin' does not exist"))
        _ = folder
    }

    // MARK: Programs

    /// The message of a written program with its operations changed.
    private func refusal(_ change: (inout [Message]) -> Void) throws -> String {
        let program = try ProgramWriter.run(NetworkCase.all[0].conversion().model)
        var message = program.message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        var operations: [Message] = bodies[0].value.operations
        change(&operations)
        bodies[0].value.operations = operations
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlpackage").path
        _ = try ModelPackage.write(
            EncodedModel(EncodedProgram(message: message, weights: program.weights, version: program.version)),
            to: path, mayReplace: true)
        let failure = #expect(throws: Failure.self) { try Model.load(contentsOfFile: path) }
        return failure?.description ?? ""
    }

    @Test func `an unknown operation is refused by its name and position`() throws {
        let text = try refusal { operations in
            let index = operations.firstIndex { $0.type as String == "conv" }!
            operations[index].type = "random_normal"
        }
        #expect(text.contains("operations of kind 'random_normal' are not supported") && text.contains("operation "))
    }

    @Test func `a value that nothing computes is refused`() throws {
        let text = try refusal { operations in
            operations.removeAll { ($0.type as String) == "const" }
        }
        #expect(text.contains("which no earlier operation computes"))
    }

    @Test func `a value that is computed twice is refused`() throws {
        let text = try refusal { operations in
            operations.insert(operations[0], at: 0)
        }
        #expect(text.contains("is computed twice"))
    }

    @Test func `labels that do not match the classes are refused`() throws {
        let text = try refusal { operations in
            let index = operations.firstIndex { $0.type as String == "classify" }!
            var inputs: [Message] = operations[index].inputs
            let entry = inputs.firstIndex { $0.key as String == "classes" }!
            var bindings: [Message] = inputs[entry].value.arguments
            var list: [Message] = bindings[0].value.immediateValue.list.values
            list.removeLast()
            bindings[0].value.immediateValue.list.values = list
            inputs[entry].value.arguments = bindings
            operations[index].inputs = inputs
        }
        #expect(text.contains("9 labels for 10 classes"), "\(text)")
    }

    @Test func `duplicate labels get their indices, with a warning`() throws {
        let model = try NetworkCase.all[0].conversion().model
        var message = try NeuralNetworkWriter.message(model)
        var labels: [String] = message.neuralNetworkClassifier.stringClassLabels.vector
        labels[2] = labels[0]
        message.neuralNetworkClassifier.stringClassLabels.vector = labels
        let (read, warnings) = try ModelReader.run(message)
        #expect(read.classifier?.labels[0] == "\(labels[0]) (0)" && read.classifier?.labels[2] == "\(labels[0]) (2)")
        #expect(warnings.map(\.code) == [.duplicateLabel])
    }

    @Test func `an input that the description and the program describe differently is refused`() throws {
        var builder = GraphBuilder()
        let value = builder.input("x", TensorType([1, 5]))
        builder.output("y", try builder.one(Unary(.relu), value))
        var message = try ProgramWriter.run(Model(graph: builder.graph)).message
        var inputs: [Message] = message.description.input
        inputs[0]["type"].multiArrayType.shape = [1, 7]
        message.description.input = inputs
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(
            failure?.description.contains("is an array of shape [1, 7], but the program takes a tensor of shape [1, 5]")
                == true, "\(failure?.description ?? "")")
    }

    @Test func `weights that do not match their operation are refused`() throws {
        let text = try refusal { operations in
            let index = operations.firstIndex { $0.type as String == "conv" }!
            var inputs: [Message] = operations[index].inputs
            let entry = inputs.firstIndex { $0.key as String == "x" }!
            inputs[inputs.firstIndex { $0.key as String == "weight" }!].value = inputs[entry].value as Message
            operations[index].inputs = inputs
        }
        #expect(text.contains("(conv)"), "\(text)")
    }

    @Test func `weights of another shape than the operation's result are refused`() throws {
        let text = try refusal { operations in
            let index = operations.firstIndex { $0.type as String == "conv" }!
            var outputs: [Message] = operations[index].outputs
            outputs[0].type = .tensorType(TensorType([1, 2, 3, 4]))
            operations[index].outputs = outputs
        }
        #expect(text.contains("is declared with shape [1, 2, 3, 4]"))
    }

    // MARK: Compression

    @Test(arguments: [WeightType.int8, .palette8, .palette6, .palette4], ["mlmodel", "mlpackage"])
    func `compressed weights are smaller, and nearly the same`(_ type: WeightType, _ ending: String) throws {
        let folder = try TemporaryFolder()
        let project = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        let model = try Converter().convert(contentsOfFile: project.appendingPathComponent("Models/cifar10.pb").path)
            .model
        let path = folder.url.appendingPathComponent("model." + ending).path
        let plain = try model.write(toFile: path, weights: WeightStorage(.float16)).bytes
        let small = try model.write(toFile: path, weights: WeightStorage(type)).bytes
        #expect(small < plain)
        let back = try Model.load(contentsOfFile: path).model
        // The operations after the convolutions may be written differently in a dialect.
        func filters(_ model: Model) -> [Tensor] {
            model.graph.nodes.flatMap { $0.operation.weights.filter { $0.shape.rank == 4 } }
        }
        #expect(filters(back).map(\.shape) == filters(model).map(\.shape))
        for (a, b) in zip(filters(model), filters(back)) {
            // The error is about 2.2 deviations divided by the number of levels, somewhat more for uniform levels.
            let error = zip(a.floats, b.floats).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            let power = a.floats.reduce(Float(0)) { $0 + $1 * $1 }
            #expect(error.squareRoot() <= 4 / Float(1 << (type.paletteBits ?? 8)) * power.squareRoot())
        }
    }
}
