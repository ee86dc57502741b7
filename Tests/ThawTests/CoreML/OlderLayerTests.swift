import Foundation
import Testing

@testable import Thaw

/// Layers of the oldest form, whose tensors are images of five axes (coremltools' NeuralNetwork.proto).
@Suite struct OlderLayerTests {
    /// Two channels of three rows and four columns, all positive.
    private static let numbers = noise(24).map { abs($0) + 0.1 }

    /// The result of a network's only layer.
    private func output(_ change: (inout Message) -> Void) throws -> [Float] {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let input = builder.input("input", TensorType([1, 2, 3, 4]))
        builder.output("output", try builder.one(Unary(.relu), input))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        var layers: [Message] = message.neuralNetwork.layers
        change(&layers[0])
        message.neuralNetwork.layers = layers
        return try ModelReader.run(message).model.graph.evaluate([Tensor(Self.numbers, shape: [1, 2, 3, 4])])[0].floats
    }

    // MARK: Reductions

    private struct Reducing: CustomTestStringConvertible, Sendable {
        let mode: String
        let of: @Sendable ([Float]) -> Float

        var testDescription: String { mode }
    }

    private static let reductions = [
        Reducing(mode: "L1") { $0.map(abs).reduce(0, +) },
        Reducing(mode: "L2") { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() },
        Reducing(mode: "SUMSQUARE") { $0.reduce(0) { $0 + $1 * $1 } },
        // Not the logarithm of the sum, as in the newer layer.
        Reducing(mode: "LOGSUM") { $0.reduce(0) { $0 + log($1 + 0.5) } },
        Reducing(mode: "ARGMAX") { Float($0.firstIndex(of: $0.max()!)!) },
    ]

    /// The elements of channel, row and column that are reduced, for each remaining position.
    private static let groups: [String: [[Int]]] = [
        "CHW": [Array(0..<24)], "HW": [Array(0..<12), Array(12..<24)], "C": (0..<12).map { [$0, $0 + 12] },
        "H": (0..<8).map { index in (0..<3).map { index / 4 * 12 + $0 * 4 + index % 4 } },
        "W": (0..<6).map { Array($0 * 4..<$0 * 4 + 4) },
    ]

    @Test(arguments: reductions, ["CHW", "HW", "C", "H", "W"]) private func `a reduction computes its formula`(
        _ reducing: Reducing, _ axis: String
    ) throws {
        func reduced() throws -> [Float] {
            try output { layer in
                layer.reduce.mode = reducing.mode
                layer.reduce.axis = axis
                layer.reduce.epsilon = 0.5 as Float
            }
        }
        guard reducing.mode != "ARGMAX" || axis.count == 1 else {
            #expect(throws: Failure.self) { try reduced() }
            return
        }
        let expected = Self.groups[axis]!.map { reducing.of($0.map { Self.numbers[$0] }) }
        #expect(try error(reduced(), expected) <= 1e-5)
    }

    // MARK: Slices

    /// Like a Python range: an end of −1 excludes the last element.
    @Test(arguments: [
        (0, -1, 1, [0, 1, 2]), (1, -1, 1, [1, 2]), (0, -2, 1, [0, 1]), (0, -1, 2, [0, 2]), (-3, -1, 1, [1, 2]),
        (-2, 4, 1, [2, 3]),
    ]) func `a slice counts negative positions from the end`(_ start: Int, _ end: Int, _ step: Int, _ columns: [Int])
        throws
    {
        let taken = try output { layer in
            layer.slice.startIndex = start
            layer.slice.endIndex = end
            layer.slice.stride = step
            layer.slice.axis = "WIDTH_AXIS"
        }
        #expect(taken == (0..<6).flatMap { row in columns.map { Self.numbers[row * 4 + $0] } })
    }

    @Test(arguments: [(0, -4), (2, -2), (3, 2), (0, 5), (-5, 4), (0, 0)]) func `an empty slice is refused`(
        _ start: Int, _ end: Int
    ) {
        let failure = #expect(throws: Failure.self) {
            try output { layer in
                layer.slice.startIndex = start
                layer.slice.endIndex = end
                layer.slice.axis = "WIDTH_AXIS"
            }
        }
        #expect(failure?.problemText.contains("a slice from \(start) to \(end)") == true)
    }

    @Test func `a reshape uses channels last if it says so`() throws {
        let taken = try output { layer in
            layer.reshape.targetShape = [4, 2, 3]
            layer.reshape.mode = "CHANNEL_LAST"
        }
        // In the order height, width, channel: 3×4×2 as 2×3×4.
        let line = (0..<12).flatMap { index in (0..<2).map { Self.numbers[$0 * 12 + index] } }
        #expect(taken == (0..<4).flatMap { channel in (0..<6).map { line[$0 * 4 + channel] } })
    }
}
