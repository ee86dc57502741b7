import Testing

@testable import Thaw

/// Spatial layers: resizing, cropping, deconvolution, local response normalization.
@Suite struct SpatialLayerTests {
    /// The message of a model with one operation on a tensor of shape `shape` (batch, channel, height, width).
    private func message(_ operation: any Thaw.Operation, on shape: Shape) throws -> Message {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let value = builder.input("input", TensorType(shape))
        builder.output("output", try builder.one(operation, value))
        let image = ImageInput(name: "input", width: shape[3], height: shape[2], color: shape[1] == 3 ? .rgb : .gray)
        return try NeuralNetworkWriter.message(Model(graph: builder.graph, image: image))
    }

    /// The model read back after a change to its first layer.
    private func read(_ message: Message, _ change: (inout Message) -> Void) throws -> Graph {
        var message = message
        var layers: [Message] = message.neuralNetwork.layers
        change(&layers[0])
        message.neuralNetwork.layers = layers
        return try ModelReader.run(message).model.graph
    }

    private static func resize(_ taps: (Int, Int) -> FilterWeights, from: (Int, Int), to: (Int, Int)) -> Resize {
        Resize(rows: taps(from.0, to.0), columns: taps(from.1, to.1))
    }

    private struct WritingCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operation: any Thaw.Operation
        let layers: [String]
        let version: Int

