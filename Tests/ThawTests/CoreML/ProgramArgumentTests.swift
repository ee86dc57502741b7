import Testing

@testable import Thaw

/// The arguments of operations of ML Programs.
@Suite struct ProgramArgumentTests {
    /// A program of one operation, of which `change` gets the first message of this kind.
    private static func program(
        _ operation: any Thaw.Operation, _ kind: String, _ change: (inout Message) -> Void
    ) throws -> Message {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let array = builder.input("array", TensorType([6]))
        builder.output("result", try builder.one(operation, array))
        var message = try ProgramWriter.run(Model(graph: builder.graph), weights: WeightStorage(.float32)).message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        var operations: [Message] = bodies[0].value.operations
        let index = try #require(operations.firstIndex { $0.type == kind })
        change(&operations[index])
        bodies[0].value.operations = operations
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        return message
    }

    private static func renamed(_ operation: inout Message, _ old: String, to new: String) {
        var inputs: [Message] = operation.inputs
        for index in inputs.indices where inputs[index].key as String == old { inputs[index].key = new }
        operation.inputs = inputs
    }

    @Test func `every operation that is read has a list of its arguments`() {
        let missing = Operations.mil.keys.filter { MILArguments.arguments(of: $0) == nil }
        #expect(missing.isEmpty)
    }

    @Test(arguments: [
        ("beta", "gamma", "the argument 'gamma' is unknown"), ("beta", "beta", "the argument 'beta' is missing"),
    ]) func `unknown and missing arguments are refused`(_ old: String, _ new: String, _ words: String) throws {
        let message = try Self.program(Unary(.clip(-1, 1)), "clip") { operation in
            if old == new {
                operation.inputs = (operation.inputs as [Message]).filter { $0.key as String != old }
            } else {
                Self.renamed(&operation, old, to: new)
            }
        }
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problem.description == words)
    }

    @Test(arguments: [
        ("int8", [0, 127, -128, 44, -44, 112]), ("uint8", [0, 127, 128, 44, 212, 112]),
        ("int16", [0, 127, 128, 300, -300, 4464]), ("uint16", [0, 127, 128, 300, 65236, 4464]),
        ("int32", [0, 127, 128, 300, -300, 70000]),
    ]) func `a cast to a shorter integer wraps around`(_ type: String, _ expected: [Float]) throws {
        let message = try Self.program(Cast(element: .int32), "cast") { operation in
            operation.inputs = (operation.inputs as [Message]).map { input in
                guard input.key as String == "dtype" else { return input }
                var changed = input
                var binding = (input.value.arguments as [Message])[0]
                binding = Message(binding.messageType)
                binding.value = .text(type)
                changed.value.arguments = [binding]
                return changed
            }
        }
        let graph = try ModelReader.run(message).model.graph
        let output = try graph.evaluate([Tensor([0, 127, 128, 300, -300, 70000], shape: [6])])[0]
        #expect(output.floats == expected)
    }
}
