import Foundation
import Testing

@testable import Thaw

/// A SavedModel or a checkpoint in the fixtures.
struct LiveCase: CustomTestStringConvertible, Sendable {
    let name: String
    let path: String
    let options: Converter.Options
    let note: String

    /// Files written by TensorFlow 2.21 and by TensorFlow 1.15.
    static let all = ["live", "live1"].flatMap { folder in
        Fixtures.table(folder + "/live.tsv").map { row in
            LiveCase(
                name: folder + "/" + row[0], path: Fixtures.path(folder + "/" + row[1]),
                options: LiveCase.options(row[2]), note: row[3])
        }
    }

    /// `--tag`, `--signature` and `--moving-averages`, in addition to the options for all graphs.
    private static func options(_ text: String) -> Converter.Options {
        let words = text.split(separator: " ").map(String.init)
        var options = Converter.Options()
        switch words[0] {
        case "--tag": options.tag = words[1]
        case "--signature": options.signature = words[1]
        case "--moving-averages": options.usesMovingAverages = true
        default: options = Converter.Options(words: text)
        }
        return options
    }

    var testDescription: String { "\(name): \(note)" }
}

@Suite struct LiveGraphTests {
    @Test(arguments: LiveCase.all) func `a graph with its variables gives TensorFlow's output`(_ live: LiveCase) throws
    {
        let model = try Converter(live.options).convert(contentsOfFile: live.path).model
        for index in 0..<2 {
            let image = try Tensor(contentsOfNumPyFile: Fixtures.path("ways/color\(index).npy"))
            let expected = try Tensor(contentsOfNumPyFile: Fixtures.path("\(live.name).output\(index).npy"))
            #expect(difference(model.graph.output(for: image), expected) <= referenceTolerance)
        }
    }

    /// Checkpoints are renamed, and saved with a folder as their prefix.
    @Test(arguments: ["old", "/home/me/run/", "."], ["model", ""])
    func `a folder's list may be out of date if there is a single checkpoint`(_ listed: String, _ prefix: String) throws
    {
        let folder = try TemporaryFolder()
        for ending in ["index", "meta", "data-00000-of-00001"] {
            try FileManager.default.copyItem(
                atPath: Fixtures.path("live/checkpoint/model.ckpt-7.\(ending)"),
                toPath: folder.url.appending(path: "\(prefix).\(ending)").path)
        }
        let list = folder.url.appending(path: "checkpoint")
        try Data("model_checkpoint_path: \"\(listed)\"\n".utf8).write(to: list)
        #expect(try LiveGraph(checkpoint: folder.url.path).variables?.contains("conv/kernel") == true)
        try Data().write(to: folder.url.appending(path: "other.meta"))
        let failure = #expect(throws: Failure.self) { try LiveGraph(checkpoint: folder.url.path) }
        #expect(failure?.description.contains("the folder has no file 'checkpoint' that names one in it") == true)
    }

    @Test func `a checkpoint of today's format may have the name of a shard of the first one`() throws {
        let folder = try TemporaryFolder()
        let name = "model-00000-of-00001"
        for ending in ["index", "meta", "data-00000-of-00001"] {
            try FileManager.default.copyItem(
                atPath: Fixtures.path("live/checkpoint/model.ckpt-7.\(ending)"),
                toPath: folder.url.appending(path: "\(name).\(ending)").path)
        }
        for path in [name, name + ".meta", name + ".index"] {
            let live = try LiveGraph(checkpoint: folder.url.appending(path: path).path)
            #expect(live.variables?.contains("conv/kernel") == true, "\(path)")
        }
    }

