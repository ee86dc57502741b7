import Kernels
import Testing

@testable import Thaw

/// A convolution by Winograd's algorithm, whether or not it is faster.
struct WinogradCase: CustomTestStringConvertible, Sendable {
    var form: WinogradForm
    var name: String
    var size: (height: Int, width: Int)
    var channels: (inputs: Int, outputs: Int)
    var build: @Sendable (inout GraphBuilder, Graph.Value, any Thaw.Operation) throws -> Graph.Value

    var testDescription: String { "F(\(form.height), \(form.width)) \(name)" }

    /// The window of the form, with or without padding.
    func engineCase(padded: Bool = true, images: Int = 2) -> EngineCase {
        let (kh, kw) = (form.height.window, form.width.window)
        let layer = convolution(
            padded ? axis(kh, kh / 2, kh / 2) : axis(kh), padded ? axis(kw, kw / 2, kw / 2) : axis(kw),
            channels.inputs, channels.outputs)
        return EngineCase(testDescription, [images, size.height, size.width, channels.inputs]) { builder, values in
            let image = try builder.one(Unary(.relu), values[0])
            let same = try builder.one(convolution(axis(1), axis(1), channels.inputs, channels.inputs), image)
            // A consumer in the blocked layout: a value read only by the output would be written plain, by direct loops.
            let result = try build(&builder, same, layer)
            return [try builder.one(convolution(axis(1), axis(1), channels.outputs, 8), result)]
        }
    }

    static let all = WinogradForm.all.flatMap { form in
        [
            // Tiles past the image's edge, channels that do not fill a block, an odd number of groups.
            WinogradCase(form: form, name: "odd sizes", size: (11, 15), channels: (20, 69)) {
                try $0.one($2, $1)
            },
            WinogradCase(form: form, name: "residual and clamp", size: (9, 8), channels: (32, 32)) {
                let sum = try $0.one(Binary(.add), try $0.one($2, $1), $1)
                return try $0.one(Unary(.relu6), sum)
            },
            WinogradCase(form: form, name: "residual and sigmoid", size: (5, 6), channels: (16, 16)) {
                let sum = try $0.one(Binary(.add), try $0.one($2, $1), $1)
                return try $0.one(Unary(.sigmoid), sum)
            },
            WinogradCase(form: form, name: "two pixels", size: (1, 2), channels: (16, 16)) { try $0.one($2, $1) },
        ]
    }

    /// Two layers that share the buffer for transforms, which are smaller than the weights.
    static let deep = WinogradCase(
        form: WinogradForm(height: .four3, width: .four3), name: "deep", size: (9, 10), channels: (96, 96)
    ) {
        try $0.one($2, try $0.one($2, $1))
    }
}

struct WinogradTests {
    /// Relative to the range; a transform is less accurate than a sum of products.
    private let tolerance: Float = 1e-4

    @Test(arguments: WinogradCase.all)
    func `a transformed convolution agrees with the loops, on every instruction set`(_ c: WinogradCase) throws {
        try check(c.engineCase(), c.form)
        if c.size.height > 10 { try check(c.engineCase(padded: false), c.form) }
    }

    @Test(arguments: WinogradCase.all + [WinogradCase.deep])
    func `two threads give the same bits as one, each with its own copy of the transform`(_ c: WinogradCase) throws {
        let graph = try c.engineCase(images: 1).graph()
        let inputs = c.engineCase(images: 1).inputTensors()
        for set in InstructionSet.availableForFloats {
            let one = try Program(graph, instructionSet: set, choice: .only(.winograd(c.form))).run(inputs)
            let program = try Program(graph, instructionSet: set, threads: 2, choice: .only(.winograd(c.form)))
            for threads in 1...3 {
                #expect(try program.run(inputs, threads: threads) == one, "\(set), \(threads) threads")
            }
        }
    }

