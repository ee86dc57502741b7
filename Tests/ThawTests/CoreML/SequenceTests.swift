import Foundation
import Testing

@testable import Thaw

/// A model in `sequences/`: runs with torch's outputs, or those of the formulas in NumPy.
struct SequenceCase: CustomTestStringConvertible, Sendable {
    let name: String
    let file: String
    /// nil for the default, or the only one.
    let function: String?

    static let all = Fixtures.table("sequences/sequences.tsv").map {
        SequenceCase(name: $0[0], file: $0[1], function: $0[2] == "-" ? nil : $0[2])
    }

    var testDescription: String { name }
    var path: String { Fixtures.path("sequences/" + file) }

    func model() throws -> Model {
        var options = Converter.Options()
        options.function = function
        return try Model.load(contentsOfFile: path, options: options).model
    }

    /// The runs: inputs and outputs, by name.
    func runs() throws -> [(inputs: [String: [Float]], outputs: [String: [Float]])] {
        let text = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("sequences/\(name).jsonl")))
        return try text.split(separator: UInt8(ascii: "\n")).map { line in
            let json = try Array(line).withUnsafeBytes { try JSON($0) }
            return (try #require(json["inputs"]).tensors, try #require(json["outputs"]).tensors)
        }
    }
}

extension JSON {
    /// The numbers in each member of an object, in order.
    fileprivate var tensors: [String: [Float]] {
        guard case .object(let members) = self else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.numbers.map { Float($0) }) })
    }
}

extension Graph {
    /// The inputs of a run in the order of the graph.
    func tensors(_ values: [String: [Float]]) throws -> [Tensor] {
        try inputs.map { port in
            let type = self[port.value]
            let tensor = Tensor(try #require(values[port.name]), shape: type.shape)
            return type.element == .float32 ? tensor : Cast(element: type.element).evaluate([tensor])[0]
        }
    }

    /// The largest difference of this run's outputs from those expected.
    func difference(_ results: [Tensor], from expected: [String: [Float]]) throws -> Float {
        try zip(outputs, results).map { port, tensor in
            let values = try #require(expected[port.name])
            return distance(tensor, Tensor(values, shape: [values.count]))
        }.max() ?? .infinity
    }
}

/// The function that the method above hides.
private func distance(_ a: Tensor, _ b: Tensor) -> Float { difference(a, b) }

@Suite struct SequenceTests {
    @Test(arguments: SequenceCase.all)
    func `sequences, branches and loops give the outputs of torch and of the formulas`(_ tested: SequenceCase) throws {
        let model = try tested.model()
        let program = try Program(model.graph)
        for (inputs, outputs) in try tested.runs() {
            #expect(Set(outputs.keys) == Set(model.graph.outputs.map(\.name)))
            let tensors = try model.graph.tensors(inputs)
            #expect(try model.graph.difference(model.graph.evaluate(tensors), from: outputs) <= referenceTolerance)
            #expect(try model.graph.difference(program.run(tensors), from: outputs) <= referenceTolerance)
        }
    }

    @Test(arguments: [
        ("branch", ["Conditional"]), ("branch_constant", []), ("loop_unrolled", []), ("loop_never", []),
        ("loop_counted", ["Loop"]), ("loop_until", ["Loop"]),
    ]) func `known loops are unrolled, and known branches are removed`(_ name: String, _ kinds: [String]) throws {
        let graph = try Model.load(contentsOfFile: Fixtures.path("sequences/\(name).mlpackage")).model.graph
        #expect(graph.nodes.map(\.kind).filter { ["Conditional", "Loop"].contains($0) } == kinds)
    }

    @Test func `the document of a function describes and keeps all functions`() throws {
        let path = Fixtures.path("sequences/functions.mlpackage")
        var options = Converter.Options()
        options.function = "double"
        let document = try ModelDocument(contentsOfFile: path, options: options)
        #expect(try document.features().outputs.map(\.name) == ["doubled"])
        #expect(try ModelDocument(contentsOfFile: path).features().outputs.map(\.name) == ["negated"])
        let bytes = try document.bytes()
        let copy = try Message(.model, reading: bytes.model.withUnsafeBytes { ByteView(copying: $0) })
        #expect(copy.functionNames == ["negate", "double"])
        #expect(try FileContents(contentsOfFile: path).functions == ["negate", "double"])
    }