    @Test func `a signature's keys become the model's names, and labels choose among its outputs`() throws {
        let path = Fixtures.path("live/saved_v2")
        let model = try Converter().convert(contentsOfFile: path).model
        #expect(model.graph.inputs.map(\.name) == ["picture"])
        #expect(model.graph.outputs.map(\.name) == ["best", "probabilities"])
        let folder = try TemporaryFolder()
        let labels = folder.url.appendingPathComponent("labels.txt")
        try Data("a\nb\nc\n".utf8).write(to: labels)
        let classifier = try Converter().convert(contentsOfFile: path, labels: Labels(contentsOfFile: labels.path))
            .model
        #expect(classifier.classifier?.probabilities == "probabilities")
    }

    @Test(
        arguments: [
            (
                "saved", "train", nil, "no graph of the SavedModel has the tag 'train'; its tags are 'serve'",
                "tag serve"
            ),
            (
                "saved_tags", "serve", nil,
                "the SavedModel has no signature 'serving_default'; it has 'classes', 'other'", "signature classes"
            ),
            (
                "saved", nil, "classify", "the SavedModel has no signature 'classify'; it has 'serving_default'",
                "signature serving_default"
            ),
            ("checkpoint", "serve", nil, "tag is for SavedModels", nil),
            ("checkpoint", nil, "serve", "signature is for SavedModels", nil),
        ] as [(String, String?, String?, String, String?)])
    func `an unknown tag or signature is refused with the known ones`(
        _ name: String, _ tag: String?, _ signature: String?, _ problem: String, _ hint: String?
    ) throws {
        var options = Converter.Options()
        (options.tag, options.signature) = (tag, signature)
        let failure = try #require(throws: Failure.self) {
            try Converter(options).convert(contentsOfFile: Fixtures.path("live/" + name))
        }
        #expect([failure.problem, failure.remedy].compactMap { $0?.description }.joined(separator: "; ") == problem)
        #expect(failure.hint?.description == hint)
    }

    @Test(arguments: [
        (false, "there are moving averages of 4 variables, which evaluation often uses; usesMovingAverages uses them"),
        (true, "the moving averages of 4 variables are used instead of their values"),
    ])
    func `a note says whether moving averages are used`(_ areUsed: Bool, _ text: String) throws {
        var options = Converter.Options()
        options.usesMovingAverages = areUsed
        let notes = try Converter(options).convert(contentsOfFile: Fixtures.path("live/checkpoint_smoothed")).notes
        #expect(notes.filter { $0.code == .variableAverages }.map(\.description) == [text])
    }

    @Test func `adjacent parts of a variable are joined without a copy`() throws {
        let bundle = try TensorBundle(prefix: Fixtures.path("live1/checkpoint_parts/model.ckpt-7"))
        let whole = try #require(try bundle.value("dense/weights"))
        let halves = try [0..<2, 2..<4].map { rows in
            try #require(try bundle.value("dense/weights", part: [rows, 0..<3]))
        }
        let joined = Concatenation(axis: 0).evaluate(halves)[0]
        #expect(joined == whole)
        #expect(joined.bytes.baseAddress == halves[0].bytes.baseAddress)
        let turned = Concatenation(axis: 0).evaluate(halves.reversed())[0]
        #expect(turned.floats == halves[1].floats + halves[0].floats)
    }

    // MARK: Graphs built by a program

    @Test func `a placeholder with a default replaces what computes the default`() throws {
        let graph = GraphDefinition(nodes: [
            NodeDefinition(name: "iterator", op: "IteratorGetNext"),
            NodeDefinition(
                name: "image", op: "PlaceholderWithDefault", inputs: ["iterator"],
                attributes: ["dtype": .type(.float), "shape": .shape([1, 8, 8, 3])]),
            NodeDefinition(name: "y", op: "Relu", inputs: ["image"]),
        ])
        var options = Converter.Options()
        options.input = "image"
        #expect(try Converter(options).convert(graph: graph).model.graph.nodes.map(\.name) == ["y"])
    }

    /// The example in the documentation of `Converter.convert(graph:variables:)`.
    @Test func `a graph that a program builds converts with its variables`() throws {
        let graph = GraphDefinition(nodes: [
            NodeDefinition(
                name: "image", op: "Placeholder",
                attributes: ["dtype": .type(.float), "shape": .shape([1, 32, 32, 3])]),
            NodeDefinition(name: "gain", op: "VariableV2", attributes: ["dtype": .type(.float), "shape": .shape([3])]),
            NodeDefinition(name: "answer", op: "Mul", inputs: ["image", "gain"]),
        ])
        let conversion = try Converter().convert(graph: graph, variables: ["gain": Tensor([1, 2, 3], shape: [3])])
        let ones = Tensor([Float](repeating: 1, count: 3072), shape: [1, 32, 32, 3])
        #expect(try conversion.model.graph.evaluate([ones])[0].floats.prefix(4) == [1, 2, 3, 1])

        var options = Converter.Options()
        options.usesMovingAverages = true
        let averages = ["gain": [1, 2, 3], "gain/ExponentialMovingAverage": [4, 5, 6] as [Float]]
        let averaged = try Converter(options).convert(
            graph: graph, variables: averages.mapValues { Tensor($0, shape: [3]) })
        #expect(try averaged.model.graph.evaluate([ones])[0].floats.prefix(4) == [4, 5, 6, 4])

        let missing = try #require(throws: Failure.self) { try Converter().convert(graph: graph) }
        #expect(missing.description.hasPrefix("gain (VariableV2): the variable has no value; "))
        let other = try #require(throws: Failure.self) {
            try Converter().convert(graph: graph, variables: ["gain": Tensor([1, 2], shape: [2])])
        }
        #expect(other.description.contains("declares the variable as [3], but 'gain'"))
        #expect(other.description.contains("is [2]"))
    }

    // MARK: The shared material

    @Test(.enabled(if: Fixtures.shared != nil, "the shared material is absent"))
    func `a real checkpoint gives exactly the outputs of its frozen graph`() throws {
        let folder = Fixtures.shared!.appendingPathComponent("checkpoints/cifar")
        var options = Converter.Options()
        options.outputs = ["Output"]
        let live = try Converter(options).convert(contentsOfFile: folder.path).model.graph
        let frozen = try Converter(options).convert(contentsOfFile: folder.appendingPathComponent("frozen.pb").path)
            .model
            .graph
        let input = Tensor(shape: live[live.inputs[0].value].shape) { memory in
            for index in memory.indices { memory.initializeElement(at: index, to: Float(index % 251) / 125 - 1) }
        }
        #expect(try live.evaluate([input])[0] == frozen.evaluate([input])[0])
    }

    /// TensorFlow recognizes 49 of these 64 digits with the same weights.
    @Test(.enabled(if: Fixtures.shared != nil, "the shared material is absent"))
    func `a real SavedModel recognizes digits as TensorFlow does`() throws {
        var options = Converter.Options()
        options.preprocessing = .raw
        let path = Fixtures.shared!.appendingPathComponent("savedmodels/mnist_conv").path
        let classifier = try Classifier(Converter(options).convert(contentsOfFile: path).model)
        let digits = Fixtures.shared!.appendingPathComponent("images/digits")
        let images = try FileManager.default.contentsOfDirectory(atPath: digits.path)
        let right = try images.filter { name in
            let prediction = try classifier.classify(imageAt: digits.appendingPathComponent(name).path).top(1)[0]
            return name.contains("label\(prediction.index)")
        }
        print("mnist_conv: \(right.count) of \(images.count) digits right, as with TensorFlow")
        #expect(images.count == 64)
        #expect(right.count == 49)
    }

    @Test(.enabled(if: Fixtures.shared != nil, "the shared material is absent"))
    func `a SavedModel without its data file is refused, naming the file`() throws {
        let path = Fixtures.shared!.appendingPathComponent("savedmodels/variables_missing").path
        let failure = try #require(throws: Failure.self) { try Converter().convert(contentsOfFile: path) }
        #expect(failure.file == path + "/variables/variables.data-00000-of-00001")
        #expect(failure.problem.contains("data file 1 of 1"))
    }
}
