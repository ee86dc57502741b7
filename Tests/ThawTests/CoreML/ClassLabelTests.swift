import Testing

@testable import Thaw

/// The labels of a classifier, as integers and as strings.
@Suite struct ClassLabelTests {
    @Test(arguments: Dialect.allCases) func `integer labels are written and read`(_ dialect: Dialect) throws {
        var model = try InterfaceTests.model()
        model.classifier?.labels = ["7", "-3", "\(Int64.max)"]
        model.classifier?.hasIntegerLabels = true
        try model.nameClasses(label: "digit", probabilities: "chances")
        let back = try dialect.roundTrip(model)
        #expect(back.classifier == model.classifier)
        #expect(back.graph.outputs.map(\.name) == ["chances", "features"])
        #expect(Classification(probabilities: [0, 1, 0], labels: back.classifier?.labels).top(1)[0].label == "-3")
    }

    @Test func `integer labels are integers in the files`() throws {
        var model = try InterfaceTests.model()
        model.classifier?.labels = ["0", "-3", "12"]
        for areIntegers in [false, true] {
            model.classifier?.hasIntegerLabels = areIntegers
            let network = try NeuralNetworkWriter.message(model)
            let integers: [Int] = network.neuralNetworkClassifier.int64ClassLabels.vector
            #expect(integers == (areIntegers ? [0, -3, 12] : []))
            let program = try ProgramWriter.run(model).message
            for message in [network, program] {
                let outputs: [Message] = message["description"].output
                #expect(outputs[0].type.dictionaryType.choice == (areIntegers ? "int64KeyType" : "stringKeyType"))
                #expect(outputs[1].type.choice == (areIntegers ? "int64Type" : "stringType"))
            }
        }
    }

    @Test func `labels of another type than declared are refused`() throws {
        let model = try InterfaceTests.model()
        var program = try ProgramWriter.run(model)
        var functions: [Message] = program.message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        var operations: [Message] = bodies[0].value.operations
        let index = try #require(operations.firstIndex { $0.type as String == "classify" })
        var outputs: [Message] = operations[index].outputs
        outputs[0].type = .tensorType(TensorType([], .int64))
        operations[index].outputs = outputs
        bodies[0].value.operations = operations
        functions[0].value.block_specializations = bodies
        program.message.mlProgram.functions = functions
        #expect(throws: Failure.labelOfOtherType("a")) { try ModelReader.run(program.message) }
    }

    @Test(arguments: [
        ("1\n2\nx\n", "line 3: 'x' is not a 64-bit integer; hasIntegerLabels requires integers"),
        ("1\n2.5\n3\n", "line 2: '2.5' is not a 64-bit integer"),
        ("1\n9223372036854775808\n", "line 2: '9223372036854775808' is not a 64-bit integer"),
        ("7\n8\n7\n", "line 1: the label '7' is a duplicate"),
        ("7\n8\n07\n", "line 3: the label '07' is a duplicate"),
    ]) func `a file of integer labels may contain nothing else`(_ text: String, _ message: String) throws {
        let failure = #expect(throws: Failure.self) { try Labels(parsing: Array(text.utf8)).integers() }
        #expect(failure?.description.hasPrefix(message) == true, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [
        ([], "there are no labels"),
        (["a", ""], "label 2: the label is blank"),
        (["1", "x"], "label 2: 'x' is not a 64-bit integer"),
        (["1", "2", "1"], "label 1: the label '1' is a duplicate"),
    ]) func `errors in labels without a file name the label, not a line`(_ names: [String], _ message: String) {
        let failure = #expect(throws: Failure.self) { try Labels(names).integers() }
        #expect(failure?.description.hasPrefix(message) == true, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test func `integers are written in canonical form, and may follow their index`() throws {
        #expect(try Labels(parsing: Array("+7\r\n-0\n0012\n".utf8)).integers() == ["7", "0", "12"])
        #expect(try Labels(parsing: Array("0:5\n1:6\n".utf8)).integers() == ["5", "6"])
    }

    @Test(arguments: Dialect.allCases) func `labels of a sigmoid do not exclude each other, those of a softmax do`(
        _ dialect: Dialect
    ) throws {
        #expect(try dialect.roundTrip(InterfaceTests.model(Unary(.sigmoid))).labelsAreIndependent)
        #expect(try !dialect.roundTrip(InterfaceTests.model()).labelsAreIndependent)
    }
}
