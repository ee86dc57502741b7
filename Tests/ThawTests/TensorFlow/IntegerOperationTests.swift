import Testing

@testable import Thaw

/// Operations on computed integers.
@Suite struct IntegerOperationTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String] = [], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func list(_ name: String, _ integers: [Int], _ shape: Shape) -> NodeDefinition {
        node(name, "Const", [], ["value": .tensor(Tensor(integers: integers, shape: shape))])
    }

    @Test func `a product of integers and a constant matrix is an integer`() throws {
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 2, 2, 1])]),
            Self.node("whole", "Cast", ["x"], ["DstT": .type(.int32)]),
            Self.list("sizes", [2, 2], [2]), Self.node("rows", "Reshape", ["whole", "sizes"]),
            Self.list("matrix", [1, 2, 3, 4], [2, 2]), Self.node("product", "MatMul", ["rows", "matrix"]),
            Self.list("ten", [10], []), Self.node("sum", "AddV2", ["product", "ten"]),
            Self.node("y", "Cast", ["sum"], ["DstT": .type(.float)]),
        ]
        let model = Model(graph: try Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph)
        let input = Tensor([1, 2, 3, 4], shape: [1, 2, 2, 1])
        let expected: [Float] = [17, 20, 25, 32]
        #expect(try model.graph.evaluate([input])[0].floats == expected)
        #expect(try Program(model.graph).run([input], threads: 1)[0].floats == expected)
        #expect(try Dialect.program.roundTrip(model).graph.evaluate([input])[0].floats == expected)
    }

    /// The products exceed 8 bits.
    @Test(arguments: [DataType.int8, .uint8]) func `a product of 8-bit integers has 32 bits if declared so`(
        _ type: DataType
    ) throws {
        let element = try #require(type.element)
        let matrix = Tensor(integers: [100, 2, 3, 100], shape: [2, 2], element: element)
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 2, 2, 1])]),
            Self.node("bytes", "Cast", ["x"], ["DstT": .type(type)]),
            Self.list("sizes", [2, 2], [2]), Self.node("rows", "Reshape", ["bytes", "sizes"]),
            Self.node("matrix", "Const", [], ["value": .tensor(matrix)]),
            Self.node("product", "BatchMatMulV3", ["rows", "matrix"], ["Tout": .type(.int32)]),
            Self.node("y", "Cast", ["product"], ["DstT": .type(.float)]),
        ]
        let model = Model(graph: try Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph)
        let input = Tensor([100, 2, 3, 4], shape: [1, 2, 2, 1])
        let expected: [Float] = [10006, 400, 312, 406]
        #expect(try model.graph.evaluate([input])[0].floats == expected)
        #expect(try Program(model.graph).run([input], threads: 1)[0].floats == expected)
        for dialect in Dialect.allCases where dialect != .halfProgram {
            #expect(try dialect.roundTrip(model).graph.evaluate([input])[0].floats == expected)
        }
    }

    @Test func `a dense layer of integers is refused`() {
        let dense = Dense(matrix: Tensor([1, 2], shape: [2, 1]))
        #expect(throws: Failure.elementTypesDiffer("int32", "float32")) {
            try dense.outputTypes([TensorType([1, 2], .int32)])
        }
    }

    @Test func `a fractional constant is not truncated to an integer operand's type`() throws {
        var context = ImportContext()
        let type = TensorType([2], .int32)
        let x = Operand.edge(context.builder.input("x", type), type)
        let node = TensorFlowNode(definition: Self.node("y", "Mul"), inputs: [])
        let product = try context.combine(.multiply, x, .constant(Tensor(2)), node)
        #expect(product.type == type)
        let failure = #expect(throws: Failure.self) {
            try context.combine(.multiply, x, .constant(Tensor(0.5)), node)
        }
        #expect(failure?.problemText.contains("the types int32 and float32") == true)
    }
}
