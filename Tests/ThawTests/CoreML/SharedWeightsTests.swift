import Foundation
import Testing

@testable import Thaw

/// Networks that use the same weights several times, as an unrolled recurrent network does.
@Suite struct SharedWeightsTests {
    private static let size = 96
    private static let uses = 8

    /// A chain of dense layers.
    /// - Parameter matrix: The matrix of each layer.
    private func model(_ matrix: (Int) -> Tensor) throws -> Model {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType([1, Self.size]))
        for index in 0..<Self.uses {
            let bias = Tensor(noise(Self.size).map { $0 + Float(index) }, shape: [Self.size])
            value = try builder.add(Dense(matrix: matrix(index), bias: bias), [value], name: "dense\(index)")[0]
            value = try builder.add(Unary(.sigmoid), [value], name: "sigmoid\(index)")[0]
        }
        builder.output("output", value)
        return Model(graph: builder.graph)
    }

    private static let numbers = noise(size * size)
    private static let matrix = Tensor(numbers, shape: [size, size])

    /// A tensor with the content of `matrix` in separate memory and in transposed order.
    private static var turned: Tensor {
        Tensor(shape: [size, size]) { out in
            for index in out.indices { out[index] = numbers[index % size * size + index / size] }
        }.transposed([1, 0])
    }

    private struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let matrix: @Sendable (Int) -> Tensor
    }

    private static let ways = [
        Way(testDescription: "one tensor") { _ in matrix },
        Way(testDescription: "equal tensors") { _ in Tensor(numbers, shape: [size, size]) },
        Way(testDescription: "equal transposed tensors") { $0 % 2 == 0 ? matrix : turned },
    ]

    @Test(arguments: ways, [WeightType.float32, .float16, .int8, .palette6])
    private func `a program stores shared weights once`(_ way: Way, _ type: WeightType) throws {
        let storage = WeightStorage(type)
        let model = try model(way.matrix)
        let program = try ProgramWriter.run(model, weights: storage)
        let different = try ProgramWriter.run(
            self.model { index in
                // Different values: shifted ones would be quantized to the same integers.
                Tensor(noise(Self.size * Self.size, seed: UInt64(index + 2)), shape: [Self.size, Self.size])
            },
            weights: storage)
        let bytes = Self.size * Self.size * type.bits / 8
        #expect(program.weights.byteCount < bytes + 12_000)
        #expect(different.weights.byteCount > Self.uses * bytes)

        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlpackage").path
        try model.write(toFile: path, weights: storage)
        let back = try Model.load(contentsOfFile: path).model.graph
        let input = Tensor(noise(Self.size), shape: [1, Self.size])
        #expect(try difference(back.output(for: input), model.graph.evaluate([input])[0]) < 0.02)
    }

    @Test(arguments: ways) private func `the engine packs shared weights once`(_ way: Way) throws {
        let shared = try Program(model(way.matrix).graph)
        let single = Self.size * Self.size * 4
        #expect(shared.constantBytes < 2 * single)
        let different = try Program(
            model { index in Tensor(Self.numbers.map { $0 + Float(index) }, shape: [Self.size, Self.size]) }.graph)
        #expect(different.constantBytes > Self.uses * single)
    }

    @Test func `the engine packs shared filters of convolutions once`() throws {
        func program(_ offset: (Int) -> Float) throws -> Program {
            var builder = GraphBuilder()
            var value = builder.input("input", TensorType([1, 12, 12, 32]))
            for index in 0..<3 {
                let full = Convolution(
                    filters: Tensor(noise(9 * 32 * 32).map { $0 + offset(index) }, shape: [3, 3, 32, 32]),
                    bias: Tensor(noise(32).map { $0 + Float(index) }, shape: [32]),
                    window: Window(
                        height: .init(size: 3, before: 1, after: 1), width: .init(size: 3, before: 1, after: 1)))
                value = try builder.add(full, [value], name: "full\(index)")[0]
                let depthwise = DepthwiseConvolution(
                    filters: Tensor(noise(9 * 32).map { $0 + offset(index) }, shape: [3, 3, 32, 1]),
                    window: full.window)
                value = try builder.add(depthwise, [value], name: "depthwise\(index)")[0]
            }
            builder.output("output", value)
            return try Program(builder.graph)
        }
        #expect(try 2 * program { _ in 0 }.constantBytes < program { Float($0) }.constantBytes)
    }

    @Test func `compression removes copies from a package`() throws {
        let folder = try TemporaryFolder()
        let source = folder.url.appendingPathComponent("network.mlmodel").path
        let result = folder.url.appendingPathComponent("program.mlpackage").path
        let model = try model { _ in Self.matrix }
        // A neural network has a copy in each layer.
        let bytes = try model.write(toFile: source).bytes
        #expect(bytes > Self.uses * Self.size * Self.size * 4)
        let written = try Compression(contentsOfFile: source, weights: WeightStorage(.int8)).write(toFile: result)
        #expect(written.bytes < bytes / (4 * Self.uses) + 12_000)
    }

    @Test func `copies are counted by content`() throws {
        let copies = (Self.uses - 1) * Self.size * Self.size
        for way in Self.ways { #expect(try model(way.matrix).graph.repeatedParameterCount == copies) }
        let different = try model { index in
            // Only one element differs, which a sample may miss.
            var numbers = Self.numbers
            numbers[numbers.count / 2 - 1] = Float(index)
            return Tensor(numbers, shape: [Self.size, Self.size])
        }
        #expect(different.graph.repeatedParameterCount == 0)
    }
}