    @Test func `images too large for a single transform are transformed tile by tile`() throws {
        let form = WinogradForm(height: .two3, width: .two3)
        let c = WinogradCase(form: form, name: "large", size: (131, 130), channels: (16, 17)) { try $0.one($2, $1) }
        try check(c.engineCase(), form)
    }

    @Test(arguments: [.logarithm, .reciprocal, .reciprocalSquareRoot] as [Unary.Function])
    func `lanes past the last channel stay finite after functions that are infinite at 0`(
        _ function: Unary.Function
    ) throws {
        let positive = Convolution(
            filters: Tensor(tensor([1, 1, 20, 20]).floats.map(abs), shape: [1, 1, 20, 20]),
            bias: Tensor([Float](repeating: 1, count: 20), shape: [20]),
            window: Window(height: axis(1), width: axis(1)))
        let form = WinogradForm(height: .two3, width: .two3)
        let c = EngineCase("\(function)", [1, 11, 15, 20]) { builder, values in
            let image = try builder.one(positive, builder.one(Unary(.relu), values[0]))
            let layer = convolution(axis(3, 1, 1), axis(3, 1, 1), 20, 69)
            let result = try builder.one(layer, builder.one(Unary(function), image))
            return [try builder.one(convolution(axis(1), axis(1), 69, 8), result)]
        }
        try check(c, form)
    }

    @Test(arguments: WinogradForm.all)
    func `every form needs fewer multiplications than the loops`(_ form: WinogradForm) {
        #expect(form.points < form.height.window * form.width.window * form.height.outputs * form.width.outputs)
    }

    @Test(
        arguments: [
            // A single group of filters: tiles are divided, unless there are few.
            (size: 28, outputs: 32, atLeast: 2), (size: 14, outputs: 32, atLeast: 1),
            (size: 28, outputs: 128, atLeast: 2), (size: 35, outputs: 96, atLeast: 4),
        ])
    func `work is divided for two threads if possible`(size: Int, outputs: Int, atLeast: Int) {
        for set in InstructionSet.availableForFloats {
            func image(_ channels: Int) -> Location {
                Location(TensorType([1, size, size, channels]), slot: 0, kind: .blocked, kernels: set.kernels)
            }
            let plan = WinogradPlan(
                WinogradForm(height: .four3, width: .four3), from: image(128), to: image(outputs), set.kernels)
            let groups = (plan.outputBlocks + plan.groupBlocks - 1) / plan.groupBlocks
            let parts = (plan.tiles + plan.tilesPerChunk - 1) / plan.tilesPerChunk
            #expect(groups * parts >= atLeast, "\(set)")
            #expect(parts == 1 || parts % 2 == 0, "\(set): two threads end together")
        }
    }

    @Test func `strides and dilation use the loops`() {
        let plain = Window(height: axis(3, 1, 1), width: axis(3, 1, 1))
        let model = CostModel(InstructionSet.baseline.kernels)
        #expect(model.candidates(plain).count > 1)
        #expect(model.candidates(Window(height: axis(3, stride: 2), width: axis(3))) == [.direct])
        #expect(model.candidates(Window(height: axis(3), width: axis(3, dilation: 2))) == [.direct])
        #expect(model.candidates(Window(height: axis(1), width: axis(1))) == [.direct])
    }

    private func check(_ c: EngineCase, _ form: WinogradForm) throws {
        let graph = try c.graph()
        let inputs = c.inputTensors()
        let expected = try graph.evaluate(inputs)
        for set in InstructionSet.availableForFloats {
            let program = try Program(graph, instructionSet: set, choice: .only(.winograd(form)))
            let direct = try Program(graph, instructionSet: set, choice: .only(.direct))
            #expect(program.constantBytes != direct.constantBytes, "the algorithm was not used")
            let result = try program.run(inputs)
            #expect(error(result[0].floats, expected[0].floats) < tolerance, "\(set)")
            #expect(try program.run(inputs, threads: 3) == result, "\(set), three threads")
        }
    }
}
