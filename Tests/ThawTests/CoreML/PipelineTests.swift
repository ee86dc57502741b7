import Foundation
import Testing

@testable import Thaw

/// A model in `pipelines/`: rows of inputs with scikit-learn's or XGBoost's outputs, or those of NumPy.
private struct PipelineCase: CustomTestStringConvertible, Sendable {
    let name: String
    let tolerance: Double

    static let all = Fixtures.table("pipelines/pipelines.tsv").compactMap { row in
        Double(row[1]).map { PipelineCase(name: row[0], tolerance: $0) }
    }

    var testDescription: String { name }

    /// The rows: inputs and outputs, as objects.
    func rows() throws -> [(inputs: JSON, outputs: JSON)] {
        let text = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("pipelines/\(name).jsonl")))
        return try text.split(separator: UInt8(ascii: "\n")).map { line in
            let json = try Array(line).withUnsafeBytes { try JSON($0) }
            return (try #require(json["inputs"]), try #require(json["outputs"]))
        }
    }
}

private func pipeline(_ name: String) throws -> Pipeline {
    try Pipeline(contentsOfFile: Fixtures.path("pipelines/\(name).mlmodel"))
}

private func message(_ name: String) throws -> Message {
    let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("pipelines/\(name).mlmodel")))
    return try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
}

@Suite struct PipelineTests {
    /// Whether two values of JSON agree: numbers up to the tolerance, all else exactly.
    private func agree(_ a: JSON, _ b: JSON, _ tolerance: Double) -> Bool {
        switch (a, b) {
        case (.number(let a), .number(let b)): return abs(a - b) <= tolerance * max(1, abs(b))
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { agree($0, $1, tolerance) }
        case (.object(let a), .object(let b)):
            let pairs = a.map { member in (member.value, b.first { $0.key == member.key }?.value) }
            return a.count == b.count && pairs.allSatisfy { a, b in b.map { agree(a, $0, tolerance) } ?? false }
        default: return a == b
        }
    }

    @Test(arguments: PipelineCase.all)
    private func `pipelines by coremltools give the outputs of scikit-learn and XGBoost`(_ tested: PipelineCase) throws
    {
        let pipeline = try pipeline(tested.name)
        let rows = try tested.rows()
        #expect(rows.count > 1)
        for (inputs, outputs) in rows {
            let results = try pipeline.run(pipeline.row(json: inputs.text))
            guard case .object(let expected) = outputs else { throw Failure.rowNotObject() }
            for (name, value) in expected {
                let result = try #require(results.first { $0.name == name }).value.json.text
                let json = try Array(result.utf8).withUnsafeBytes { try JSON($0) }
                #expect(agree(json, value, tested.tolerance), "\(name): \(result), not \(value.text)")
            }
        }
    }

    @Test func `at least twenty pipelines come from scikit-learn`() {
        #expect(PipelineCase.all.count { !$0.name.hasPrefix("hand_") && !$0.name.hasPrefix("xgboost_") } >= 20)
    }

    @Test func `the reader and the stages know the same kinds`() {
        #expect(Set(Stages.all.keys) == ModelKinds.stages)
    }

