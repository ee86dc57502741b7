import Testing

@testable import Thaw

/// Models with a field value that no tool writes. They are refused with the reason; none may crash the process.
@Suite struct HostileModelTests {
    /// A network on an image of 6 channels, with one layer whose fields `change` sets.
    private static func network(_ change: (inout Message) -> Void) throws -> Message {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let input = builder.input("input", TensorType([1, 6, 4, 4]))
        builder.output("output", try builder.one(Unary(.relu), input))
        var message = try NeuralNetworkWriter.message(Model(graph: builder.graph))
        var layers: [Message] = message.neuralNetwork.layers
        change(&layers[0])
        message.neuralNetwork.layers = layers
        // Layers since iOS 13 take arrays only with their own axes.
        message.neuralNetwork.arrayInputShapeMapping = "EXACT_ARRAY_MAPPING"
        var inputs: [Message] = message.description.input
        inputs[0].type.multiArrayType.shape = [1, 6, 4, 4]
        message.description.input = inputs
        return message
    }

    private struct Layer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let words: String
        let change: @Sendable (inout Message) -> Void
    }

    private static let largest = Int.max

    @Test(arguments: [
        Layer(testDescription: "an activation without a kind", words: "the type of the activation is missing") {
            $0.activation = Message(MessageType.layer.type(of: "activation"))
        },
        Layer(testDescription: "2^63 − 1 groups", words: "\(largest) groups of 2 channels") {
            $0.convolution.nGroups = largest
            $0.convolution.outputChannels = 2
            $0.convolution.kernelChannels = 2
        },
        Layer(testDescription: "2^63 − 1 channels in each of two groups", words: "2 groups of \(largest) channels") {
            $0.convolution.nGroups = 2
            $0.convolution.outputChannels = 2
            $0.convolution.kernelChannels = largest
        },
        Layer(testDescription: "2^63 − 1 channels from a deconvolution", words: "not a valid weight shape") {
            $0.convolution.isDeconvolution = true
            $0.convolution.outputChannels = largest
        },
        Layer(testDescription: "parts of 2^63 − 1", words: "is outside the tensor") {
            $0.splitND.axis = 1
            $0.splitND.splitSizes = [largest, largest]
        },
        Layer(testDescription: "2^63 − 1 parts", words: "\(largest) equal parts") {
            $0.splitND.axis = 1
            $0.splitND.numSplits = largest
        },
        Layer(testDescription: "a reshape to 2^120 elements", words: "cannot be reshaped to") {
            $0.reshape.targetShape = [1 << 40, 1 << 40, 1 << 40]
        },
        Layer(testDescription: "a slice that begins at 2^63 − 1", words: "is outside the tensor") {
            $0.sliceStatic.beginIds = [0, largest, 0, 0]
            $0.sliceStatic.endIds = [1, 1, 4, 4]
            $0.sliceStatic.strides = [1, 1, 1, 1]
            $0.sliceStatic.beginMasks = [false, false, false, false]
            $0.sliceStatic.endMasks = [false, false, false, false]
            $0.sliceStatic.squeezeMasks = [false, true, false, false]
        },
    ]) private func `a layer with impossible values is refused`(_ layer: Layer) throws {
        let message = try Self.network(layer.change)
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.description.contains(layer.words) == true, "\(failure?.description ?? "")")
    }

    @Test(arguments: HostileNode.refused)
    private func `a layer or an operation that asks for too much is refused`(_ node: HostileNode) throws {
        var context = ImportContext(channelOrder: .channelsFirst)
        let failure = #expect(throws: Failure.self) { try node.add(&context) }
        #expect(failure?.description.contains(node.words) == true, "\(failure?.description ?? "")")
    }

    @Test func `a tensor without elements is flattened`() throws {
        var context = ImportContext(channelOrder: .channelsFirst)
        func shape(_ node: HostileNode) throws -> Shape { try node.add(&context)[0].shape }
        let images = HostileNode.layer("flatten", "", { _ in [.ones([0, 2, 2, 2])] })
        #expect(try shape(images) == [0, 8, 1, 1])
        let rows = HostileNode.layer("flattenTo2D", "", { _ in [.ones([0, 3])] }, change: { $0.flattenTo2D.axis = 1 })
        #expect(try shape(rows) == [0, 3])
        let operation = HostileNode.operation("flatten2d", "") { _ in ["x": [.ones([0, 3])]] }
        #expect(try shape(operation) == [0, 3])
    }

    @Test func `a list of sizes that is too long is refused`() throws {
        let list = Operand.constant(Tensor(integers: Array(repeating: 1, count: 65_537), shape: [65_537]))
        let layer = NeuralLayer(
            name: "l", kind: "reshapeDynamic", parameters: Message(MessageType.layer), inputs: [list], outputCount: 1)
        let operation = MILRead(
            name: "o", kind: "reshape", arguments: ["shape": [.operand(list)]], outputCount: 1)
        let failures = [
            #expect(throws: Failure.self) { try layer.integers(0) },
            #expect(throws: Failure.self) { try operation.integers("shape") },
        ]
        for (failure, subject) in zip(failures, ["input 0", "the argument 'shape'"]) {
            let text = failure?.description ?? ""
            #expect(text.contains("\(subject) has 65537 elements"), "\(text)")
        }
    }

    @Test(arguments: ["INT32", "INT64", "BOOL"]) func `a program's image that is not floating-point is refused`(
        _ element: String
    ) throws {
        var builder = GraphBuilder()
        let value = builder.input("image", TensorType([1, 4, 4, 3]))
        builder.output("output", try builder.one(Unary(.relu), value))
        let image = ImageInput(name: "image", width: 4, height: 4, color: .rgb)
        var message = try ProgramWriter.run(Model(graph: builder.graph, image: image)).message
        var functions: [Message] = message.mlProgram.functions
        var inputs: [Message] = functions[0]["value"].inputs
        inputs[0]["type"]["tensorType"]["dataType"] = element
        functions[0]["value"].inputs = inputs
        message.mlProgram.functions = functions
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.description.contains("the input 'image' is an image") == true, "\(failure?.description ?? "")")
    }
}

