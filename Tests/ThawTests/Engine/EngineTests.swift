import Testing

@testable import Thaw

struct EngineTests {
    @Test(arguments: EngineCase.all)
    func `the engine agrees with the reference implementations, on every instruction set`(_ c: EngineCase) throws {
        let graph = try c.graph()
        try graph.validate()
        let inputs = c.inputTensors()
        let expected = try graph.evaluate(inputs)
        for set in InstructionSet.availableForFloats {
            let program = try Program(graph, instructionSet: set)
            let executor = Executor(program)
            // Twice: leftovers of a run must not affect the next.
            for _ in 0..<2 {
                for (index, input) in inputs.enumerated() { executor.load(input, forInputAt: index) }
                try executor.run()
                for (index, tensor) in expected.enumerated() {
                    let result = executor.output(at: index)
                    #expect(result.type == tensor.type)
                    #expect(error(result.floats, tensor.floats) < c.tolerance, "\(set), output \(index)")
                }
            }
        }
    }

    // Functions that jump, and quotients, magnify the rounding of images.
    @Test(
        arguments: EngineCase.all.filter { c in
            !["ceiling", "floor", "round", "divide"].contains { c.name.hasPrefix($0) && c.name.contains("blocks") }
        })
    func `a kernel table may have its own layout of images and weights, and its own type of values`(
        _ c: EngineCase
    ) throws {
        let graph = try c.graph()
        let inputs = c.inputTensors()
        let program = try Program(
            graph, instructionSet: .baseline, kernels: BFloat16LoopKernels.self, threads: 2, choice: .cheapest)
        for (result, expected) in try zip(program.run(inputs, threads: 2), graph.evaluate(inputs)) {
            // Each image is rounded to 8 bits.
            #expect(error(result.floats, expected.floats) < 0.03)
        }
    }

    @Test(arguments: EngineCase.convolutions + EngineCase.tensors + EngineCase.matrices + EngineCase.structure)
    func `one thread and several give the same bits`(_ c: EngineCase) throws {
        let graph = try c.graph()
        let inputs = c.inputTensors()
        for set in InstructionSet.availableForFloats {
            let alone = try Program(graph, instructionSet: set, threads: 1).run(inputs)
            let program = try Program(graph, instructionSet: set, threads: 3)
            for threads in [1, 3] { #expect(try program.run(inputs, threads: threads) == alone, "\(set), \(threads)") }
        }
    }

    @Test func `a pointwise convolution is fused with the depthwise one before it if the image is large`() throws {
        func steps(
            height: Int, outputs: Int = 16, secondConsumer: Bool = false, isFollowed: Bool = false
        ) throws -> [String] {
            var builder = GraphBuilder()
            let x = builder.input("x", TensorType([1, height, 64, 64]))
            let between = try builder.one(depthwise(axis(3, 1, 1), axis(3, 1, 1), 64), x)
            var y = try builder.one(convolution(axis(1), axis(1), 64, outputs), between)
            if isFollowed { y = try builder.one(depthwise(axis(3, 1, 1), axis(3, 1, 1), outputs), y) }
            builder.output("y", y)
            if secondConsumer { builder.output("between", between) }
            return try Program(builder.graph).steps.map(\.algorithm).filter { $0.contains("×") }
        }
        #expect(try steps(height: 64) == ["depthwise 3×3 + 1×1"])
        #expect(try steps(height: 63) == ["depthwise 3×3", "direct 1×1"])
        #expect(try steps(height: 64, secondConsumer: true) == ["depthwise 3×3", "direct 1×1"])
        // It is fused into the following depthwise one, which would read the larger image.
        #expect(
            try steps(height: 64, outputs: 64, isFollowed: true) == ["depthwise 3×3", "direct 1×1 + depthwise 3×3"])
        #expect(try steps(height: 64, isFollowed: true) == ["depthwise 3×3 + 1×1", "depthwise 3×3"])
    }

