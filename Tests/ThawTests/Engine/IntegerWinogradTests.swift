import Kernels
import Testing

@testable import Thaw

/// A quantized 3×3 convolution by Winograd's algorithm, whether or not it is faster.
struct IntegerWinogradCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var input: Shape
    var build: @Sendable (inout QuantizedBuilder, Graph.Value) throws -> Graph.Value

    init(
        _ description: String, _ input: Shape,
        _ build: @escaping @Sendable (inout QuantizedBuilder, Graph.Value) throws -> Graph.Value
    ) {
        (testDescription, self.input, self.build) = (description, input, build)
    }

    func graph() throws -> Graph {
        try IntegerCase(testDescription, input, [], build).graph()
    }

    private static func layer(
        _ name: String, _ input: Shape, outputs: Int, padding: (Int, Int) = (1, 1), zeroPoint: Int = 120,
        activation: Unary.Function? = nil
    ) -> IntegerWinogradCase {
        IntegerWinogradCase(name, input) { builder, x in
            let axis = axis(3, padding.0, padding.1)
            var y = try builder.one(convolution(axis, axis, input[3], outputs), x)
            if let activation { y = try builder.one(Unary(activation), y) }
            return try builder.quantized(y, 0.2, zeroPoint: zeroPoint)
        }
    }

    static let all: [IntegerWinogradCase] =
        [
            layer("one tile", [1, 4, 4, 16], outputs: 16),
            layer("one pixel", [1, 1, 1, 16], outputs: 32),
            layer("odd sizes, channels that do not fill a block", [2, 11, 15, 20], outputs: 69),
            layer("without padding", [1, 9, 8, 40], outputs: 48, padding: (0, 0), zeroPoint: 0, activation: .relu),
            layer("padding at the end", [1, 6, 7, 16], outputs: 16, padding: (0, 1)),
            layer("more tiles than in a chunk", [1, 50, 53, 16], outputs: 16),
            layer("more groups than threads", [1, 9, 9, 16], outputs: 200),
            IntegerWinogradCase("floats", [1, 6, 6, 16]) { builder, x in
                try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 21), x)
            },
            IntegerWinogradCase("residual", [1, 8, 9, 48]) { builder, x in
                let inner = try builder.quantized(
                    builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 48, 48), x), 0.3, zeroPoint: 130)
                return try builder.quantized(
                    builder.one(Unary(.relu), builder.one(Binary(.add), x, inner)), 0.3, zeroPoint: 0)
            },
            IntegerWinogradCase("two layers", [1, 8, 9, 32]) { builder, x in
                let layer = convolution(axis(3, 1, 1), axis(3, 1, 1), 32, 32)
                let inner = try builder.quantized(builder.one(layer, x), 0.2, zeroPoint: 130)
                return try builder.quantized(builder.one(layer, inner), 0.5, zeroPoint: 120)
            },
        ]
        // Every number of tiles in a run.
        + (1...9).map { layer("\($0) tiles", [1, 4, 4 * $0, 16], outputs: 80) }

    /// The signs of the weights in `extreme`.
    enum Signs: CaseIterable {
        case equal, alternating, pairs, irregular

        func sign(_ index: Int) -> Float {
            let isPositive =
                switch self {
                case .equal: true
                case .alternating: index % 2 == 0
                case .pairs: index / 2 % 2 == 0
                case .irregular: index * index % 7 < 3
                }
            return isPositive ? 1 : -1
        }
    }

    /// A layer whose weights are all 127 or −127, and whose inputs are all 0 or 255.
    static func extreme(channels: Int, _ signs: Signs) throws -> (graph: Graph, inputs: [Tensor]) {
        var builder = QuantizedBuilder()
        let shape: Shape = [1, 9, 9, channels]
        let x = builder.graph.input("x", TensorType(shape))
        let filters = Tensor((0..<9 * channels * 16).map { signs.sign($0 / 16) }, shape: [3, 3, channels, 16])
        let layer = Convolution(filters: filters, bias: nil, window: Window(height: axis(3), width: axis(3)))
        builder.graph.output("y", try builder.one(layer, builder.quantized(x, 2 / 255, zeroPoint: 0)))
        let values = (0..<shape.elementCount).map { max(0, 2 * signs.sign($0 / 9 % 9 + $0 % channels)) }
        return (builder.graph.graph, [Tensor(values, shape: shape)])
    }
}

