import Testing

@testable import Thaw

/// Arithmetic on short integers, which wraps around in TensorFlow.
@Suite struct ShortIntegersTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    /// The result of `op` with 100 on a float image cast to an integer type.
    private func output(_ type: DataType, _ element: ElementType, _ op: String, _ numbers: [Float]) throws -> [Float] {
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])]),
            Self.node("whole", "Cast", ["x"], ["DstT": .type(.int32)]),
            Self.node("short", "Cast", ["whole"], ["DstT": .type(type)]),
            Self.node("hundred", "Const", [], ["value": .tensor(Tensor(100, element: element))]),
            Self.node("done", op, ["short"] + (["Neg", "Abs"].contains(op) ? [] : ["hundred"])),
            Self.node("y", "Cast", ["done"], ["DstT": .type(.float)]),
        ]
        let model = Model(graph: try Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph)
        let input = Tensor(numbers, shape: [1, 2, 2, 3])
        let output = try model.graph.evaluate([input])[0].floats
        let array = Tensor(numbers, shape: [1, 2, 2, 3])
        #expect(try ArrayRunner(model).run([(nil, array)])[0].array.floats == output)
        for dialect in Dialect.allCases where dialect != .halfProgram {
            #expect(try dialect.roundTrip(model).graph.evaluate([input])[0].floats == output)
        }
        return output
    }

    @Test(arguments: ["Mul", "Mean"]) func `arithmetic on the bytes of an image is refused`(_ op: String) {
        let nodes = [
            Self.node("x", "Placeholder", [], ["dtype": .type(.uint8), "shape": .shape([1, 2, 2, 3])]),
            Self.node("axes", "Const", [], ["value": .tensor(Tensor(integers: [3], shape: [1]))]),
            Self.node("done", op, ["x", op == "Mean" ? "axes" : "x"], ["T": .type(.uint8)]),
            Self.node("y", "Cast", ["done"], ["SrcT": .type(.uint8), "DstT": .type(.float)]),
        ]
        let failure = #expect(throws: Failure.self) {
            try Importer.run(GraphDefinition(nodes: nodes), ImportOptions())
        }
        #expect(failure?.description.contains("it computes with uint8 values") == true)
    }

    /// Arithmetic on the bytes of an image and a constant, and whether its results are bytes again.
    private static let constants: [(op: String, inputs: [String], constant: [Int], isByte: Bool)] = [
        ("Sub", ["c", "x"], [255], true), ("Sub", ["c", "x"], [254], false), ("Sub", ["x", "c"], [0], true),
        ("Sub", ["x", "c"], [0, 1, 0], false), ("AddV2", ["x", "c"], [0], true), ("AddV2", ["c", "x"], [1], false),
        ("Mul", ["x", "c"], [1, 0, 1], true), ("Mul", ["x", "c"], [1, 2, 1], false),
    ]

    @Test func `arithmetic on the bytes of an image that gives bytes is not refused`() throws {
        for (op, inputs, constant, isByte) in Self.constants {
            let constants = Tensor(integers: constant, shape: [constant.count], element: .uint8)
            let nodes = [
                Self.node("x", "Placeholder", [], ["dtype": .type(.uint8), "shape": .shape([1, 1, 1, 3])]),
                Self.node("c", "Const", [], ["value": .tensor(constants)]),
                Self.node("done", op, inputs, ["T": .type(.uint8)]),
                Self.node("y", "Cast", ["done"], ["SrcT": .type(.uint8), "DstT": .type(.float)]),
            ]
            let graph = try? Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph
            #expect((graph != nil) == isByte, "\(op) \(inputs) \(constant)")
            guard op == "Sub", inputs[0] == "c", let graph else { continue }
            let input = Tensor([0, 17, 255], shape: [1, 1, 1, 3])
            #expect(try graph.evaluate([input])[0].floats == [255, 238, 0])
        }
    }

    @Test(arguments: ["AddV2", "Sub", "Mul", "Neg", "Abs"]) func `overflow wraps around`(_ op: String) throws {
        let numbers: [Float] = [0, 1, 2, 100, 127, 128, 200, 255, 256, 1000, -1, -200]
        let functions: [String: (Int) -> Int] = [
            "AddV2": { $0 + 100 }, "Sub": { $0 - 100 }, "Mul": { $0 * 100 }, "Neg": { -$0 },
            "Abs": { abs($0) },
        ]
        func expected<Short: FixedWidthInteger>(_: Short.Type) -> [Float] {
            numbers.map { number in
                let short = Short(truncatingIfNeeded: Int(number))
                return Float(Short(truncatingIfNeeded: functions[op]!(Int(short))))
            }
        }
        #expect(try output(.uint8, .uint8, op, numbers) == expected(UInt8.self))
        #expect(try output(.int8, .int8, op, numbers) == expected(Int8.self))
        #expect(try output(.int16, .int16, op, numbers) == expected(Int16.self))
    }
}
