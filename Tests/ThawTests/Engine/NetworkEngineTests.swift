import Testing

@testable import Thaw

struct NetworkEngineTests {
    @Test(arguments: NetworkCase.all)
    func `the engine gives TensorFlow's outputs, on every instruction set`(_ network: NetworkCase) throws {
        let model = try network.conversion().model
        for set in InstructionSet.availableForFloats {
            let program = try Program(model.graph, instructionSet: set)
            for (input, output) in try network.references() {
                let fed = model.graph.channelsLast(model.image?.lifted.map { input.scaled($0) } ?? input)
                #expect(difference(try outputs(program, model, fed), output) <= referenceTolerance, "\(set)")
            }
        }
    }

    @Test(arguments: NetworkCase.all)
    func `no step of a network uses its reference implementation`(_ network: NetworkCase) throws {
        let program = try Program(network.conversion().model.graph)
        #expect(program.steps.filter(\.isReference).map { "\($0.kind) \($0.name)" } == [])
    }

    /// The first output. A batch larger than the network's is split into several runs.
    private func outputs(_ program: Program, _ model: Model, _ input: Tensor) throws -> Tensor {
        let type = model.graph[model.graph.inputs[0].value]
        let size = type.shape.elementCount
        let floats = input.floats
        let parts = try (0..<floats.count / size).map { piece in
            let part = Tensor(Array(floats[piece * size..<(piece + 1) * size]), shape: type.shape)
            return try program.run([part])[0]
        }
        let values = parts.flatMap(\.floats)
        return Tensor(values, shape: [values.count])
    }
}
