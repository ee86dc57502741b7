import Testing

@testable import Thaw

/// Arithmetic on short integers, which wraps around in TensorFlow.
@Suite struct ShortIntegersTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    /// The result of `op` with 100 on a float image cast to an integer type.
    private func answer(_ type: DataType, _ element: ElementType, _ op: String, _ numbers: [Float]) throws -> [Float] {
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
        let answer = try model.graph.evaluate([input])[0].floats
        let array = NumPyFile(shape: [1, 2, 2, 3], values: numbers)
        #expect(try ArrayRunner(model).run([(nil, array)])[0].array.values == answer)
        for dialect in Dialect.allCases where dialect != .halfProgram {
            #expect(try dialect.roundTrip(model).graph.evaluate([input])[0].floats == answer)
        }
        return answer
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
        #expect(failure?.description.contains("it computes with uint8 numbers") == true)
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
        #expect(try answer(.uint8, .uint8, op, numbers) == expected(UInt8.self))
        #expect(try answer(.int8, .int8, op, numbers) == expected(Int8.self))
        #expect(try answer(.int16, .int16, op, numbers) == expected(Int16.self))
    }
}
