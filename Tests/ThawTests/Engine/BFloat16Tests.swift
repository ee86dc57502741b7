import Kernels
import Testing

@testable import Thaw

/// The bfloat16 kernels, on machines that have the instructions, whatever the probe's result.
@Suite(.enabled(if: !InstructionSet.allBFloat16Kernels.isEmpty))
struct BFloat16Tests {
    private let tables = InstructionSet.allBFloat16Kernels

    private func program(
        _ graph: Graph, _ table: any KernelTable.Type, threads: Int = 1, choice: AlgorithmChoice = .cheapest
    ) throws -> Program {
        let set = InstructionSet.available.last
        return try Program(graph, instructionSet: set, kernels: table, threads: threads, choice: choice)
    }

    // Functions that jump, and quotients, magnify the rounding of images.
    @Test(
        arguments: EngineCase.all.filter { c in
            !["ceiling", "floor", "round", "sign", "divide"].contains {
                c.name.hasPrefix($0) && c.name.contains("blocks")
            }
        })
    func `bfloat16 images change results only by rounding`(_ c: EngineCase) throws {
        let graph = try c.graph()
        let inputs = c.inputTensors()
        let expected = try graph.evaluate(inputs)
        for table in tables {
            let alone = try program(graph, table).run(inputs)
            for (result, expected) in zip(alone, expected) {
                // Each image is rounded to 8 bits.
                #expect(error(result.floats, expected.floats) < 0.03, "\(table)")
            }
            let several = try program(graph, table, threads: 3)
            for threads in [1, 3] { #expect(try several.run(inputs, threads: threads) == alone, "\(table)") }
        }
    }

    @Test(arguments: WinogradCase.all)
    func `Winograd convolutions change results only by rounding`(_ c: WinogradCase) throws {
        let algorithm = ConvolutionAlgorithm.winograd(c.form)
        let c = c.engineCase()
        let (graph, inputs) = (try c.graph(), c.inputTensors())
        let expected = try graph.evaluate(inputs)[0].floats
        for table in tables {
            let result = try program(graph, table, choice: .only(algorithm)).run(inputs)
            #expect(error(result[0].floats, expected) < 0.03, "\(table)")
            let several = try program(graph, table, threads: 3, choice: .only(algorithm))
            #expect(try several.run(inputs, threads: 3) == result, "\(table)")
        }
    }

    @Test func `dense layers of more rows than offsets can address use the reference implementation`() throws {
        let layer = Dense(matrix: tensor([1, 1]), bias: nil)
        for (rows, algorithm) in [(1 << 10, "dense"), ((1 << 26) + 1, "")] {
            let graph = try single("dense", [rows, 1], layer).graph()
            for table in tables { #expect(try program(graph, table).steps.map(\.algorithm) == [algorithm], "\(table)") }
        }
    }

    @Test func `in a photo of one color, the rounding errors of weights cancel each other`() throws {
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType([1, 9, 9, 3]))
        builder.output("y", try builder.one(convolution(axis(7), axis(7), 3, 40), x))
        let color: [Float] = [200, 130, 90]
        let photo = Tensor((0..<9 * 9 * 3).map { color[$0 % 3] }, shape: [1, 9, 9, 3])
        let expected = try builder.graph.evaluate([photo])[0].floats
        // What is left is the error of one weight of each color: half a unit in the last of its 8 bits.
        let largest = color.reduce(0, +) / 512 + 0.01
        for table in tables {
            let actual = try program(builder.graph, table).run([photo])[0].floats
            for (a, b) in zip(actual, expected) { #expect(abs(a - b) < largest, "\(table)") }
        }
    }

    @Test(
        arguments: [
            (1, 16), (2, 24), (3, 32), (3, 64), (4, 19), (7, 8), (16, 16), (24, 40), (48, 48), (33, 80), (64, 112),
            (19, 17),
        ])
    func `accumulators are float32, and only results are rounded`(_ channels: Int, _ outputs: Int) throws {
        // As a plain tensor, or in blocks because a pooling of single pixels reads it.
        for (size, stride, isPlain) in [
            (1, 1, true), (1, 2, true), (3, 1, true), (1, 1, false), (1, 2, false), (3, 1, false), (3, 2, false),
        ] {
            var builder = GraphBuilder()
            let input = builder.input("x", TensorType([1, 9, 11, channels]))
            let window = axis(size, stride: stride, size / 2, size / 2)
            let filters = Tensor(
                exact(size * size * channels * outputs, seed: 2), shape: [size, size, channels, outputs])
            let bias = Tensor(noise(outputs, seed: 3), shape: [outputs])
            var result = try builder.one(
                Convolution(filters: filters, bias: bias, window: Window(height: window, width: window)), input)
            if !isPlain {
                let whole = Window(height: axis(1), width: axis(1))
                result = try builder.one(Pooling(function: .maximum, window: whole), result)
            }
            builder.output("y", result)
            let values = Tensor(exact(9 * 11 * channels, seed: 1), shape: [1, 9, 11, channels])
            let expected = try builder.graph.evaluate([values])[0].floats
            let largest = expected.reduce(1) { max($0, abs($1)) }
            for table in tables {
                let actual = try program(builder.graph, table, choice: .only(.direct)).run([values])[0].floats
                // Half a unit in the last of 8 bits, and the rounding of the sums.
                for (a, b) in zip(actual, expected) {
                    #expect(abs(a - b) <= (isPlain ? 0 : abs(b) / 256) + largest * 1e-5, "\(table)")
                }
            }
        }
    }

    @Test(
        arguments: [
            (axis(3, 1, 1), axis(3, 1, 1)), (axis(3, stride: 2, 1, 1), axis(3, stride: 2, 1, 1)),
            (axis(5, 2, 2), axis(5, 2, 2)), (axis(2), axis(4)), (axis(1), axis(1)),
            (axis(3, stride: 3), axis(3, stride: 3)),
            (axis(3, dilation: 2), axis(3, dilation: 2)), (axis(2, dilation: 3), axis(5, stride: 2, dilation: 2)),
        ])
    func `a depthwise convolution rounds only its result`(_ height: Window.Axis, _ width: Window.Axis) throws {
        for channels in [16, 40] {
            var builder = GraphBuilder()
            let x = builder.input("x", TensorType([1, 13, 33, channels]))
            let taps = height.size * width.size
            let filters = Tensor(exact(taps * channels, seed: 2), shape: [height.size, width.size, channels, 1])
            let layer = DepthwiseConvolution(
                filters: filters, bias: tensor([channels], seed: 3), window: Window(height: height, width: width))
            builder.output("y", try builder.one(layer, x))
            let values = Tensor(exact(13 * 33 * channels, seed: 1), shape: [1, 13, 33, channels])
            let expected = try builder.graph.evaluate([values])[0].floats
            for table in tables {
                let actual = try program(builder.graph, table).run([values])[0].floats
                for (a, b) in zip(actual, expected) { #expect(abs(a - b) <= abs(b) / 256 + 1e-5, "\(table)") }
            }
        }
    }

    @Test func `products have the precision of the kernels that compute them`() throws {
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType([1, 16, 16, 3]))
        let first = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 32), x)
        let second = try builder.one(convolution(axis(1), axis(1), 32, 32), first)
        let third = try builder.one(depthwise(axis(3, 1, 1), axis(3, 1, 1), 32), second)
        builder.output("y", try builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: false), third))
        builder.output("z", second)
        for table in tables {
            let program = try program(builder.graph, table)
            #expect(program.precision == .bf16)
            let steps = program.steps.filter { $0.multiplyAdds > 0 }
            #expect(steps.map(\.precision) == [.bf16, .bf16, Precision(table.depthwiseType)])
        }
    }

    /// With an odd number of values in a row of the window, kernels read one more.
    @Test func `values past the image are not multiplied`() throws {
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType([3, 5, 5, 3]))
        let first = try builder.one(convolution(axis(3), axis(3), 3, 40), x)
        builder.output("y", try builder.one(convolution(axis(1), axis(1), 40, 200), first))
        let input = tensor([3, 5, 5, 3], seed: 1)
        for table in tables {
            let program = try program(builder.graph, table, threads: 2)
            let expected = try program.run([input])
            let executor = Executor(program, threads: 2)
            // Leaves NaN in all memory that later steps share with the input.
            for values in [Tensor([Float](repeating: .nan, count: 225), shape: [3, 5, 5, 3]), input] {
                executor.load(values, forInputAt: 0)
                try executor.run()
            }
            #expect(executor.withOutput(at: 0) { Array($0) } == expected[0].floats, "\(table)")
        }
    }

    @Test(
        arguments: [
            ([1, 8], 8), ([3, 40], 19), ([1, 2, 16], 16), ([2, 45, 33], 40), ([3, 700, 100], 19),
            ([1, 5, 6, 400], 130),
        ] as [(Shape, Int)])
    func `a dense layer rounds its rows and weights, and nothing else`(_ shape: Shape, _ outputs: Int) throws {
        let (count, inputs) = (shape.elementCount, shape[shape.rank - 1])
        let matrix = Tensor(exact(inputs * outputs, seed: 2), shape: [inputs, outputs])
        let graph = try network(shape, Dense(matrix: matrix, bias: tensor([outputs], seed: 3)))
        let input = Tensor(exact(count, seed: 1), shape: shape)
        let expected = try graph.evaluate([input])[0].floats
        for table in tables {
            let program = try program(graph, table, threads: 2)
            #expect(program.precision == .bf16)
            #expect(try error(program.run([input])[0].floats, expected) < 1e-5, "\(table)")
        }
    }

    private func network(_ shape: Shape, _ operation: any Operation) throws -> Graph {
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType(shape))
        let rows: Shape = [shape.dropLast().reduce(1, *), shape[shape.rank - 1]]
        builder.output("y", try builder.one(operation, try builder.one(Reshape(rows), x)))
        return builder.graph
    }
}
