import Testing

@testable import Thaw

/// Operations on constants. Their results are compared with TensorFlow by the graphs of `known/`. Here are the inputs
/// that they refuse, and cases that TensorFlow does not write.
@Suite struct ConstantOperationTests {
    /// The image is used if an input is nil.
    struct Refused: CustomTestStringConvertible, Sendable {
        let op: String
        let inputs: [Tensor?]
        var attributes: [String: Attribute] = [:]
        let words: String

        init(_ op: String, _ inputs: [Tensor?], _ words: String, _ attributes: [String: Attribute] = [:]) {
            (self.op, self.inputs, self.words, self.attributes) = (op, inputs, words, attributes)
        }

        var testDescription: String { "\(op): \(words)" }
    }

    private static func list(_ integers: Int...) -> Tensor { Tensor(integers: integers, shape: [integers.count]) }
    private static func number(_ integer: Int) -> Tensor { Tensor(Double(integer), element: .int32) }
    private static func ones(_ shape: Shape) -> Tensor { Tensor(shape: shape, element: .float32) { _ in 1 } }

    static let refused = [
        Refused("BroadcastArgs", [nil, list(3)], "the first shape depends on the input"),
        Refused("BroadcastArgs", [list(3), nil], "the second shape depends on the input"),
        Refused("BroadcastArgs", [list(2, 3), list(2)], "shapes [2, 3] and [2] cannot be combined"),
        Refused("BroadcastArgs", [number(3), list(3)], "the input has shape []"),

        Refused("MatrixDiag", [nil], "the diagonal depends on the input"),
        Refused("MatrixDiag", [ones([])], "the diagonal has no elements"),
        Refused("MatrixDiag", [ones([1 << 14])], "[16384, 16384] would be computed during the import"),
        Refused(
            "MatrixDiagV3", [nil, number(0), number(-1), number(-1), ones([])], "the diagonal depends on the input"),
        Refused(
            "MatrixDiagV3", [ones([3]), nil, number(-1), number(-1), ones([])],
            "the list of diagonals depends on the input"),
        Refused(
            "MatrixDiagV3", [ones([3]), list(1, 0), number(-1), number(-1), ones([])],
            "[1, 0] are not valid diagonals"),
        Refused(
            "MatrixDiagV3", [ones([3]), list(0, 1, 2), number(-1), number(-1), ones([])],
            "[0, 1, 2] are not valid diagonals"),
        Refused(
            "MatrixDiagV3",
            [ones([3]), Tensor(-0x1p63, element: .int64), number(-1), number(-1), ones([])],
            "are not valid diagonals"),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), number(2), number(-1), ones([])],
            "diagonals of shape [3] do not fit 2 rows and 3 columns"),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), number(4), number(5), ones([])],
            "diagonals of shape [3] do not fit 4 rows and 5 columns"),
        Refused(
            "MatrixDiagV2", [ones([3, 3]), list(0, 1), number(-1), number(-1), ones([])],
            "diagonals of shape [3, 3] do not fit 3 rows and 3 columns"),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), nil, number(-1), ones([])], "the number of rows depends on the input"
        ),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), number(-1), nil, ones([])],
            "the number of columns depends on the input"),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), number(-1), number(-1), ones([2])], "the padding value has 2 values"),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), number(-1), number(-1), nil],
            "the padding value depends on the input"),
        Refused(
            "MatrixDiagV2", [ones([3]), number(0), Tensor(0x1p62, element: .int64), number(-1), ones([])],
            "would be computed during the import"),
        Refused(
            "MatrixDiagV3", [ones([3]), number(0), number(-1), number(-1), ones([])], "'align'",
            ["align": .string("CENTER")]),

        Refused("MatrixSetDiag", [nil, ones([2])], "the matrix depends on the input"),
        Refused("MatrixSetDiag", [ones([2, 2]), nil], "the diagonal depends on the input"),
        Refused("MatrixSetDiag", [ones([2]), ones([2])], "expected at least 2 axes"),
        Refused("MatrixSetDiag", [ones([2, 3]), ones([3])], "diagonals of shape [3] do not fit 2 rows and 3 columns"),
        Refused("MatrixSetDiagV3", [ones([2, 3]), ones([1]), number(3)], "do not fit 2 rows and 3 columns"),
        Refused("MatrixSetDiagV3", [ones([2, 3]), list(1, 1), number(0)], "do not fit 2 rows and 3 columns"),
        Refused(
            "MatrixSetDiagV3", [ones([2, 3]), ones([2]), number(0)], "'align'", ["align": .int(3)]),

        Refused("MatrixDiagPart", [ones([2])], "expected at least 2 axes"),
        Refused("MatrixDiagPartV3", [nil, list(0, 1), ones([])], "several diagonals are not supported; expected one"),
        Refused("MatrixDiagPartV3", [nil, number(3), ones([])], "2 rows and 3 columns has no diagonal 3"),
        Refused("MatrixDiagPartV3", [nil, nil, ones([])], "the list of diagonals depends on the input"),

        Refused("MatrixBandPart", [ones([2, 2]), nil, number(0)], "the num_lower depends on the input"),
        Refused("MatrixBandPart", [ones([2, 2]), number(0), nil], "the num_upper depends on the input"),
        Refused("MatrixBandPart", [ones([2, 2]), number(0), list(1, 2)], "num_upper"),
        Refused("MatrixBandPart", [ones([2]), number(0), number(0)], "expected at least 2 axes"),

        Refused("Where", [nil], "the condition depends on the input"),
        Refused("ScatterNd", [nil, ones([1]), list(4)], "the list of indices depends on the input"),
        Refused("ScatterNd", [list(0), nil, list(4)], "the tensor of updates depends on the input"),
        Refused("ScatterNd", [list(0), ones([]), nil], "the shape depends on the input"),
        Refused("ScatterNd", [list(4), ones([]), list(4)], "index [4] is out of bounds for a tensor of shape [4]"),
        Refused("ScatterNd", [list(0, -1), ones([]), list(4, 2)], "index [0, -1] is out of bounds"),
        Refused("ScatterNd", [list(0, 0), ones([]), list(4)], "shapes [] and [2] are incompatible"),
        Refused("ScatterNd", [list(0), ones([2]), list(4)], "shapes [2] and [1] are incompatible"),
        Refused("ScatterNd", [number(0), ones([]), list(4)], "shapes [] and [] are incompatible"),
        Refused("ScatterNd", [list(0), ones([]), list(1 << 27)], "would be computed during the import"),
        Refused(
            "ScatterNd", [list(0), ones([]), list(-3)],
            "a tensor of shape [-3] cannot be computed; sizes are at least 0"),
        Refused("GatherNd", [nil, list(0, 9)], "index [0, 9] is out of bounds"),
        Refused("TensorScatterUpdate", [nil, list(0), ones([])], "the tensor depends on the input"),
        Refused("TensorScatterUpdate", [ones([4]), nil, ones([])], "the list of indices depends on the input"),
        Refused("TensorScatterUpdate", [ones([4]), list(0), nil], "the tensor of updates depends on the input"),
        Refused("TensorScatterUpdate", [ones([4]), list(5), ones([])], "index [5] is out of bounds"),
        Refused("TensorScatterUpdate", [ones([4]), list(1), list(1).reshaped([])], "the types float32 and int32"),
        Refused(
            "BroadcastTo", [ones([]), Tensor(integers: Array(repeating: 1, count: 65_537), shape: [65_537])],
            "the shape has 65537 elements"),
        Refused(
            "SplitV", [nil, list(3, 0), number(1)], "axis 1 of shape [1, 4, 2, 3] cannot be split into parts of [3, 0]"),
        Refused("SplitV", [nil, list(3, 2), number(1)], "cannot be split into parts of [3, 2]"),
        Refused("SplitV", [nil, list(5, -1), number(1)], "cannot be split into parts of [5, -1]"),
        Refused(
            "FakeQuantWithMinMaxVars", [nil, Tensor(0.5), Tensor(0.5)],
            "[0.5] to [0.5] are not valid quantization ranges"),
        Refused("Unique", [nil], "the list depends on the input"),
        Refused("Unique", [ones([2, 2])], "the input has shape [2, 2]; expected 1 axis"),
    ]

    private func graph(_ op: String, _ inputs: [Tensor?], _ attributes: [String: Attribute]) -> GraphDefinition {
        let constants = inputs.enumerated().compactMap { index, tensor in
            tensor.map { NodeDefinition(name: "c\(index)", op: "Const", attributes: ["value": .tensor($0)]) }
        }
        let names = inputs.enumerated().map { $1 == nil ? "x" : "c\($0)" }
        return GraphDefinition(
            nodes: [
                NodeDefinition(
                    name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 4, 2, 3])])
            ] + constants + [
                NodeDefinition(name: "known", op: op, inputs: names, attributes: attributes),
                NodeDefinition(name: "number", op: "Cast", inputs: ["known"], attributes: ["DstT": .type(.float)]),
                NodeDefinition(name: "all", op: "Sum", inputs: ["number", "axis"]),
                NodeDefinition(
                    name: "axis", op: "Const", attributes: ["value": .tensor(ConstantOperationTests.list(0))]),
                NodeDefinition(name: "y", op: "Add", inputs: ["x", "all"]),
            ])
    }

    @Test(arguments: refused) func `impossible operations are refused by name with the reason`(
        _ refused: Refused
    ) throws {
        let graph = graph(refused.op, refused.inputs, refused.attributes)
        let failure = try #require(throws: Failure.self) {
            try Importer.run(graph, ImportOptions())
        }
        #expect(failure.description.contains("known (\(refused.op))"), "\(failure.description)")
        #expect(failure.description.contains(refused.words), "\(failure.description)")
    }

    private func results(_ op: String, _ inputs: [Tensor], _ attributes: [String: Attribute] = [:]) throws -> [Tensor] {
        let definition = NodeDefinition(name: "known", op: op, inputs: [], attributes: attributes)
        var context = ImportContext()
        let node = TensorFlowNode(definition: definition, inputs: inputs.map { .constant($0) })
        return try Operations.tensorFlow[op]!.build(node, &context).map { try #require($0.constant) }
    }

    @Test func `a band of a computed matrix is kept`() throws {
        var context = ImportContext()
        let definition = NodeDefinition(name: "band", op: "MatrixBandPart", inputs: [])
        let x = context.builder.input("x", TensorType([2, 3, 3]))
        let node = TensorFlowNode(
            definition: definition,
            inputs: [.edge(x, TensorType([2, 3, 3])), .constant(Self.number(1)), .constant(Self.number(0))])
        let band = try Operations.tensorFlow["MatrixBandPart"]!.build(node, &context)[0]
        context.builder.output("y", try context.edge(band, name: "y"))
        let numbers = (1...18).map(Float.init)
        let result = try context.builder.graph.evaluate([Tensor(numbers, shape: [2, 3, 3])])[0]
        #expect(result.floats == [1, 0, 0, 4, 5, 0, 0, 8, 9, 10, 0, 0, 13, 14, 0, 0, 17, 18])
    }

    @Test func `all computed constants share a limit`() throws {
        var context = ImportContext(bytesLeft: 100)
        let sixteenBytes = { Operand.constant(Self.ones([4])) }
        for _ in 0..<6 { try context.count([sixteenBytes()], from: []) }
        // The memory of an input, or of a file, is not counted.
        let input = Self.ones([8])
        try context.count([.constant(input.reshaped([2, 4]))], from: [.constant(input)])
        let file = Tensor.Storage(viewing: input.bytes, of: input.storage)
        try context.count([.constant(Tensor(shape: [8], element: .float32, storage: file))], from: [])
        #expect(context.bytesLeft == 4)
        #expect(throws: Failure.constantsTooLarge()) { try context.count([sixteenBytes()], from: []) }
    }

    @Test func `shapes, indices and values have TensorFlow's types`() throws {
        let long = Tensor(integers: [2, 1], shape: [2], element: .int64)
        #expect(try results("BroadcastArgs", [Self.list(3), Self.list(2, 1)]) == [Self.list(2, 3)])
        #expect(
            try results("BroadcastArgs", [long, long])[0] == Tensor(integers: [2, 1], shape: [2], element: .int64))
        #expect(
            try results("Where", [Tensor(shape: [3], element: .bool) { _ in 0 }])[0]
                == Tensor(integers: [], shape: [0, 1], element: .int64))
        #expect(
            try results("Where", [Tensor(1, element: .bool)])[0]
                == Tensor(integers: [], shape: [1, 0], element: .int64))
        let unique = try results("Unique", [long], ["out_idx": .type(.int64)])
        #expect(unique == [long, Tensor(integers: [0, 1], shape: [2], element: .int64)])
        #expect(try results("Unique", [long])[1].element == .int32)
        let flags = Tensor(shape: [2], element: .bool) { _ in 1 }
        #expect(try results("MatrixDiag", [flags])[0].element == .bool)
        #expect(
            try results("ScatterNd", [Self.list(1, 1).reshaped([2, 1]), flags, Self.list(3)])[0].integers == [0, 1, 0])
    }

    @Test func `values are TensorFlow's`() throws {
        // In double precision the range would have a fourth value.
        #expect(try results("Range", [Tensor(0), Tensor(0.3), Tensor(0.1)])[0].shape == [3])
        #expect(try results("Range", [Self.number(1), Self.number(8), Self.number(3)])[0].integers == [1, 4, 7])
        #expect(
            try results("ClipByValue", [Tensor([0, 2, 5], shape: [3]), Tensor(3), Tensor(1)])[0].floats == [3, 3, 3])
        let bias = Tensor([1, 2, 3], shape: [3])
        let zeros = Tensor(shape: [1, 3, 3], element: .float32) { _ in 0 }
        #expect(
            try results("BiasAdd", [zeros, bias], ["data_format": .string("NCHW")])[0].floats
                == [1, 1, 1, 2, 2, 2, 3, 3, 3])
        #expect(try results("BiasAdd", [zeros, bias])[0].floats == [1, 2, 3, 1, 2, 3, 1, 2, 3])
        let volume = try results(
            "BiasAdd", [zeros.reshaped([1, 3, 3, 1, 1]), bias], ["data_format": .string("NCHW")])[0]
        #expect(volume.floats == [1, 1, 1, 2, 2, 2, 3, 3, 3])
        let padded = try results(
            "PadV2", [Self.list(1), Self.list(1, 0).reshaped([1, 2]), Self.number(16_777_217)])[0]
        #expect(padded.integers == [16_777_217, 1])
        let matrix = Self.list(1, 2, 3, 4).reshaped([2, 2])
        #expect(try results("MatMul", [matrix, matrix])[0] == Self.list(7, 10, 15, 22).reshaped([2, 2]))
        let large = Self.number(16_777_217).reshaped([1, 1])
        #expect(try results("MatMul", [large, Self.number(1).reshaped([1, 1])])[0].integers == [16_777_217])
        let largest = try results(
            "TopKV2", [Tensor([1, 3, 2], shape: [3]), Self.number(2)], ["index_type": .type(.int64)])
        #expect(
            largest == [Tensor([3, 2], shape: [2]), Tensor(integers: [1, 2], shape: [2], element: .int64)])
    }

    @Test func `a quantization range from 0 to 0 results in 0`() throws {
        let x = Tensor([-1, 0, 2], shape: [3])
        #expect(try results("FakeQuantWithMinMaxVars", [x, Tensor(0), Tensor(0)])[0].floats == [0, 0, 0])
    }

    @Test func `channels first requires four axes`() throws {
        let failure = #expect(throws: Failure.self) {
            try results(
                "DepthToSpace", [Self.ones([1, 4, 2])], ["data_format": .string("NCHW"), "block_size": .int(2)])
        }
        #expect(failure?.description.contains("expected 4 axes") == true)
    }

    @Test func `of several updates to an index, the last one counts`() throws {
        let indices = Self.list(1, 0, 1).reshaped([3, 1])
        let updated = try results(
            "TensorScatterUpdate", [Self.ones([3]), indices, Tensor([5, 6, 7], shape: [3])])
        #expect(updated == [Tensor([6, 7, 1], shape: [3])])
    }
}
