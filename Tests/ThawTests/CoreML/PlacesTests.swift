import Testing

@testable import Thaw

/// Slices taken by their places. Core ML counts negative ones from the end, TensorFlow knows none.
@Suite struct PlacesTests {
    private static let array = Tensor((0..<12).map { Float($0) }, shape: [4, 3])

    private struct Taking: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operation: any Thaw.Operation
        let places: Tensor
        let expected: [Float]
    }

    private static let takings = [
        Taking(
            testDescription: "rows", operation: Gather(axis: 0), places: Tensor(integers: [-1, 1, -4], shape: [3]),
            expected: [9, 10, 11, 3, 4, 5, 0, 1, 2]),
        Taking(
            testDescription: "columns", operation: Gather(axis: 1), places: Tensor(integers: [-1, 0], shape: [2]),
            expected: [2, 0, 5, 3, 8, 6, 11, 9]),
        Taking(
            testDescription: "elements", operation: GatherSlices(),
            places: Tensor(integers: [-1, 0, 1, -2], shape: [2, 2]), expected: [9, 4]),
    ]

    /// A model that takes parts of the array that goes in, by places that go in, too, or are known.
    private static func model(_ taking: Taking, placesAreKnown: Bool) throws -> Model {
        var builder = GraphBuilder()
        let array = builder.input("array", array.type)
        let places =
            try placesAreKnown
            ? builder.add(Constant(taking.places), [], name: "places")[0] : builder.input("places", taking.places.type)
        builder.output("taken", try builder.add(taking.operation, [array, places], name: "take")[0])
        return Model(graph: builder.graph)
    }

    @Test(arguments: takings, [Dialect.neuralNetwork, .program]) private func `negative places count from the end`(
        _ taking: Taking, _ dialect: Dialect
    ) throws {
        let open = try dialect.roundTrip(Self.model(taking, placesAreKnown: false))
        // To a neural network all that goes in is float32.
        let places = taking.places.converted(to: open.graph[open.graph.inputs[1].value].element)
        #expect(open.graph.evaluate([Self.array, places])[0].floats == taking.expected)
        let known = try dialect.roundTrip(Self.model(taking, placesAreKnown: true))
        #expect(known.graph.evaluate([Self.array])[0].floats == taking.expected)
    }

    @Test func `to TensorFlow they lie outside`() {
        let places = Tensor(integers: [-1, 1], shape: [2])
        #expect(Gather(axis: 0).evaluate([Self.array, places])[0].floats == [0, 0, 0, 3, 4, 5])
        let deep = Tensor(integers: [-1, 0, 1, 1], shape: [2, 2])
        #expect(GatherSlices().evaluate([Self.array, deep])[0].floats == [0, 4])
    }

    /// The message of a program with these places, which are checked from the front or from both ends.
    private func read(_ operation: any Thaw.Operation, _ places: Tensor, areChecked: Bool) throws -> Model {
        let taking = Taking(testDescription: "", operation: operation, places: places, expected: [])
        var message = try ProgramWriter.run(Self.model(taking, placesAreKnown: true)).message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        var operations: [Message] = bodies[0].value.operations
        let place = try #require(operations.firstIndex { ($0.type as String).hasPrefix("gather") })
        var inputs: [Message] = operations[place].inputs
        var entry = inputs[0]
        entry.key = "validate_indices"
        var binding = Message(MessageType.operation.type(of: "inputs").type(of: "value").type(of: "arguments"))
        binding.value = .immediate(Tensor(areChecked ? 1 : 0, element: .bool))
        entry.value.arguments = [binding]
        inputs.append(entry)
        operations[place].inputs = inputs
        bodies[0].value.operations = operations
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        return try ModelReader.run(message).model
    }

    @Test func `known places that lie outside are refused`() throws {
        let (row, cells) = (Gather(axis: 0), GatherSlices())
        _ = try read(row, Tensor(integers: [-4, 3], shape: [2]), areChecked: false)
        _ = try read(cells, Tensor(integers: [-4, 2], shape: [1, 2]), areChecked: false)
        _ = try read(row, Tensor(integers: [0, 3], shape: [2]), areChecked: true)
        for (operation, places, areChecked) in [
            (row, [-5, 0], false), (row, [0, 4], false), (row, [-1, 0], true), (cells, [0, 3], false),
            (cells, [-5, 2], false), (cells, [0, -1], true),
        ] as [(any Thaw.Operation, [Int], Bool)] {
            let shape: Shape = operation is Gather ? [2] : [1, 2]
            let failure = #expect(throws: Failure.self) {
                try read(operation, Tensor(integers: places, shape: shape), areChecked: areChecked)
            }
            #expect(failure?.problemText.contains("is out of bounds for a tensor of shape [4, 3]") == true, "\(places)")
        }
    }
}