    @Test(arguments: [(nil, "negated"), ("negate", "negated"), ("double", "doubled")] as [(String?, String)])
    func `a function is selected in memory as in a file`(_ function: String?, _ output: String) throws {
        let bytes = try ModelDocument(contentsOfFile: Fixtures.path("sequences/functions.mlpackage")).bytes()
        try bytes.model.withUnsafeBytes { model in
            try (bytes.weights ?? []).withUnsafeBytes { weights in
                let document = try ModelDocument(decoding: model, weights: weights, function: function)
                #expect(try document.features().outputs.map(\.name) == [output])
                let conversion = try Model.load(decoding: model, weights: weights, function: function)
                #expect(conversion.model.graph.outputs.map(\.name) == [output])
                let failure = #expect(throws: Failure.self) {
                    try ModelDocument(decoding: model, weights: weights, function: "triple")
                }
                #expect(failure?.problem.description == "the model has no function 'triple'")
            }
        }
    }

    @Test(arguments: [
        ("functions", "triple", "the model has no function 'triple': it has 'double', 'negate'"),
        ("branch", "other", "the model has no function 'other': it has 'main'"),
    ]) func `an unknown function is refused with those that there are`(
        _ name: String, _ function: String, _ words: String
    )
        throws
    {
        var options = Converter.Options()
        options.function = function
        let failure = #expect(throws: Failure.self) {
            try Model.load(contentsOfFile: Fixtures.path("sequences/\(name).mlpackage"), options: options)
        }
        let text = [failure?.problem.description ?? "", failure?.remedy?.description ?? ""].joined(separator: ": ")
        #expect(text == words)
    }

    @Test func `several functions without a default are refused`() throws {
        let path = Fixtures.path("sequences/functions.mlpackage")
        let file = try CoreMLFile(path, try ModelFormat(of: path))
        var message = try file.message()
        message.description.defaultFunctionName = ""
        let failure = #expect(throws: Failure.self) { try Conversion(reading: message, file.weights) }
        #expect(failure?.problem.description == "the model has several functions, none of which is its default")
        #expect(throws: Never.self) { try Conversion(reading: message, file.weights, function: "double") }
    }

    @Test(arguments: SequenceCase.all) func `a cell has no layer that Thaw writes`(_ tested: SequenceCase) throws {
        let model = try tested.model()
        let unsupported = ["RNN", "GRU", "LSTM", "Conditional", "Loop"]
        guard model.graph.nodes.contains(where: { unsupported.contains($0.kind) }) else { return }
        let folder = try TemporaryFolder()
        let failure = #expect(throws: Failure.self) {
            try model.write(toFile: folder.url.appendingPathComponent("copy.mlpackage").path)
        }
        #expect(failure?.description.contains("cannot compute this exactly") == true)
    }
}

/// A recurrent layer, a branch or a loop with one change that makes it unsupported or invalid.
private struct BrokenSequence: CustomTestStringConvertible, Sendable {
    let file: String
    /// Text that the message must contain.
    let words: String
    let change: @Sendable (inout Message) -> Void

    var testDescription: String { "\(file): \(words)" }

    /// A change of the first operation of a kind.
    static func operation(
        _ name: String, _ kind: String, _ words: String, _ change: @escaping @Sendable (inout Message) -> Void
    ) -> BrokenSequence {
        BrokenSequence(file: name + ".mlpackage", words: words) { model in
            var functions: [Message] = model.mlProgram.functions
            var bodies: [Message] = functions[0].value.block_specializations
            var operations: [Message] = bodies[0].value.operations
            change(&operations[operations.firstIndex { $0.type as String == kind }!])
            bodies[0].value.operations = operations
            functions[0].value.block_specializations = bodies
            model.mlProgram.functions = functions
        }
    }

    /// The same with a string argument set.
    static func text(_ name: String, _ kind: String, _ key: String, _ value: String, _ words: String) -> BrokenSequence
    {
        operation(name, kind, words) { operation in
            operation.inputs = (operation.inputs as [Message]).filter { $0.key as String != key }
            var attributes: [Message] = operation.attributes
            attributes.append(Message.attribute(key, .text(value)))
            operation.attributes = attributes
        }
    }

