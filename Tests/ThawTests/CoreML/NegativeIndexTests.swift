import Testing

@testable import Thaw

/// Gathers with negative indices, which Core ML counts from the end and TensorFlow does not allow, and with indices that
/// are out of bounds.
@Suite struct NegativeIndexTests {
    private static let array = Tensor((0..<12).map { Float($0) }, shape: [4, 3])

    private struct GatherCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operation: any Thaw.Operation
        let indices: Tensor
        let expected: [Float]
    }

    private static let cases = [
        GatherCase(
            testDescription: "rows", operation: Gather(axis: 0), indices: Tensor(integers: [-1, 1, -4], shape: [3]),
            expected: [9, 10, 11, 3, 4, 5, 0, 1, 2]),
        GatherCase(
            testDescription: "columns", operation: Gather(axis: 1), indices: Tensor(integers: [-1, 0], shape: [2]),
            expected: [2, 0, 5, 3, 8, 6, 11, 9]),
        GatherCase(
            testDescription: "elements", operation: GatherSlices(),
            indices: Tensor(integers: [-1, 0, 1, -2], shape: [2, 2]), expected: [9, 4]),
    ]

    /// A model that gathers slices of its input, by indices that are another input or constant.
    private static func model(_ gatherCase: GatherCase, indicesAreConstant: Bool) throws -> Model {
        var builder = GraphBuilder()
        let array = builder.input("array", array.type)
        let indices =
            try indicesAreConstant
            ? builder.add(Constant(gatherCase.indices), [], name: "indices")[0]
            : builder.input("indices", gatherCase.indices.type)
        builder.output("gathered", try builder.add(gatherCase.operation, [array, indices], name: "gather")[0])
        return Model(graph: builder.graph)
    }

    @Test(arguments: cases, [Dialect.neuralNetwork, .program]) private func `negative indices count from the end`(
        _ gatherCase: GatherCase, _ dialect: Dialect
    ) throws {
        let open = try dialect.roundTrip(Self.model(gatherCase, indicesAreConstant: false))
        // All inputs of a neural network are float32.
        let indices = gatherCase.indices.converted(to: open.graph[open.graph.inputs[1].value].element)
        #expect(try open.graph.evaluate([Self.array, indices])[0].floats == gatherCase.expected)
        let known = try dialect.roundTrip(Self.model(gatherCase, indicesAreConstant: true))
        #expect(try known.graph.evaluate([Self.array])[0].floats == gatherCase.expected)
    }

    @Test func `TensorFlow's gather gives zeros for negative indices`() {
        let indices = Tensor(integers: [-1, 1], shape: [2])
        #expect(Gather(axis: 0).evaluate([Self.array, indices])[0].floats == [0, 0, 0, 3, 4, 5])
        let deep = Tensor(integers: [-1, 0, 1, 1], shape: [2, 2])
        #expect(GatherSlices().evaluate([Self.array, deep])[0].floats == [0, 4])
    }

    @Test func `a computed index that is out of bounds does not reach another entry of the batch`() throws {
        let array = Tensor([3, 1, 2, 7, 8, 9], shape: [2, 3])
        let indexType = TensorType([2, 1], .int32)
        var context = ImportContext()
        let x = context.builder.input("array", array.type)
        let indices = context.builder.input("indices", indexType)
        let gathered = try context.gather(
            .edge(x, array.type), .edge(indices, indexType), axis: 1, batches: 1, name: "gathered")
        context.builder.output("result", try context.edge(gathered, name: "result"))
        let graph = context.builder.graph
        var graphs = [graph]
        for dialect in [Dialect.neuralNetwork, .program] {
            graphs.append(try dialect.roundTrip(Model(graph: graph)).graph)
        }
        for graph in graphs {
            func output(_ integers: Int...) throws -> [Float] {
                let indices = Tensor(integers: integers, shape: [2, 1])
                let element = graph[graph.inputs[1].value].element
                return try graph.evaluate([array, indices.converted(to: element)])[0].floats
            }
            #expect(try output(2, 0) == [2, 7])
            #expect(try output(3, 7) == [0, 0])
            #expect(try output(0, -1) == [3, 0])
        }
    }

    /// The message of a program with these indices, which may be negative or not.
    private func read(_ operation: any Thaw.Operation, _ indices: Tensor, areChecked: Bool) throws -> Model {
        let gatherCase = GatherCase(testDescription: "", operation: operation, indices: indices, expected: [])
        var message = try ProgramWriter.run(Self.model(gatherCase, indicesAreConstant: true)).message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        var operations: [Message] = bodies[0].value.operations
        let position = try #require(operations.firstIndex { ($0.type as String).hasPrefix("gather") })
        var inputs: [Message] = operations[position].inputs
        var entry = inputs[0]
        entry.key = "validate_indices"
        var binding = Message(MessageType.operation.type(of: "inputs").type(of: "value").type(of: "arguments"))
        binding.value = .immediate(Tensor(areChecked ? 1 : 0, element: .bool))
        entry.value.arguments = [binding]
        inputs.append(entry)
        operations[position].inputs = inputs
        bodies[0].value.operations = operations
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        return try ModelReader.run(message).model
    }

    @Test func `constant indices out of range are refused`() throws {
        let (row, cells) = (Gather(axis: 0), GatherSlices())
        _ = try read(row, Tensor(integers: [-4, 3], shape: [2]), areChecked: false)
        _ = try read(cells, Tensor(integers: [-4, 2], shape: [1, 2]), areChecked: false)
        _ = try read(row, Tensor(integers: [0, 3], shape: [2]), areChecked: true)
        for (operation, indices, areChecked) in [
            (row, [-5, 0], false), (row, [0, 4], false), (row, [-1, 0], true), (cells, [0, 3], false),
            (cells, [-5, 2], false), (cells, [0, -1], true),
        ] as [(any Thaw.Operation, [Int], Bool)] {
            let shape: Shape = operation is Gather ? [2] : [1, 2]
            let failure = #expect(throws: Failure.self) {
                try read(operation, Tensor(integers: indices, shape: shape), areChecked: areChecked)
            }
            #expect(
                failure?.problemText.contains("is out of bounds for a tensor of shape [4, 3]") == true, "\(indices)")
        }
    }
}
