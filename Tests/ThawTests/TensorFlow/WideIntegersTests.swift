import Testing

@testable import Thaw

/// Inputs of integers of 32 and 64 bits.
@Suite struct WideIntegersTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String] = [], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func placeholder(_ name: String, _ type: DataType, _ shape: [Int]) -> NodeDefinition {
        node(name, "Placeholder", [], ["dtype": .type(type), "shape": .shape(shape)])
    }

    private static func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        node(name, "Const", [], ["value": .tensor(tensor)])
    }

    private static let numbers: [Float] = [-7, -7, 5, 2, 0, 3, -3, 9, 10, 1]
    private static let array = Tensor(numbers, shape: [2, 5])

    /// The result of the graph by the engine and the reference, and after writing it.
    /// - Parameter halves: Whether all values are also computed exactly in float16.
    private func output(
        _ nodes: [NodeDefinition], _ arrays: [(name: String?, array: Tensor)], halves: Bool = false
    ) throws -> [Float] {
        let model = Model(graph: try Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph)
        let output = try ArrayRunner(model).run(arrays)[0].array.floats
        #expect(try ArrayRunner(model, byReference: true).run(arrays)[0].array.floats == output)
        for dialect in Dialect.allCases where halves || dialect != .halfProgram {
            #expect(try ArrayRunner(dialect.roundTrip(model)).run(arrays)[0].array.floats == output, "\(dialect)")
        }
        return output
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var op: String
        /// The number that is the second operand.
        var number: Int
        var isFirst = false
        var result: [Float]

        var testDescription: String { isFirst ? "\(op)(\(number), x)" : "\(op)(x, \(number))" }
    }

    private static let cases = [
        Case(op: "Div", number: 2, result: [-3, -3, 2, 1, 0, 1, -1, 4, 5, 0]),
        Case(op: "Div", number: -4, result: [1, 1, -1, 0, 0, 0, 0, -2, -2, 0]),
        Case(op: "TruncateDiv", number: 2, result: [-3, -3, 2, 1, 0, 1, -1, 4, 5, 0]),
        Case(op: "FloorDiv", number: 2, result: [-4, -4, 2, 1, 0, 1, -2, 4, 5, 0]),
        Case(op: "FloorMod", number: 3, result: [2, 2, 2, 2, 0, 0, 0, 0, 1, 1]),
        Case(op: "AddV2", number: 1, result: [-6, -6, 6, 3, 1, 4, -2, 10, 11, 2]),
        Case(op: "Sub", number: 7, isFirst: true, result: [14, 14, 2, 5, 7, 4, 10, -2, -3, 6]),
        Case(op: "Mul", number: 1000, result: numbers.map { 1000 * $0 }),
        Case(op: "Maximum", number: 2, result: numbers.map { max(2, $0) }),
        Case(op: "Greater", number: 2, result: numbers.map { $0 > 2 ? 1 : 0 }),
        Case(op: "Equal", number: 5, result: numbers.map { $0 == 5 ? 1 : 0 }),
        Case(op: "Mean", number: 1, result: [-1, 4]),
    ]

    @Test(arguments: cases, [DataType.int32, .int64])
    func `operations with a constant compute with integers`(_ test: Case, _ type: DataType) throws {
        let element = try #require(type.element)
        let nodes = [
            Self.placeholder("x", type, [2, 5]), Self.constant("number", Tensor(Double(test.number), element: element)),
            Self.node("done", test.op, test.isFirst ? ["number", "x"] : ["x", "number"], ["T": .type(type)]),
            Self.node("y", "Cast", ["done"], ["DstT": .type(.float)]),
        ]
        #expect(try output(nodes, [(nil, Self.array)]) == test.result)
    }

    /// x + 1.
    private static func successor(_ type: DataType) throws -> Model {
        let element = try #require(type.element)
        let nodes = [
            placeholder("x", type, [1, 2]), constant("one", Tensor(1, element: element)),
            node("y", "AddV2", ["x", "one"], ["T": .type(type)]),
        ]
        return Model(graph: try Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph)
    }

    @Test(arguments: [DataType.int32, .int64], [16_777_216, -2_147_483_648])
    func `integers that float32 cannot represent stay exact`(_ type: DataType, _ number: Int) throws {
        let array = Tensor(integers: [number, 5], shape: [1, 2], element: .int64)
        for byReference in [false, true] {
            let runner = try ArrayRunner(Self.successor(type), byReference: byReference)
            let output = try runner.run([(nil, array)])[0].array
            #expect(output.integers == [number + 1, 6])
            #expect(!output.element.isFloatingPoint)
        }
    }

    @Test(arguments: [3_000_000_000, -2_147_483_649, Double.nan])
    func `a value that the input's integers cannot represent is refused`(_ value: Double) throws {
        let runner = try ArrayRunner(Self.successor(.int32))
        let failure = #expect(throws: Failure.self) {
            try runner.run([(nil, Tensor(shape: [1, 2], element: .float64) { _ in value })])
        }
        #expect(failure?.code == .wrongType)
    }

    @Test func `integers are concatenated with constants`() throws {
        let nodes = [
            Self.placeholder("x", .int32, [2, 5]),
            Self.constant("column", Tensor(integers: [8, 9], shape: [2, 1])),
            Self.constant("axis", Tensor(1, element: .int32)),
            Self.node("done", "ConcatV2", ["x", "column", "axis"], ["T": .type(.int32), "N": .int(2)]),
            Self.node("y", "Cast", ["done"], ["DstT": .type(.float)]),
        ]
        let expected: [Float] = Self.numbers.prefix(5) + [8] + Self.numbers.suffix(5) + [9]
        #expect(try output(nodes, [(nil, Self.array)]) == expected)
    }

    @Test func `two inputs of integers are divided`() throws {
        let nodes = [
            Self.placeholder("a", .int32, [2, 5]), Self.placeholder("b", .int32, [2, 5]),
            Self.constant("one", Tensor(1, element: .int32)),
            Self.node("positive", "Maximum", ["b", "one"], ["T": .type(.int32)]),
            Self.node("done", "Div", ["a", "positive"], ["T": .type(.int32)]),
            Self.node("y", "Cast", ["done"], ["DstT": .type(.float)]),
        ]
        let divisors: [Float] = [2, 0, 2, 3, 4, 2, 2, 2, 3, 1]
        let arrays: [(name: String?, array: Tensor)] = [
            ("a", Self.array), ("b", Tensor(divisors, shape: [2, 5])),
        ]
        #expect(try output(nodes, arrays) == [-3, -7, 2, 0, 0, 1, -1, 4, 3, 1])
    }

    /// 41 times the inverse of 41 is less than 1 in single precision.
    @Test func `a mean of integers is exact`() throws {
        let nodes = [
            Self.placeholder("x", .int32, [2, 41]), Self.constant("axes", Tensor(integers: [1], shape: [1])),
            Self.node("done", "Mean", ["x", "axes"], ["T": .type(.int32)]),
            Self.node("y", "Cast", ["done"], ["DstT": .type(.float)]),
        ]
        let values = (0..<82).map { $0 < 41 ? Float(1) : $0 == 41 ? -1 : -3 }
        #expect(try output(nodes, [(nil, Tensor(values, shape: [2, 41]))]) == [1, -2])
    }

    @Test func `the integers of an image are divided and averaged`() throws {
        let nodes = [
            Self.placeholder("x", .int32, [1, 2, 1, 3]), Self.constant("two", Tensor(2, element: .int32)),
            Self.node("half", "Div", ["x", "two"], ["T": .type(.int32)]),
            Self.constant("axes", Tensor(integers: [1, 2], shape: [2])),
            Self.node("done", "Mean", ["half", "axes"], ["T": .type(.int32)]),
            Self.node("y", "Cast", ["done"], ["DstT": .type(.float)]),
        ]
        let image = Tensor([7, 250, 5, 3, 101, 0], shape: [1, 2, 1, 3])
        #expect(try output(nodes, [(nil, image)]) == [2, 87, 1])
    }

    @Test func `the bytes of an image are divided`() throws {
        let nodes = [
            Self.placeholder("x", .uint8, [1, 1, 2, 3]), Self.constant("three", Tensor(3, element: .uint8)),
            Self.node("done", "Div", ["x", "three"], ["T": .type(.uint8)]),
            Self.node("y", "Cast", ["done"], ["SrcT": .type(.uint8), "DstT": .type(.float)]),
        ]
        let image = Tensor([7, 250, 5, 3, 2, 255], shape: [1, 1, 2, 3])
        #expect(try output(nodes, [(nil, image)]) == [2, 83, 1, 1, 0, 85])
    }

    struct IndexCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var type = DataType.int64
        /// The nodes that select by the input "x".
        let nodes: [NodeDefinition]
    }

    private static let indexCases = [
        IndexCase(testDescription: "a gather", nodes: [node("y", "GatherV2", ["table", "x", "axis"])]),
        IndexCase(
            testDescription: "a gather by another integer type",
            nodes: [
                node("wide", "Cast", ["x"], ["SrcT": .type(.int64), "DstT": .type(.int32)]),
                node("y", "GatherV2", ["table", "wide", "axis"]),
            ]),
        IndexCase(
            testDescription: "a gather of slices",
            nodes: [
                constant("shape", Tensor(integers: [1, 5, 1], shape: [3])), node("column", "Reshape", ["x", "shape"]),
                node("y", "GatherNd", ["table", "column"]),
            ]),
        IndexCase(
            testDescription: "one-hot vectors",
            nodes: [
                constant("depth", Tensor(5000, element: .int32)), constant("on", Tensor(1)), constant("off", Tensor(0)),
                node("vectors", "OneHot", ["x", "depth", "on", "off"], ["axis": .int(-1)]),
                constant("column", Tensor(integers: [5000, 1], shape: [2])),
                node("tall", "Reshape", ["table", "column"]),
                node("y", "BatchMatMulV2", ["vectors", "tall"]),
            ]),
        IndexCase(
            testDescription: "a gather by floating-point numbers that are cast", type: .float,
            nodes: [
                constant("half", Tensor(0.5)), node("larger", "AddV2", ["x", "half"], ["T": .type(.float)]),
                node("whole", "Cast", ["larger"], ["SrcT": .type(.float), "DstT": .type(.int32)]),
                node("y", "GatherV2", ["table", "whole", "axis"]),
            ]),
        IndexCase(
            testDescription: "a gather by integers of 16 bits", type: .int16,
            nodes: [
                node("wide", "Cast", ["x"], ["SrcT": .type(.int16), "DstT": .type(.int32)]),
                node("y", "GatherV2", ["table", "wide", "axis"]),
            ]),
    ]

    @Test(arguments: indexCases) func `indices may exceed the integers of float16`(_ test: IndexCase) throws {
        let table = Tensor((0..<5000).map { Float($0 % 7) }, shape: [5000])
        let nodes =
            [
                Self.placeholder("x", test.type, [1, 5]), Self.constant("table", table),
                Self.constant("axis", Tensor(0, element: .int32)),
            ] + test.nodes
        let indices: [Float] = [0, 2047, 2049, 3001, 4999]
        let expected = indices.map { Float(Int($0) % 7) }
        #expect(try output(nodes, [(nil, Tensor(indices, shape: [1, 5]))], halves: true) == expected)
    }

    @Test(arguments: [DataType.int32, .int64])
    func `integers that are cast to bytes wrap around`(_ type: DataType) throws {
        let nodes = [
            Self.placeholder("x", type, [1, 5]),
            Self.node("byte", "Cast", ["x"], ["SrcT": .type(type), "DstT": .type(.uint8)]),
            Self.node("y", "Cast", ["byte"], ["SrcT": .type(.uint8), "DstT": .type(.float)]),
        ]
        let array = Tensor([0, 255, 256, -1, 5000], shape: [1, 5])
        #expect(try output(nodes, [(nil, array)]) == [0, 255, 0, 255, 136])
    }

    @Test func `integers that are only cast are floating point, unless they are to be kept`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("x", .int32, [2, 5]), Self.node("z", "Cast", ["x"], ["DstT": .type(.float)]),
            Self.node("y", "Sqrt", ["z"], ["T": .type(.float)]),
        ])
        var options = Converter.Options()
        let plain = try Converter(options).convert(graph: graph).model.graph
        #expect(plain[plain.inputs[0].value].element == .float32)
        #expect(plain.nodes.count == 1)
        options.keepsIntegers = true
        let kept = try Converter(options).convert(graph: graph).model.graph
        #expect(kept[kept.inputs[0].value].element == .int32)
        options = Converter.Options()
        var own = InputOptions()
        own.keepsIntegers = true
        options.inputs["x"] = own
        let named = try Converter(options).convert(graph: graph).model.graph
        #expect(named[named.inputs[0].value].element == .int32)
    }
}