struct IntegerWinogradTests {
    private let choice = AlgorithmChoice.only(.winograd(.quantized))
    private var sets: [InstructionSet] { InstructionSet.available.filter { $0.integerKernels.winograd != nil } }

    private func usesWinograd(_ program: Program) -> Bool {
        let algorithms = program.steps.filter { $0.kind == "IntegerConvolution" }.map(\.algorithm)
        return !algorithms.isEmpty && algorithms.allSatisfy { $0.contains("Winograd") }
    }

    @Test(arguments: IntegerWinogradCase.all)
    func `a transformed convolution gives the bits of the definition, on every instruction set`(
        _ c: IntegerWinogradCase
    ) throws {
        let graph = try c.graph()
        let inputs = [tensor(c.input, seed: 5)]
        let expected = try graph.withIntegers().evaluate(inputs)
        for set in sets {
            for threads in [1, 2, 3] {
                let program = try Program(
                    graph, instructionSet: set, threads: threads, choice: choice, precision: .int8)
                #expect(usesWinograd(program))
                for _ in 0..<2 {
                    #expect(try program.run(inputs, threads: threads) == expected, "\(set), \(threads) threads")
                }
            }
        }
    }

    @Test(arguments: IntegerWinogradCase.Signs.allCases)
    func `sums just below the bound are exact`(_ signs: IntegerWinogradCase.Signs) throws {
        // 9 · 112 · 127 · 255 is below 2^25.
        let (graph, inputs) = try IntegerWinogradCase.extreme(channels: 112, signs)
        let expected = try graph.withIntegers().evaluate(inputs)
        for set in sets {
            let program = try Program(graph, instructionSet: set, choice: choice, precision: .int8)
            #expect(usesWinograd(program))
            #expect(try program.run(inputs) == expected, "\(set)")
        }
    }

    @Test func `a layer whose sums might exceed the bound is computed directly`() throws {
        // 9 · 128 · 127 · 255 is above it.
        let (graph, inputs) = try IntegerWinogradCase.extreme(channels: 128, .equal)
        let expected = try graph.withIntegers().evaluate(inputs)
        for set in sets {
            let program = try Program(graph, instructionSet: set, choice: choice, precision: .int8)
            #expect(!usesWinograd(program))
            #expect(try program.run(inputs) == expected, "\(set)")
        }
    }

    @Test func `only layers that need fewer cycles are transformed`() throws {
        func algorithms(size: Int, _ channels: Int, _ window: Int) throws -> [[String]] {
            var builder = QuantizedBuilder()
            let x = builder.graph.input("x", TensorType([1, size, size, channels]))
            let axis = axis(window, window / 2, window / 2)
            let y = try builder.one(convolution(axis, axis, channels, channels), builder.quantized(x, 1, zeroPoint: 0))
            builder.graph.output("y", try builder.quantized(y, 1, zeroPoint: 0))
            return try sets.map { set in
                try Program(builder.graph.graph, instructionSet: set, precision: .int8).steps
                    .filter { $0.kind == "IntegerConvolution" }.map(\.algorithm)
            }
        }
        #expect(try algorithms(size: 28, 64, 3).allSatisfy { $0 == ["int8 Winograd F(4×4, 3×3)"] })
        // Of few tiles, most products would be for weights that are read only once.
        #expect(try algorithms(size: 4, 256, 3).allSatisfy { $0 == ["int8 3×3"] })
        #expect(try algorithms(size: 28, 32, 5).allSatisfy { $0 == ["int8 5×5"] })
    }
}