        init(_ description: String, _ operation: any Thaw.Operation, _ layers: String, _ version: Int) {
            testDescription = description
            self.operation = operation
            self.layers = layers.split(separator: " ").map(String.init)
            self.version = version
        }
    }

    private static func transposed(before: Int, after: Int) -> TransposedConvolution {
        let axis = Window.Axis(size: 3, stride: 2, before: before, after: after)
        return TransposedConvolution(
            filters: tensor([3, 3, 2, 3]), window: Window(height: axis, width: axis))
    }

    @Test(arguments: [
        WritingCase(
            "repeated pixels", resize({ .nearest(.left, $0, $1) }, from: (4, 5), to: (8, 15)), "upsample", 1),
        WritingCase(
            "bilinear, twice as large", resize({ .linear(.left, $0, $1) }, from: (4, 5), to: (8, 10)), "upsample", 1),
        WritingCase(
            "bilinear to any size", resize({ .linear(.left, $0, $1) }, from: (4, 5), to: (7, 4)), "resizeBilinear", 3),
        WritingCase(
            "bilinear, corners aligned", resize({ .linear(.corners, $0, $1) }, from: (4, 5), to: (8, 9)),
            "resizeBilinear", 3),
        WritingCase(
            "bilinear, from edge to edge", resize({ .linear(.edges, $0, $1) }, from: (4, 5), to: (8, 10)), "upsample",
            5),
        WritingCase(
            "bilinear, from edge to edge to any size", resize({ .linear(.edges, $0, $1) }, from: (4, 5), to: (7, 4)),
            "loadConstantND batchedMatmul loadConstantND batchedMatmul", 4),
        WritingCase(
            "bicubic along one axis", resize({ .cubic(.left, $0, $1) }, from: (4, 5), to: (4, 7)),
            "loadConstantND batchedMatmul", 4),
        WritingCase(
            "local response normalization", LocalResponseNormalization(radius: 2, bias: 1, alpha: 0.1, beta: 0.75),
            "lrn", 1),
        WritingCase("a transposed convolution", transposed(before: 0, after: 1), "convolution", 1),
        WritingCase("a result that is used again", transposed(before: 0, after: -1), "convolution", 1),
        WritingCase(
            "a crop of the image",
            StridedSlice(ranges: [(0, 1), (0, 3), (1, 2), (2, 3)].map { .init(start: $0.0, count: $0.1) }), "crop", 1),
        WritingCase("a wider border before than after", transposed(before: 1, after: 0), "convolution crop", 1),
    ]) private func `the fewest layers of the lowest version are written`(_ writing: WritingCase) throws {
        let message = try message(writing.operation, on: [1, 3, 4, 5])
        let layers: [Message] = message.neuralNetwork.layers
        #expect(layers.compactMap(\.choice) == writing.layers)
        #expect(message.specificationVersion as Int == writing.version)
    }

    // MARK: Reading models by other tools

    /// A row of four pixels after resizing with a sampling mode to a number of pixels.
    @Test(
        arguments: [
            ("UPSAMPLE_MODE", 8, [0, 0.5, 1, 1.5, 2, 2.5, 3, 3]), ("STRICT_ALIGN_ENDPOINTS_MODE", 3, [0, 1.5, 3]),
            ("STRICT_ALIGN_ENDPOINTS_MODE", 1, [0]), ("ALIGN_ENDPOINTS_MODE", 3, [0, 1.5, 3]),
            ("ALIGN_ENDPOINTS_MODE", 1, [1.5]), ("ROI_ALIGN_MODE", 3, [0.5, 1.5, 2.5]), ("ROI_ALIGN_MODE", 1, [1.5]),
        ] as [(String, Int, [Float])]) func `every sampling mode is read`(_ mode: String, _ size: Int, _ line: [Float])
        throws
    {
        let resize = Self.resize({ .linear(.corners, $0, $1) }, from: (1, 4), to: (1, 7))
        let graph = try read(message(resize, on: [1, 1, 1, 4])) { layer in
            layer.resizeBilinear.targetSize = [1, size]
            layer.resizeBilinear["mode"].samplingMethod = mode
        }
        let output = try graph.evaluate([Tensor([0, 1, 2, 3], shape: [1, 1, 4, 1])])[0]
        #expect(zip(output.floats, line).allSatisfy { abs($0 - $1) < 1e-6 } && output.elementCount == size)
    }

    @Test(
        arguments: [
            ("DEFAULT", [0, 0.5, 1, 1.5, 2, 2.5, 3, 3]),
            ("ALIGN_CORNERS_FALSE", [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]),
            ("ALIGN_CORNERS_TRUE", (0..<8).map { Float($0) * 3 / 7 }),
        ] as [(String, [Float])]) func `every mode of upsampling is read, also with fractional factors`(
            _ mode: String, _ line: [Float]
        )
        throws
    {
        let resize = Self.resize({ .nearest(.left, $0, $1) }, from: (1, 4), to: (2, 8))
        let graph = try read(message(resize, on: [1, 1, 1, 4])) { layer in
            layer.upsample.scalingFactor = [] as [Int]
            layer.upsample.fractionalScalingFactor = [1, 2] as [Float]
            layer.upsample.mode = "BILINEAR"
            layer.upsample.linearUpsampleMode = mode
        }
        let output = try graph.evaluate([Tensor([0, 1, 2, 3], shape: [1, 1, 4, 1])])[0].floats
        #expect(zip(output, line).allSatisfy { abs($0 - $1) < 1e-6 } && output.count == 8)
    }

    /// coremltools copies the masks from ML Programs, where a masked start is 0.
    @Test(arguments: ["sliceStatic", "slice_by_index"])
    func `of a squeezed axis whose start is masked, the first element remains`(_ kind: String) throws {
        let array = Operand.constant(Tensor((0..<12).map { Float($0) }, shape: [4, 3]))
        func list(_ integers: Int...) -> [MILRead.Argument] {
            [.operand(.constant(Tensor(integers: integers, shape: [integers.count])))]
        }
        var parameters = Message(.layer)["sliceStatic"]
        parameters.beginIds = [2, 0]
        parameters.endIds = [0, 0]
        parameters.strides = [1, 1]
        parameters.beginMasks = [true, true]
        parameters.endMasks = [true, true]
        parameters.squeezeMasks = [true, false]
        let layer = NeuralLayer(name: "l", kind: kind, parameters: parameters, inputs: [array], outputCount: 1)
        let operation = MILRead(
            name: "o", kind: kind,
            arguments: [
                "x": [.operand(array)], "begin": list(2, 0), "end": list(0, 0), "begin_mask": list(1, 1),
                "end_mask": list(1, 1), "squeeze_mask": list(1, 0),
            ], outputCount: 1)
        var context = ImportContext(channelOrder: .channelsFirst)
        let row =
            try Operations.neural[kind]?.build(layer, &context) ?? Operations.mil[kind]!.build(operation, &context)
        #expect(row[0].constant == Tensor([0, 1, 2], shape: [3]))
    }

    @Test func `boxes of images that do not exist are constant, and refused if that is known`() throws {
        let images = Tensor([1, 2, 3, 4], shape: [2, 1, 2, 1])
        let boxes = Tensor([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], shape: [3, 4])
        let sampling = BoxSampling(height: 1, width: 2, grid: .corners, outside: -5)
        let output = sampling.evaluate([images, boxes, Tensor(integers: [2, 1, -1], shape: [3])])[0]
        #expect(output.floats == [-5, -5, 3, 4, -5, -5])
        var context = ImportContext(channelOrder: .channelsFirst)
        let x = context.builder.input("x", TensorType([2, 1, 1, 2]))
        for missing in [2, -1] {
            let operation = MILRead(
                name: "o", kind: "crop_resize",
                arguments: [
                    "x": [.operand(.edge(x, TensorType([2, 1, 1, 2])))], "boxes": [.operand(.constant(boxes))],
                    "box_indices": [.operand(.constant(Tensor(integers: [0, 1, missing], shape: [3])))],
                ], outputCount: 1)
            let failure = #expect(throws: Failure.self) {
                try Operations.mil["crop_resize"]!.build(operation, &context)
            }
            #expect(failure?.description.contains("a box refers to image \(missing); there are 2") == true)
        }
    }

    /// A row of ones with a window of three ones and stride 2: the number of windows that cover each pixel.
    @Test func `a deconvolution's padding and output size are read`() throws {
        let axis = Window.Axis(size: 3, stride: 2)
        let whole = TransposedConvolution(
            filters: Tensor([1, 1, 1], shape: [1, 3, 1, 1]),
            window: Window(height: Window.Axis(size: 1), width: axis))
        let message = try message(whole, on: [1, 1, 1, 3])
        func line(_ change: (inout Message) -> Void) throws -> [Float] {
            try read(message, change).evaluate([Tensor([1, 1, 1], shape: [1, 1, 3, 1])])[0].floats
        }
        #expect(try line { _ in } == [1, 1, 2, 1, 2, 1, 1])
        #expect(try line { $0.convolution.choose("same") } == [1, 1, 2, 1, 2, 1])
        #expect(
            try line { $0.convolution["same"].asymmetryMode = "TOP_LEFT_HEAVY" } == [1, 2, 1, 2, 1, 1])
        #expect(try line { $0.convolution.outputShape = [1, 4] } == [1, 2, 1, 2])
        #expect(try line { $0.convolution.outputShape = [1, 8] } == [1, 1, 2, 1, 2, 1, 1, 0])
    }

    /// Quantized filters have a scale and bias for each output channel of a group, along their second axis.
    @Test(arguments: [1, 2]) func `a deconvolution's quantized filters are read by output channel`(_ groups: Int) throws
    {
        let (scales, biases): ([Float], [Float]) = ([2, 0.5], [-3, 1])
        let filters = Tensor([Float](repeating: 0, count: 24), shape: [3, 1, 2, 4])
        let window = Window(height: Window.Axis(size: 3), width: Window.Axis(size: 1))
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let input = builder.input("input", TensorType([1, 4, 5, 2]))
        builder.output("output", try builder.one(TransposedConvolution(filters: filters, window: window), input))
        let message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        let integers = (0..<24).map { UInt8($0 * 37 % 256) }
        let numbers = integers.enumerated().map { Float($1) * scales[$0 / 3 % 2] + biases[$0 / 3 % 2] }
        func output(_ weights: Message) throws -> [Float] {
            let graph = try read(message) { layer in
                layer.convolution.nGroups = groups
                layer.convolution.outputChannels = 2 * groups
                layer.convolution["weights"] = weights
            }
            return try graph.evaluate([Tensor(noise(40), shape: [1, 4, 5, 2])])[0].floats
        }
        var quantized = Message(.weights)
        quantized.rawValue = Tensor(bytes: integers, shape: [24]).view
        quantized.quantization.numberOfBits = 8
        quantized.quantization.linearQuantization.scale = Tensor(scales, shape: [2]).view
        quantized.quantization.linearQuantization.bias = Tensor(biases, shape: [2]).view
        #expect(try output(quantized) == output(.weights(Tensor(numbers, shape: [24]))))
        // One for each input channel does not fit output channels.
        quantized.quantization.linearQuantization.scale = Tensor([1, 1, 1, 1], shape: [4]).view
        let failure = #expect(throws: Failure.self) { try output(quantized) }
        #expect(failure?.problemText.contains("4 scales and 2 biases; expected 1 or 2") == true)
    }

    // MARK: Refusals

    private struct RefusalCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operation: any Thaw.Operation
        let change: @Sendable (inout Message) -> Void
    }

    private static let upsampling = resize({ .nearest(.left, $0, $1) }, from: (4, 5), to: (8, 10))
    private static let interpolation = resize({ .linear(.corners, $0, $1) }, from: (4, 5), to: (7, 8))
    private static let normalization = LocalResponseNormalization(radius: 1, bias: 1, alpha: 1, beta: 1)

    @Test(arguments: [
        RefusalCase(testDescription: "a huge factor", operation: upsampling) {
            $0.upsample.scalingFactor = [1 << 20, 1 << 20]
        },
        RefusalCase(testDescription: "an infinite factor", operation: upsampling) {
            $0.upsample.scalingFactor = [] as [Int]
            $0.upsample.fractionalScalingFactor = [.infinity, 1] as [Float]
        },
        RefusalCase(testDescription: "a factor that leaves no pixels", operation: upsampling) {
            $0.upsample.scalingFactor = [] as [Int]
            $0.upsample.fractionalScalingFactor = [0.1, 1] as [Float]
        },
        RefusalCase(testDescription: "one factor", operation: upsampling) { $0.upsample.scalingFactor = [2] },
        RefusalCase(testDescription: "a huge target", operation: interpolation) {
            $0.resizeBilinear.targetSize = [1 << 23, 1 << 23]
        },
        RefusalCase(testDescription: "a target of height 0", operation: interpolation) {
            $0.resizeBilinear.targetSize = [0, 4]
        },
        RefusalCase(testDescription: "an even number of channels", operation: normalization) { $0.lrn.localSize = 4 },
        RefusalCase(testDescription: "a crop larger than the image", operation: transposed(before: 1, after: 0)) {
            let amounts = [(before: 9, after: 9), (before: 0, after: 0)]
            $0.crop["cropAmounts"].setBorders(amounts)
        },
        RefusalCase(testDescription: "a stride of 0", operation: transposed(before: 0, after: 1)) {
            $0.convolution.stride = [0, 1]
        },
        RefusalCase(testDescription: "a deconvolution to 2^46 pixels", operation: transposed(before: 0, after: 1)) {
            $0.convolution.outputShape = [1 << 23, 1 << 23]
        },
        RefusalCase(testDescription: "too few weights", operation: transposed(before: 0, after: 1)) {
            $0.convolution.kernelSize = [4, 4]
        },
        RefusalCase(testDescription: "weights stored twice", operation: transposed(before: 0, after: 1)) {
            $0.convolution.weights.float16Value = Tensor([Float](repeating: 0, count: 27), shape: [27]).view
        },
        RefusalCase(testDescription: "groups that do not divide", operation: transposed(before: 0, after: 1)) {
            $0.convolution.nGroups = 2
        },
    ]) private func `an invalid layer is refused`(_ refusal: RefusalCase) throws {
        let message = try message(refusal.operation, on: [1, 3, 4, 5])
        let failure = #expect(throws: Failure.self) { try read(message, refusal.change) }
        #expect(failure?.location?.isEmpty == false)
    }

    @Test func `a deconvolution applies its dilation`() throws {
        let filters = Tensor(noise(54), shape: [3, 3, 2, 3])
        func graph(_ dilation: Int) throws -> Graph {
            var builder = GraphBuilder()
            let image = builder.input("image", TensorType([1, 5, 4, 3]))
            let axis = Window.Axis(size: 3, stride: 2, dilation: dilation)
            let operation = TransposedConvolution(
                filters: filters, bias: nil, window: Window(height: axis, width: axis))
            builder.output("output", try builder.one(operation, image))
            return builder.graph
        }
        var message = try NeuralNetworkWriter.message(Model(graph: graph(1)), weights: WeightStorage(.float32))
        var layers: [Message] = message.neuralNetwork.layers
        let index = try #require(layers.firstIndex { $0.choice == "convolution" })
        layers[index].convolution.dilationFactor = [2, 2]
        message.neuralNetwork.layers = layers
        let input = Tensor(noise(60, seed: 2), shape: [1, 5, 4, 3])
        let expected = try graph(2).evaluate([input])[0]
        let read = try ModelReader.run(message).model.graph
        let order = read[read.inputs[0].value].shape == input.shape ? [0, 1, 2, 3] : Graph.toFirst
        let output = try read.evaluate([input.transposed(order)])[0]
        #expect(difference(order == Graph.toFirst ? output.transposed(Graph.toLast) : output, expected) <= 1e-6)
    }
}
