import Testing

@testable import Thaw

/// An operation on integers or Booleans that Core ML's operation does not take, and how it is written.
struct ProgramTypesCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let inputs: [ElementType]
    /// The Core ML operation, and the type of its first argument.
    let kind: String
    let type: ElementType
    let operation: @Sendable () -> any Thaw.Operation

    static let all = [
        ProgramTypesCase(testDescription: "a convolution", inputs: [.int32], kind: "conv", type: .float32) {
            let window = Window(height: .init(size: 1), width: .init(size: 1))
            return Convolution(filters: integers([1, 1, 2, 3]), bias: nil, window: window)
        },
        ProgramTypesCase(testDescription: "a maximum", inputs: [.int32], kind: "max_pool", type: .float32) {
            Pooling(function: .maximum, window: Window(height: .init(size: 2), width: .init(size: 2)))
        },
        ProgramTypesCase(testDescription: "equality", inputs: [.bool, .bool], kind: "logical_xor", type: .bool) {
            Binary(.equal)
        },
        ProgramTypesCase(testDescription: "inequality", inputs: [.bool, .bool], kind: "logical_xor", type: .bool) {
            Binary(.notEqual)
        },
        ProgramTypesCase(testDescription: "elements", inputs: [.bool, .int32], kind: "gather", type: .float32) {
            Gather(axis: 0)
        },
        ProgramTypesCase(testDescription: "one-hot vectors", inputs: [.float32], kind: "one_hot", type: .int32) {
            OneHot(axis: 4, depth: 3, on: 1, off: 0, element: .float32)
        },
    ]

    private static func integers(_ shape: Shape) -> Tensor {
        Tensor(shape: shape, element: .float32) { Double($0 % 5 - 2) }
    }
}

/// coremltools' definitions (`converters/mil/mil/ops/defs`) list the types that each operation takes.
@Suite struct ProgramTypesTests {
    private static let shape: Shape = [1, 2, 4, 4]

    @Test(arguments: ProgramTypesCase.all)
    func `arguments have types that Core ML takes`(_ c: ProgramTypesCase) throws {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let values = try c.inputs.enumerated().map { index, element in
            let port = builder.input("input\(index)", TensorType(index == 0 ? Self.shape : [1], .float32))
            return element == .float32 ? port : try builder.one(Cast(element: element), port)
        }
        let result = try builder.add(c.operation(), values, name: "result")[0]
        builder.output("output", try builder.one(Cast(element: .float32), result))
        let program = try ProgramWriter.run(Model(graph: builder.graph), weights: WeightStorage(.float32))
        let functions: [Message] = program.message.mlProgram.functions
        let bodies: [Message] = functions[0].value.block_specializations
        let operations: [Message] = bodies[0].value.operations
        var types: [String: Message] = [:]
        for output in operations.flatMap({ $0.outputs as [Message] }) { types[output.name] = output.type }
        let written = try #require(operations.first { $0.type as String == c.kind })
        let first = (written.inputs as [Message]).first { ["x", "indices"].contains($0.key as String) }
        let bindings: [Message] = try #require(first).value.arguments
        #expect(types[bindings[0].name] == .tensorType(TensorType(Self.shape, c.type)))

        let read = try ModelReader.run(program.message, EncodedModel(program).file().weights).model.graph
        let inputs = values.indices.map { index in
            Tensor(shape: index == 0 ? Self.shape : [1], element: .float32) { index == 0 ? Double($0 % 3) : 0 }
        }
        #expect(try read.evaluate(inputs)[0] == builder.graph.evaluate(inputs)[0])
    }
}