    @Test func `stages are described in order, with those of inner pipelines`() throws {
        let stages = try pipeline("hand_categories").stages
        #expect(
            stages.map { "\($0.position) \($0.kind)" } == [
                "1 imputer", "2.1 categoricalMapping", "2.2 categoricalMapping", "2.3 oneHotEncoder", "2.4 identity",
                "2.5 featureVectorizer", "2.6 arrayFeatureExtractor",
            ])
        #expect(stages[5].inputs == ["encoded", "copy", "index"] && stages[5].outputs == ["vector"])
    }

    @Test func `an image is classified by the stages after the network`() throws {
        let classifier = try Classifier(pipeline("image_colors").imageClassifier().model)
        let labels = ["red", "green", "blue"]
        for (index, label) in labels.enumerated() {
            let pixel = (0..<3).map { UInt8($0 == index ? 200 : 20) }
            let pixels = Pixels(width: 5, height: 4, channels: 3, bytes: (0..<20).flatMap { _ in pixel })
            let result = classifier.classify(pixels)
            #expect(result.top(1)[0].label == label)
            #expect(result.probabilities.reduce(0, +) == 1 && result.warning == nil)
        }
        #expect(classifier.model.classCount == 3 && !classifier.model.labelsAreIndependent)
        // The stages after the network would be lost.
        let failure = #expect(throws: Failure.self) { try classifier.model.encoded(as: .coreML) }
        #expect(failure?.problem == "a network that is a stage of a pipeline cannot be written without it")
    }

    @Test func `a network receives channels in its own order`() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("pipelines/image_colors.mlmodel")))
        var model = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        var models: [Message] = model.pipelineClassifier.pipeline.models
        func reversed(_ description: inout Message) {
            var inputs: [Message] = description.input
            inputs[0].type.imageType.colorSpace = "BGR"
            description.input = inputs
        }
        var (whole, first): (Message, Message) = (model["description"], models[0]["description"])
        reversed(&whole)
        reversed(&first)
        model["description"] = whole
        models[0]["description"] = first
        model.pipelineClassifier.pipeline.models = models
        let pipeline = try Pipeline(model)
        guard case .image(let image) = pipeline.inputs[0].type else { throw Failure.noImageInput() }
        #expect(image.color == .bgr)
        let red = Pixels(width: 5, height: 4, channels: 3, bytes: (0..<20).flatMap { _ in [200, 20, 20] as [UInt8] })
        // The stages expect red, green, blue.
        let result = try pipeline.run([pipeline.inputs[0].name: .image(red.feature(for: image))])
        #expect(result.contains { $0.value == .string("blue") }, "\(result)")
    }

    @Test func `a pipeline without an image is not an image classifier`() throws {
        let failure = #expect(throws: Failure.self) { try pipeline("iris_logistic").imageClassifier() }
        #expect(failure?.problem.contains("featureVectorizer, scaler, glmClassifier") == true)
    }

    @Test func `functions for networks refuse a pipeline with advice`() throws {
        for (name, words) in [
            ("iris_logistic", "the model is of kind 'pipelineClassifier': featureVectorizer, scaler, glmClassifier"),
            ("iris_neighbors", "the model is of kind 'kNearestNeighborsClassifier', not a network"),
        ] {
            let path = Fixtures.path("pipelines/\(name).mlmodel")
            #expect(try Pipeline.isPipeline(contentsOfFile: path))
            let failure = #expect(throws: Failure.self) { try Model.load(contentsOfFile: path) }
            #expect(failure?.problemText.hasPrefix(words) == true)
            #expect(failure?.problemText.contains("Pipeline computes its outputs") == true)
        }
        #expect(try !Pipeline.isPipeline(contentsOfFile: Fixtures.path("pairs/added.pb")))
    }

    @Test(
        arguments: [
            ("visionFeaturePrint", "built into Apple's operating systems"),
            ("soundAnalysisPreprocessing", "built into Apple's operating systems"),
            ("wordTagger", "built into Apple's operating systems"),
            ("gazetteer", "built into Apple's operating systems"),
            ("textClassifier", "built into Apple's operating systems"),
            ("wordEmbedding", "built into Apple's operating systems"),
            ("audioFeaturePrint", "built into Apple's operating systems"), ("customModel", "part of an app"),
            ("linkedModel", "in an app"), ("serializedModel", "Apple's own"),
            ("neuralNetworkRegressor", "export the network"), ("bayesianProbitRegressor", "not supported"),
            ("itemSimilarityRecommender", "not supported"), ("classConfidenceThresholding", "not supported"),
        ])
    func `kinds that cannot be run are refused by their position and name`(_ kind: String, _ advice: String) throws {
        var model = try message("iris_logistic")
        var models: [Message] = model.pipelineClassifier.pipeline.models
        models[1].choose(kind)
        model.pipelineClassifier.pipeline.models = models
        let failure = #expect(throws: Failure.self) { try Pipeline(model) }
        #expect(failure?.problemText.hasPrefix("stage 2 (\(kind)): models of kind '\(kind)' are not supported") == true)
        #expect(failure?.problemText.contains(advice) == true)
    }

    @Test func `leaves of many classes do not exceed the limit of memory`() throws {
        var model = try message("hand_zero_class")
        var leaf = Message(.model).treeEnsembleClassifier.treeEnsemble.messageType.node
        leaf.nodeBehavior = "LeafNode"
        let addition = leaf.messageType.type(of: "evaluationInfo")
        leaf.evaluationInfo = (0..<100).map { index in
            var info = Message(addition)
            info.evaluationIndex = index
            return info
        }
        var nodes: [Message] = []
        for tree in 0..<5000 {
            leaf.treeId = tree
            nodes.append(leaf)
        }
        model.treeEnsembleClassifier.treeEnsemble.nodes = nodes
        model.treeEnsembleClassifier.treeEnsemble.numPredictionDimensions = 100
        model.treeEnsembleClassifier.treeEnsemble.basePredictionValue = [Double]()
        let bytes = try model.encoded()
        let read = try Message(.model, reading: bytes.withUnsafeBytes { ByteView(copying: $0) })
        #expect((read.treeEnsembleClassifier.treeEnsemble.nodes as [Message]).count == 5000)
    }
}

extension MessageType {
    /// An empty node of a tree, for the type of the ensemble.
    fileprivate var node: Message { Message(type(of: "nodes")) }
}

@Suite struct PipelineInputTests {
    private func problem(_ name: String, _ row: String) throws -> String? {
        let pipeline = try pipeline(name)
        return #expect(throws: Failure.self) { try pipeline.run(pipeline.row(json: row)) }?.problemText
    }