    @Test func `a pointwise convolution is fused with the scale before it if the image is not small`() throws {
        func steps(
            _ scale: any Operation = BatchNormalization(scale: tensor([64]), offset: tensor([64], seed: 2)),
            height: Int, outputs: Int = 16, secondConsumer: Bool = false
        ) throws -> [String] {
            var builder = GraphBuilder()
            let x = builder.input("x", TensorType([1, height, 32, 64]))
            let between = try builder.one(Unary(.relu), try builder.one(scale, x))
            builder.output("y", try builder.one(convolution(axis(1), axis(1), 64, outputs), between))
            if secondConsumer { builder.output("between", between) }
            return try Program(builder.graph).steps.map(\.algorithm).filter { $0.contains("1×1") }
        }
        #expect(try steps(height: 32) == ["scale + 1×1"])
        #expect(try steps(Binary(.multiply, constant: tensor([64])), height: 32) == ["scale + 1×1"])
        #expect(try steps(Binary(.divide, constant: tensor([64])), height: 32) == ["direct 1×1"])
        #expect(try steps(height: 31) == ["direct 1×1"])
        #expect(try steps(height: 32, outputs: 2049) == ["direct 1×1"])
        #expect(try steps(height: 32, secondConsumer: true) == ["direct 1×1"])
    }

