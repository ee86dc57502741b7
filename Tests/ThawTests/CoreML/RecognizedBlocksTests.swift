import Testing

@testable import Thaw

/// Reshapes, slices and concatenations of a graph that are one layer in Core ML.
@Suite struct RecognizedBlocksTests {
    private struct BlockCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let layers: String
        let operations: String
        let build: @Sendable (inout GraphBuilder, Graph.Value) throws -> Graph.Value

        init(
            _ description: String, _ layers: String, _ operations: String,
            _ build: @escaping @Sendable (inout GraphBuilder, Graph.Value) throws -> Graph.Value
        ) {
            (testDescription, self.layers, self.operations, self.build) = (description, layers, operations, build)
        }
    }

    private static func exchanged(
        _ exchange: BlockExchange.Exchange, _ size: Int
    ) -> @Sendable (inout GraphBuilder, Graph.Value) throws -> Graph.Value {
        { builder, value in
            let blocks = BlockExchange(exchange: exchange, size: size)
            return try blocks.rearrangement(of: builder[value].shape, .channelsLast)!.steps.reduce(value) {
                try builder.one($1, $0)
            }
        }
    }

    /// Borders, axis by axis.
    private static func bordered(
        _ border: EdgePadding, _ before: [Int], _ after: [Int]
    ) -> @Sendable (inout GraphBuilder, Graph.Value) throws -> Graph.Value {
        { builder, value in
            var result = value
            for axis in [1, 2] where before[axis] + after[axis] > 0 {
                let shape = builder[result].shape
                let ranges = border.ranges(before[axis], after[axis], of: shape[axis])
                func part(_ range: StridedSlice.Range) throws -> [Graph.Value] {
                    guard range.count > 0 else { return [] }
                    var all = shape.map { StridedSlice.Range(start: 0, count: $0) }
                    all[axis] = range
                    return [try builder.one(StridedSlice(ranges: all), result)]
                }
                let parts = try part(ranges.before) + [result] + part(ranges.after)
                result = try builder.add(Concatenation(axis: axis), parts, name: "border")[0]
            }
            return result
        }
    }

    private static let cases = [
        BlockCase(
            "depth to space", "reorganizeData", "depth_to_space", exchanged(.depthToSpace, 2)),
        BlockCase(
            "space to depth", "reorganizeData", "space_to_depth", exchanged(.spaceToDepth, 2)),
        BlockCase(
            "depth to space, grouped by channel", "reshapeStatic transpose reshapeStatic",
            "pixel_shuffle", exchanged(.pixelShuffle, 2)),
        BlockCase(
            "a mirrored border", "padding", "pad", bordered(.reflected, [0, 2, 1, 0], [0, 1, 3, 0])),
        BlockCase(
            "a mirrored border on one side", "padding", "pad", bordered(.reflected, [0, 0, 0, 0], [0, 0, 2, 0])),
        BlockCase(
            "a border that repeats the edge", "sliceStatic concatND sliceStatic concatND",
            "slice_by_index concat slice_by_index concat", bordered(.mirrored, [0, 2, 0, 0], [0, 0, 2, 0])),
    ]

    private static func model(_ blocks: BlockCase) throws -> Model {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 6, 16]))
        let result = try blocks.build(&builder, input)
        builder.output("output", result)
        return Model(graph: builder.graph)
    }

    /// Without transposes to an image's axes and back.
    private func kinds(_ kinds: [String]) -> String {
        let turns: Set<String> = ["transpose"]
        let ends = kinds.drop { turns.contains($0) }.reversed().drop { turns.contains($0) }.reversed()
        return ends.joined(separator: " ")
    }

    @Test(arguments: cases) private func `blocks and borders need the fewest layers, and give the same outputs`(
        _ blocks: BlockCase
    ) throws {
        let model = try Self.model(blocks)
        let input = Tensor(noise(4 * 6 * 16), shape: [1, 4, 6, 16])
        let expected = try model.graph.evaluate([input])[0]

        let network = try NeuralNetworkWriter.message(model)
        #expect(kinds((network.neuralNetwork.layers as [Message]).compactMap(\.choice)) == blocks.layers)
        #expect(difference(try ModelReader.run(network).model.graph.evaluate([input])[0], expected) == 0)

        let program = try ProgramWriter.run(model, weights: WeightStorage(.float32)).message
        let functions: [Message] = program.mlProgram.functions
        let bodies: [Message] = functions[0].value.block_specializations
        let operations = (bodies[0].value.operations as [Message]).map { $0.type as String }
        #expect(kinds(operations.filter { $0 != "const" }) == blocks.operations)
        #expect(difference(try ModelReader.run(program).model.graph.evaluate([input])[0], expected) == 0)
    }

    @Test(arguments: cases)
    private func `the graph gives the same outputs with them, and only Core ML's graph has them`(
        _ blocks: BlockCase
    ) throws {
        let model = try Self.model(blocks)
        let input = Tensor(noise(4 * 6 * 16), shape: [1, 4, 6, 16])
        let named = try model.graph.withRecognizedBlocks()
        try named.validate()
        #expect(try difference(named.evaluate([input])[0], model.graph.evaluate([input])[0]) == 0)
    }
}
