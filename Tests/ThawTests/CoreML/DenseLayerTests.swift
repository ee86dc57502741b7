import Testing

@testable import Thaw

/// Inner products on tensors of every allowed rank (coremltools' NeuralNetwork.proto, InnerProductLayerParams).
@Suite struct DenseLayerTests {
    /// A model of one inner product from 12 values to 2: their sum, and the first minus 1.
    private func read(on shape: Shape) throws -> Graph {
        var numbers = [Float](repeating: 1, count: 24)
        for row in 0..<12 { numbers[2 * row + 1] = row == 0 ? 1 : 0 }
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let input = builder.input("input", TensorType([1, 12]))
        let dense = Dense(matrix: Tensor(numbers, shape: [12, 2]), bias: Tensor([0, -1], shape: [2]))
        builder.output("output", try builder.one(dense, input))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        message.neuralNetwork.arrayInputShapeMapping = "EXACT_ARRAY_MAPPING"
        var inputs: [Message] = message.description.input
        inputs[0].type.multiArrayType.shape = shape.dimensions
        message.description.input = inputs
        return try ModelReader.run(message).model.graph
    }

    @Test(
        arguments: [
            ([12], [2]), ([5, 12], [5, 2]), ([2, 3, 12], [2, 3, 2]), ([2, 3, 2, 2], [2, 2, 1, 1]),
            ([2, 2, 1, 3, 4], [2, 2, 2, 1, 1]),
        ] as [(Shape, Shape)]) func `rows are the last axis, or the last three of four and five axes`(
            _ shape: Shape, _ result: Shape
        )
        throws
    {
        let graph = try read(on: shape)
        let numbers = (0..<shape.elementCount).map { Float($0) }
        let output = try graph.evaluate([Tensor(numbers, shape: graph[graph.inputs[0].value].shape)])[0]
        #expect(output.elementCount == result.elementCount)
        let expected = (0..<shape.elementCount / 12).flatMap { row -> [Float] in
            let first = Float(12 * row)
            return [12 * first + 66, first - 1]
        }
        #expect(output.floats == expected)
    }

    @Test(arguments: [[11], [12, 1], [2, 12, 3], [12, 2, 2, 2]] as [Shape])
    func `a tensor whose rows have another length is refused`(_ shape: Shape) {
        let failure = #expect(throws: Failure.self) { try read(on: shape) }
        #expect(failure?.problemText.contains("12 inputs do not fit a tensor of shape") == true)
    }
}