/// A layer, or an operation of a program, that a few bytes in a file describe.
private struct HostileNode: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Text that the message must contain.
    let words: String
    let add: @Sendable (inout ImportContext) throws -> [Operand]

    static func layer(
        _ kind: String, _ words: String, _ inputs: @escaping @Sendable (inout ImportContext) -> [Operand],
        change: @escaping @Sendable (inout Message) -> Void = { _ in }
    ) -> HostileNode {
        HostileNode(testDescription: "\(kind): \(words)", words: words) { context in
            var message = Message(.layer)
            message.choose(kind)
            change(&message)
            let layer = NeuralLayer(
                name: "l", kind: kind, parameters: message[kind], inputs: inputs(&context), outputCount: 1)
            return try Operations.neural[kind]!.build(layer, &context)
        }
    }

    static func operation(
        _ kind: String, _ words: String,
        _ arguments: @escaping @Sendable (inout ImportContext) -> [String: [Operand]]
    ) -> HostileNode {
        HostileNode(testDescription: "\(kind): \(words)", words: words) { context in
            let operands = arguments(&context)
            let operation = MILRead(
                name: "o", kind: kind, arguments: operands.mapValues { $0.map { .operand($0) } }, outputCount: 1)
            return try Operations.mil[kind]!.build(operation, &context)
        }
    }

    static let refused: [HostileNode] = [
        layer(
            "sliceBySize", "a slice of size 1 does not fit", { _ in [.ones([2, 0]), .ones([1])] },
            change: {
                $0.sliceBySize.axis = 1
                $0.sliceBySize.size = 1
            }),
        layer(
            "sliceBySize", "shape [8388608] would be computed", { [.input([8_388_608], &$0), .input([1], &$0)] },
            change: { $0.sliceBySize.size = 8_388_608 }),
        layer(
            "slidingWindows", "shape [524289, 524288] would be computed", { [.input([1_048_576], &$0)] },
            change: {
                $0.slidingWindows.windowSize = 524_288
                $0.slidingWindows.step = 1
            }),
        layer("lowerTriangular", "shape [1048576, 256] would be computed", { [.input([1_048_576, 256], &$0)] }),
        layer(
            "split", "cannot be split into 1048576 equal parts", { [.input([1, 1_048_576, 1, 1], &$0)] },
            change: { $0.split.nOutputs = 1_048_576 }),
        layer(
            "simpleRecurrent", "shape [8388608, 1] would be computed", { [.input([1, 8_388_608, 1, 1, 1], &$0)] },
            change: {
                $0.simpleRecurrent.inputVectorSize = 1
                $0.simpleRecurrent.outputVectorSize = 1
                $0.simpleRecurrent.activation.choose("tanh")
                $0.simpleRecurrent.weightMatrix = .weights(Tensor([1], shape: [1, 1]))
                $0.simpleRecurrent.recursionMatrix = .weights(Tensor([1], shape: [1, 1]))
            }),
        layer(
            "pooling3d", "shape [8388608] would be computed", { [.input([1, 1, 8_388_608, 1, 1], &$0)] },
            change: {
                $0.pooling3d.type = "AVERAGE"
                for axis in ["Depth", "Height", "Width"] {
                    $0.pooling3d["kernel" + axis] = 1
                    $0.pooling3d["stride" + axis] = 1
                }
                $0.pooling3d.paddingType = "VALID"
            }),
        // The results are small enough, but take too much work.
        layer(
            "lrn", "would be computed during the import", { _ in [.ones([1, 1_048_576, 1, 1])] },
            change: { $0.lrn.localSize = 2_097_153 }),
        layer(
            "pooling", "would be computed during the import", { _ in [.ones([1, 1, 1, 1])] },
            change: {
                let border = 4_194_304
                $0.pooling.kernelSize = [2 * border, 2 * border]
                $0.pooling["valid"]["paddingAmounts"].setBorders([(border, border), (border, border)])
            }),
        operation("tile", "the limit is 2^29 elements") {
            ["x": [.input([1 << 20], &$0)], "reps": [.integers([1 << 10])]]
        },
        operation("split", "cannot be split into 1048576 equal parts") {
            ["x": [.input([1_048_576], &$0)], "num_splits": [.integer(1_048_576)], "axis": [.integer(0)]]
        },
        operation("batch_norm", "'mean'") {
            ["x": [.input([1, 1 << 28, 1], &$0)], "mean": [.ones([1])], "variance": [.ones([1])]]
        },
        operation("affine", "does not fit an image") {
            [
                "x": [.input([1, 1, 2, 2], &$0)], "transform_matrix": [.input([1, 6], &$0)],
                "output_height": [.integer(65_536)], "output_width": [.integer(65_536)],
            ]
        },
        operation("conv_transpose", "would be computed during the import") { _ in
            ["x": [.ones([1, 1, 1, 1])], "weight": [.ones([1, 1, 262_144, 1])]]
        },
        operation("non_maximum_suppression", "would be computed during the import") { _ in
            [
                "boxes": [.ones([1, 262_144, 4])], "scores": [.ones([1, 262_144, 1])],
                "iou_threshold": [.ones([])], "score_threshold": [.ones([])], "max_boxes": [.integer(262_144)],
            ]
        },
        operation("reshape_like", "cannot be reshaped to") { context in
            let x = Operand.input([4_194_304], &context)
            let (zero, one) = (Operand.integer(0), Operand.integer(1))
            return [
                "x": [x], "ref_tensors": [x, x, x], "begins": [zero, zero, zero], "ends": [one, one, one],
                "end_masks": [zero, zero, zero],
            ]
        },
        operation("sliding_windows", "shape [524289, 524288] would be computed") {
            ["x": [.input([1_048_576], &$0)], "axis": [.integer(0)], "size": [.integer(524_288)]]
        },
        operation("slice_update", "shape [1073741824] would be computed") { context in
            let x = Operand.input([1_073_741_824], &context)
            return ["x": [x], "update": [x], "begin": [.integers([0])], "end": [.integers([1_073_741_824])]]
        },
        operation("slice_by_size", "shape [8388608] would be computed") {
            [
                "x": [.input([8_388_608], &$0)], "begin": [.input([1], element: .int32, &$0)],
                "size": [.integers([8_388_608])],
            ]
        },
        operation("reverse_sequence", "shape [8388608] would be computed") {
            [
                "x": [.input([1, 8_388_608], &$0)], "lengths": [.input([1], element: .int32, &$0)],
                "seq_axis": [.integer(1)], "batch_axis": [.integer(0)],
            ]
        },
        operation("gather", "shape [8388608] would be computed") {
            [
                "x": [.input([8_388_608, 1], &$0)], "indices": [.input([8_388_608, 1], element: .int32, &$0)],
                "axis": [.integer(1)], "batch_dims": [.integer(1)],
            ]
        },
        operation("crop_resize", "shape [4096, 4096] would be computed") {
            ["x": [.input([4096, 1, 1, 1], &$0)], "roi": [.input([4096, 4, 1, 1], &$0)]]
        },
        operation("crop_resize", "shape [8388608] would be computed") {
            ["x": [.input([1, 1, 1, 1], &$0)], "boxes": [.input([8_388_608, 4], &$0)]]
        },
    ]
}

extension Operand {
    fileprivate static func ones(_ shape: Shape) -> Operand {
        .constant(Tensor(shape: shape, element: .float32) { _ in 1 })
    }

    fileprivate static func integer(_ integer: Int) -> Operand { .constant(Tensor(integers: [integer], shape: [])) }

    fileprivate static func integers(_ integers: [Int]) -> Operand {
        .constant(Tensor(integers: integers, shape: [integers.count]))
    }

    /// An input of the graph.
    fileprivate static func input(
        _ shape: Shape, element: ElementType = .float32, _ context: inout ImportContext
    ) -> Operand {
        let type = TensorType(shape, element)
        return .edge(context.builder.input("input", type), type)
    }
}
