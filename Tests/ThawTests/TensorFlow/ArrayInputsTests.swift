import Testing

@testable import Thaw

/// Graphs of several inputs with an array for each.
@Suite struct ArrayInputsTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func placeholder(_ name: String, _ shape: [Int]?, _ type: DataType = .float) -> NodeDefinition {
        node(name, "Placeholder", [], ["dtype": .type(type), "shape": .shape(shape)])
    }

    /// left · right + right.
    private static func graph(_ left: [Int]?, _ right: [Int]?) -> GraphDefinition {
        GraphDefinition(nodes: [
            placeholder("left", left), placeholder("right", right), node("product", "Mul", ["left", "right"]),
            node("sum", "AddV2", ["product", "right"]),
        ])
    }

    private static func output(_ graph: GraphDefinition, _ arrays: [(name: String?, array: Tensor)]) throws
        -> Tensor
    {
        var options = Converter.Options()
        options.arrays = Arrays(arrays: arrays)
        return try ArrayRunner(Converter(options).convert(graph: graph).model).run(arrays)[0].array
    }

    private struct Arrays: GivenArrays {
        let arrays: [(name: String?, array: Tensor)]

        var names: Set<String> { Set(arrays.compactMap(\.name)) }

        func shapes(ofInputs inputs: [String]) -> [(name: String?, shape: [Int])] {
            arrays.map { ($0.name, $0.array.shape.dimensions) }
        }
    }

    private static func array(_ shape: [Int]) -> Tensor {
        Tensor((0..<shape.reduce(1, *)).map { Float($0 % 7) - 2 }, shape: Shape(shape))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var declared: ([Int]?, [Int]?)
        var fed: ([Int], [Int])
        var result: [Int]

        init(_ name: String, _ declared: ([Int]?, [Int]?), _ fed: ([Int], [Int]), _ result: [Int]) {
            (testDescription, self.declared, self.fed, self.result) = (name, declared, fed, result)
        }
    }

    static let cases = [
        Case("two vectors", ([1, 5], [1, 5]), ([1, 5], [1, 5]), [1, 5]),
        Case("an image and its color", ([1, 4, 6, 3], [1, 1, 1, 3]), ([1, 4, 6, 3], [1, 1, 1, 3]), [1, 4, 6, 3]),
        Case("open batches", ([-1, 5], [-1, 5]), ([3, 5], [3, 5]), [3, 5]),
        Case("one open batch, one array for all items", ([-1, 5], [1, 5]), ([3, 5], [1, 5]), [3, 5]),
        Case("all open", (nil, [-1, -1]), ([2, 3, 4], [3, 4]), [2, 3, 4]),
        Case("an omitted batch", ([-1, 5], [1, 5]), ([5], [5]), [1, 5]),
        Case("a scalar and a vector", ([1, 5], []), ([1, 5], []), [1, 5]),
        Case("a batch in several runs", ([1, 5], [1, 5]), ([2, 5], [2, 5]), [2, 5]),
    ]

    @Test(arguments: ["NHWC", "NCHW"]) func `a bias may be computed`(_ format: String) throws {
        let nodes = [
            Self.placeholder("image", [1, 3, 4, 3]), Self.placeholder("vector", [1, 3]),
            Self.node("bias", "Squeeze", ["vector"], ["squeeze_dims": .list([.int(0)])]),
            Self.node("sum", "BiasAdd", ["image", "bias"], ["data_format": .string(format)]),
        ]
        let (image, vector) = (Self.array([1, 3, 4, 3]), Self.array([1, 3]))
        let output = try Self.output(GraphDefinition(nodes: nodes), [("image", image), ("vector", vector)])
        let expected = image.floats.enumerated().map { index, value in
            value + vector.floats[format == "NHWC" ? index % 3 : index / 12]
        }
        #expect(output.floats == expected)
    }

    @Test(arguments: cases) func `arrays are assigned to inputs by name`(_ test: Case) throws {
        let (left, right) = (Self.array(test.fed.0), Self.array(test.fed.1))
        let output = try Self.output(
            Self.graph(test.declared.0, test.declared.1), [("right", right), ("left", left)])
        #expect(output.shape == Shape(test.result))
        // The last axes of both are equal, or a scalar is used for all.
        let expected = left.floats.enumerated().map { index, value in
            let other = right.floats[index % right.floats.count]
            return value * other + other
        }
        #expect(output.floats == expected)
    }

    @Test func `integers select channels of an image`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("image", [1, 2, 2, 3]), Self.placeholder("index", [1], .int32),
            Self.node("axis", "Const", [], ["value": .tensor(Tensor(integers: [3], shape: []))]),
            Self.node("chosen", "GatherV2", ["image", "index", "axis"]),
        ])
        let image = Tensor((0..<12).map(Float.init), shape: [1, 2, 2, 3])
        let index = Tensor([1], shape: [1])
        #expect(try Self.output(graph, [("image", image), ("index", index)]).floats == [1, 4, 7, 10])
    }

    @Test func `a placeholder that resembles a label or a switch is an input if it gets an array`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("image", [1, 2, 2, 3]), Self.placeholder("color", [3]),
            Self.placeholder("is_training", [1, 2, 2, 3], .bool),
            Self.node("seven", "Const", [], ["value": .tensor(Tensor([7], shape: [1]))]),
            Self.node("shift", "PlaceholderWithDefault", ["seven"], ["shape": .shape([1])]),
            Self.node("twice", "AddV2", ["image", "image"]), Self.node("sum", "AddV2", ["twice", "color"]),
            Self.node("chosen", "SelectV2", ["is_training", "sum", "image"]),
            Self.node("end", "AddV2", ["chosen", "shift"]),
        ])
        let image = Tensor((0..<12).map(Float.init), shape: [1, 2, 2, 3])
        let color = Tensor([1, 2, 3], shape: [3])
        let flags = Tensor((0..<12).map { $0 < 3 ? 1 : 0 }, shape: [1, 2, 2, 3])
        let arrays: [(String?, Tensor)] = [("image", image), ("color", color), ("is_training", flags)]
        let chosen: [Float] = [1, 4, 7, 3, 4, 5, 6, 7, 8, 9, 10, 11]
        #expect(try Self.output(graph, arrays).floats == chosen.map { $0 + 7 })
        let shift = Tensor([100], shape: [1])
        #expect(try Self.output(graph, arrays + [("shift", shift)]).floats == chosen.map { $0 + 100 })
    }

    @Test(
        arguments: [
            (["left", "left"], "the input 'right' is missing; the model takes 'left', 'right'"),
            (["left", nil], "an array does not name one of the 2 inputs"),
            (["left", "middle"], "there is no input 'middle'; the model takes 'left', 'right'"),
            (["left", "right", "left"], "too many arrays: 3"),
        ] as [([String?], String)])
    func `missing and unknown names are reported`(_ names: [String?], _ message: String) throws {
        let failure = #expect(throws: Failure.self) {
            try Self.output(Self.graph([1, 5], [-1, 5]), names.map { ($0, Self.array([1, 5])) })
        }
        #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
        #expect(failure?.hint?.contains("placeholderValues right=VALUE") == true)
    }

    @Test func `arrays of wrong shapes are refused by the input's name`() throws {
        for (right, message) in [
            ([1, 4], "the array for 'right' has shape [1, 4]; expected [1, 5]"),
            ([1, 1, 1, 5], "the array for 'right' has shape [1, 1, 1, 5]; expected [?, 5]"),
        ] {
            let failure = #expect(throws: Failure.self) {
                try Self.output(
                    Self.graph([1, 5], [-1, 5]), [("left", Self.array([1, 5])), ("right", Self.array(right))])
            }
            #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
        }
    }

    @Test func `a conversion without arrays refuses inputs of unknown shape`() throws {
        for shape in [nil, [1, -1], []] as [[Int]?] {
            let failure = #expect(throws: Failure.self) { try Converter().convert(graph: Self.graph([1, 5], shape)) }
            #expect(failure?.description.contains("the graph has 2 inputs: 'left', 'right'") == true)
        }
    }

    @Test func `a graph without inputs can be run`() throws {
        let numbers = Self.node("n", "Const", [], ["value": .tensor(Tensor([1, -2, 3], shape: [3]))])
        let fallback = Self.node("d", "PlaceholderWithDefault", ["n"])
        for nodes in [[numbers, Self.node("y", "Neg", ["n"])], [numbers, fallback, Self.node("y", "Neg", ["d"])]] {
            #expect(try Self.output(GraphDefinition(nodes: nodes), []).floats == [-1, 2, -3])
        }
        let failure = #expect(throws: Failure.self) {
            try Self.output(GraphDefinition(nodes: [numbers, Self.node("y", "Neg", ["n"])]), [(nil, Self.array([3]))])
        }
        #expect(failure?.description.contains("none of the graph's placeholders") == true)
    }
}