    /// As in TensorFlow on a CPU.
    @Test func `max pooling ignores NaN`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 6, 9, 20]))
        let window = Window(height: axis(2, stride: 2), width: axis(3, 1, 1))
        builder.output("output", try builder.one(Pooling(function: .maximum, window: window), input))
        var values = noise(6 * 9 * 20)
        for index in stride(from: 0, to: values.count, by: 7) { values[index] = .nan }
        let image = Tensor(values, shape: [1, 6, 9, 20])
        let expected = try builder.graph.evaluate([image])[0].floats
        #expect(!expected.contains { $0.isNaN })
        for set in InstructionSet.availableForFloats {
            #expect(try Program(builder.graph, instructionSet: set).run([image])[0].floats == expected, "\(set)")
        }
    }

    @Test func `activations and residuals are fused with the dense layer after a reshape`() throws {
        func kinds(
            _ build: (inout GraphBuilder, Graph.Value, Graph.Value) throws -> [Graph.Value]
        ) throws -> [String] {
            var builder = GraphBuilder()
            let (x, y) = (builder.input("x", TensorType([2, 5, 20])), builder.input("y", TensorType([2, 5, 20])))
            for (index, value) in try build(&builder, x, y).enumerated() { builder.output("output\(index)", value) }
            return try Program(builder.graph).steps.map(\.kind)
        }
        #expect(try kinds { builder, x, _ in [try builder.one(Unary(.gelu), builder.rows(x, 20, 20))] } == ["Dense"])
        #expect(try kinds { builder, x, y in [try builder.one(Binary(.add), y, builder.rows(x, 20, 20))] } == ["Dense"])
        let both = try kinds { builder, x, _ in
            let rows = try builder.rows(x, 20, 20)
            return [rows, try builder.one(Unary(.gelu), rows)]
        }
        #expect(both == ["Dense", "Gelu"])
        // A row of the sum is not a row of the layer.
        let split = try kinds { builder, x, y in
            let rows = try builder.one(Dense(matrix: tensor([20, 10]), bias: nil), builder.one(Reshape([10, 20]), x))
            let other = try builder.one(Reshape([5, 20]), rows)
            return [
                try builder.one(
                    Binary(.add), other, builder.one(Reduction(function: .sum, axes: [0], keepsAxes: false), y))
            ]
        }
        #expect(split.contains("Add"))
    }

    @Test func `slices at known indices are copied if they are few`() throws {
        func isReference(_ c: EngineCase) throws -> Bool {
            try Program(c.graph()).steps.contains { $0.kind == "Gather" && $0.isReference }
        }
        #expect(try !isReference(rolled("", [2, 9], axis: 1, [-2, -1, 0, 1])))
        #expect(try isReference(rolled("", [2, 9], axis: 1, [0, 2, 4, 6, 8, 1, 3, 5, 7])))
        #expect(try isReference(rolled("", [2, 9], axis: 1, [8, 9])))
    }

    @Test func `gates are multiplied into the weights if these are fewer than the image's elements`() throws {
        func isInWeights(_ shape: Shape, outputs: Int) throws -> Bool {
            let graph = try squeezeAndExcitation("gates", shape, outputs: outputs).graph()
            return try Program(graph).steps.contains { $0.algorithm == "gate weights" }
        }
        #expect(try isInWeights([1, 11, 10, 3], outputs: 24))
        #expect(try !isInWeights([1, 3, 4, 3], outputs: 12))
        #expect(try !isInWeights([2, 11, 10, 3], outputs: 24))
    }

    private func attention(queries: Int, keys: Int, width: Int) throws -> Graph {
        var builder = GraphBuilder()
        let inputs = [queries, keys, keys].enumerated().map { index, count in
            builder.input("input\(index)", TensorType([1, count, width]))
        }
        builder.output("output", try builder.add(Attention(factor: 1), inputs, name: "attention")[0])
        return builder.graph
    }

    @Test func `attention over more keys than kernels can address uses the reference implementation`() throws {
        func isReference(keys: Int) throws -> Bool {
            let graph = try attention(queries: 64, keys: keys, width: 1)
            return try Program(graph).steps.contains { $0.kind == "Attention" && $0.isReference }
        }
        // A tile has at least three rows.
        #expect(try isReference(keys: 180_000_000))
        #expect(try !isReference(keys: 10_000))
    }

    @Test func `the limit of a run's memory includes the scratch memory of all threads`() throws {
        // Each thread packs keys and values of 256 MB each; the limit is 8 GB.
        let graph = try attention(queries: 3, keys: 1 << 20, width: 64)
        _ = try Program(graph, threads: 1)
        let failure = #expect(throws: Failure.self) { try Program(graph, threads: 16) }
        #expect(failure?.code == .limitExceeded)
    }

    @Test(arguments: [1, 3])
    func `8-bit pixels are scaled into the layout that the first layer reads`(channels: Int) throws {
        let shape: Shape = [2, 6, 5, channels]
        let pixels = noise(60 * channels).map { UInt8(($0 + 1) * 127) }
        let scaling = PixelScaling(
            scale: (0..<channels).map { 0.01 * Double($0 + 1) }, bias: (0..<channels).map { Double($0) - 0.5 })
        let numbers = Tensor(
            pixels.enumerated().map {
                Float(Double($1) * scaling.scale[$0 % channels] + scaling.bias[$0 % channels])
            }, shape: shape)
        let cases = [
            single("rows", shape, convolution(axis(3, 1, 1), axis(3, 1, 1), channels, 16)),
            single("plain", shape, Unary(.relu)),
        ]
        for c in cases {
            let graph = try c.graph()
            let expected = try graph.evaluate([numbers])[0]
            for set in InstructionSet.availableForFloats {
                let executor = Executor(try Program(graph, instructionSet: set))
                for image in 0..<2 {
                    let half = Array(pixels[image * 30 * channels..<(image + 1) * 30 * channels])
                    half.withUnsafeBufferPointer { executor.load(pixels: $0, scaling, forInputAt: 0, image: image) }
                }
                try executor.run()
                #expect(error(executor.output(at: 0).floats, expected.floats) < 1e-5, "\(c.name) \(set)")
            }
        }
    }

    @Test func `tensors that are not float32 use the reference implementations`() throws {
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType([1, 4, 4, 16]))
        let y = try builder.one(convolution(axis(1), axis(1), 16, 10), x)
        builder.output("label", try builder.one(ArgMax(axis: 3, element: .int64), y))
        let input = tensor([1, 4, 4, 16])
        for set in InstructionSet.availableForFloats {
            let result = try Program(builder.graph, instructionSet: set).run([input])
            #expect(try result == builder.graph.evaluate([input]))
        }
    }

    @Test func `huge tensors are refused before memory is allocated`() throws {
        let tall = single("tall", [1, 1 << 25, 1, 1], convolution(axis(1), axis(3, 200, 200), 1, 1))
        let wide = EngineCase("wide", [1, 1 << 15, 1 << 15, 1]) { _, values in values }
        let many = EngineCase("many", [1, 1 << 13, 1 << 13, 4]) { builder, values in
            var sum = values[0]
            var all: [Graph.Value] = []
            for _ in 0..<9 {
                sum = try builder.one(Unary(.relu), sum)
                all.append(sum)
            }
            return all
        }
        // The depthwise convolution could be computed together with the one before it, without storing the large image.
        let fused = EngineCase("fused", [1, 1 << 13, 1 << 13, 3]) { builder, values in
            let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 8), values[0])
            let window = axis(3, stride: 2, 1, 1)
            return [try builder.one(depthwise(window, window, 8), image)]
        }
        for c in [tall, wide, many, fused] {
            #expect(throws: Failure.self, "\(c.name)") { try Program(c.graph()) }
        }
    }
}