    @Test(
        arguments: [
            ("iris_svc", "{}", "the input 'input' is missing; the model takes an array of shape [4]"),
            ("iris_svc", #"{"other": 1}"#, "there is no input 'other'; the model takes 'input'"),
            (
                "iris_svc", #"{"input": [1, 2, 3]}"#,
                "input 'input': the value is an array of shape [3]; expected an array"
            ),
            ("iris_svc", #"{"input": [1, [2], 3, 4]}"#, "input 'input': the rows of the array have different lengths"),
            ("iris_svc", #"{"input": ["a", 2, 3, 4]}"#, "something other than numbers"),
            ("iris_svc", #"{"input": 5}"#, "'5' is not an array of shape [4]; for example [0.5, 1, 2]"),
            ("iris_svc", "[1]", "expected a JSON object of inputs"),
            ("iris_svc", "{", "not valid JSON"),
            (
                "hand_tree_modes", #"{"a": 1, "b": 1.5, "c": [1, 1, 1, 1]}"#,
                "input 'b': the value 1.5 is not an integer"
            ),
            ("hand_tree_modes", #"{"a": "x", "b": 1, "c": [1, 1, 1, 1]}"#, "input 'a': '\"x\"' is not a number"),
            ("dictionary", #"{"input": {"a": "b"}}"#, "is not a dictionary of strings to numbers"),
            ("hand_categories", #"{"color": 3, "size": 1}"#, "input 'color': '3' is not a string"),
        ])
    func `inputs that do not fit are refused with what is expected`(
        _ name: String, _ row: String, _ words: String
    ) throws {
        let problem = try #require(try problem(name, row))
        #expect(problem.contains(words) || words == "not valid JSON" && problem.contains("JSON"), "\(problem)")
    }

    @Test(
        arguments: [
            ("the model does not know the category 'mauve'", #"{"color": "mauve", "size": 1}"#, true),
            (
                "stage 2.1 (categoricalMapping): the model does not know the category 'mauve'",
                #"{"color": "mauve", "size": 1}"#, false
            ),
        ])
    func `a stage that does not accept a value says so`(_ words: String, _ row: String, _ encodes: Bool) throws {
        var model = try message("hand_categories")
        var outer: [Message] = model.pipeline.models
        var inner: [Message] = outer[1].pipeline.models
        if encodes {
            inner[2].oneHotEncoder.handleUnknown = "ErrorOnUnknown"
        } else {
            let map: Message = inner[0].categoricalMapping.stringToInt64Map
            var mapping = Message(inner[0].categoricalMapping.messageType)
            mapping.stringToInt64Map = map
            inner[0].categoricalMapping = mapping
        }
        outer[1].pipeline.models = inner
        model.pipeline.models = outer
        let pipeline = try Pipeline(model)
        let failure = #expect(throws: Failure.self) { try pipeline.run(pipeline.row(json: row)) }
        #expect(failure?.problemText.contains(words) == true, "\(failure?.problemText ?? "")")
    }

    @Test func `a dictionary with a key that appears twice is refused`() throws {
        let type = FeatureType.dictionary(hasIntegerKeys: false)
        let entries: [(key: FeatureKey, value: Double)] = [("a", 1), ("b", 2), ("a", 3)].map { (.string($0), $1) }
        let failure = #expect(throws: Failure.self) { try type.checked(.dictionary(entries)) }
        #expect(failure?.description == "the dictionary has the key 'a' more than once; keys are unique")
    }

    @Test func `rows of an array are its first axis if it has one more than the input`() throws {
        let array = FeatureType.multiArray(shape: [2])
        #expect(
            try array.rows([1, 2, 3, 4], shape: [2, 2]) == [
                .multiArray([1, 2], shape: [2]), .multiArray([3, 4], shape: [2]),
            ])
        #expect(try array.rows([1, 2], shape: [2]) == [.multiArray([1, 2], shape: [2])])
        #expect(try FeatureType.number.rows([1, 2], shape: [2]) == [.number(1), .number(2)])
        #expect(try FeatureType.number.rows([1], shape: []) == [.number(1)])
        #expect(throws: Failure.self) { try array.rows([1, 2, 3], shape: [3]) }
    }

    @Test func `values are written in JSON as they are read`() throws {
        for (type, text) in [
            (FeatureType.integer, "-3"), (.number, "0.25"), (.number, "null"), (.string, "\"a \\\"b\\\"\""),
            (.multiArray(shape: [2, 2]), "[[1.0, 2.5], [null, 4.0]]"),
            (.dictionary(hasIntegerKeys: true), "{\"2\": 0.5}"),
            (.dictionary(hasIntegerKeys: false), "{\"b\": 1.0, \"a\": 2.0}"),
        ] {
            #expect(try type.value(json: text).json.text == text)
        }
        #expect(try FeatureType.string.value(json: "red") == .string("red"))
    }
}