    /// A change of the only layer of a network.
    static func layer(
        _ name: String, _ kind: String, _ words: String, _ change: @escaping @Sendable (inout Message) -> Void
    ) -> BrokenSequence {
        BrokenSequence(file: name + ".mlmodel", words: words) { model in
            var layers: [Message] = model.neuralNetwork.layers
            change(&layers[0])
            model.neuralNetwork.layers = layers
        }
    }

    static let all: [BrokenSequence] = [
        text("gru", "gru", "direction", "bidirectional", "the direction 'bidirectional' is not supported"),
        text("lstm", "lstm", "direction", "sideways", "the direction 'sideways' is not supported"),
        text("lstm", "lstm", "activation", "scaled_tanh", "the activation 'scaled_tanh' is not supported"),
        operation("lstm", "lstm", "the argument 'initial_c' is missing") {
            $0.inputs = ($0.inputs as [Message]).filter { $0.key as String != "initial_c" }
        },
        operation("branch", "cond", "it has 1 blocks") { $0.blocks = Array(($0.blocks as [Message]).prefix(1)) },
        operation("branch", "cond", "one block has 0 results, the other 1") { operation in
            var blocks: [Message] = operation.blocks
            blocks[0].outputs = [] as [String]
            operation.blocks = blocks
        },
        operation("branch", "cond", "reads 'nowhere', which no earlier operation computes") { operation in
            var blocks: [Message] = operation.blocks
            blocks[1].outputs = ["nowhere"]
            operation.blocks = blocks
        },
        operation("loop_until", "while_loop", "a block has 1 inputs") { operation in
            var blocks: [Message] = operation.blocks
            blocks[0].inputs = Array((blocks[0].inputs as [Message]).prefix(1))
            operation.blocks = blocks
        },
        operation("loop_until", "while_loop", "the condition has 2 results") { operation in
            var blocks: [Message] = operation.blocks
            let output: String = (blocks[0].outputs as [String])[0]
            blocks[0].outputs = [output, output]
            operation.blocks = blocks
        },
        operation("loop_until", "while_loop", "a variable of the loop is") { operation in
            var blocks: [Message] = operation.blocks
            blocks[1].outputs = Array((blocks[1].outputs as [String]).reversed())
            operation.blocks = blocks
        },
        layer("network_lstm", "uniDirectionalLSTM", "it has 2 activations") {
            $0.uniDirectionalLSTM.activations = Array(($0.uniDirectionalLSTM.activations as [Message]).prefix(2))
        },
        layer("network_lstm", "uniDirectionalLSTM", "it has 2 inputs") {
            $0.input = Array(($0.input as [String]).prefix(2))
        },
        layer("network_lstm", "uniDirectionalLSTM", "the weights are for 7 inputs and 4 units") {
            $0.uniDirectionalLSTM.inputVectorSize = 7
        },
        layer("network_lstm", "uniDirectionalLSTM", "the cell state is clipped to a magnitude of -1.0") {
            $0.uniDirectionalLSTM.params.cellClipThreshold = -1.0 as Float
        },
        layer("network_simple", "simpleRecurrent", "the activation 'scaledTanh' has no scales") {
            $0.simpleRecurrent.activation.choose("scaledTanh")
        },
        layer("network_simple", "simpleRecurrent", "activations of type 'softplus' are not supported") {
            $0.simpleRecurrent.activation.choose("softplus")
        },
        layer("network_bidirectional", "biDirectionalLSTM", "there are weights for 1 directions") {
            $0.biDirectionalLSTM.weightParams = Array(($0.biDirectionalLSTM.weightParams as [Message]).prefix(1))
        },
        layer("network_gru", "branch", "the predicate has shape [5, 2, 3, 1, 1]") { $0.choose("branch") },
        layer("network_gru", "loop", "the number of iterations has shape [5, 2, 3, 1, 1]") { $0.choose("loop") },
    ]
}

extension SequenceTests {
    @Test(arguments: BrokenSequence.all)
    private func `an unsupported or invalid sequence is refused with the reason`(_ broken: BrokenSequence) throws {
        let path = Fixtures.path("sequences/" + broken.file)
        let file = try CoreMLFile(path, try ModelFormat(of: path))
        var message = try file.message()
        _ = try Conversion(reading: message, file.weights)
        broken.change(&message)
        let failure = #expect(throws: Failure.self) { try Conversion(reading: message, file.weights) }
        #expect(failure?.description.contains(broken.words) == true, "\(failure?.description ?? "")")
    }
}
