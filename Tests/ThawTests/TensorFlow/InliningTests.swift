import Testing

@testable import Thaw

@Suite struct InliningTests {
    /// A function of one argument `x` that returns `y`, the last of its nodes.
    private func function(_ name: String, _ nodes: [NodeDefinition]) -> FunctionDefinition {
        FunctionDefinition(
            name: name, inputs: ["x"], outputs: ["y"], nodes: nodes, results: ["y": nodes.last!.name + ":output:0"])
    }

    private func node(_ name: String, _ op: String, _ inputs: [String], calling function: String? = nil)
        -> NodeDefinition
    {
        NodeDefinition(name: name, op: op, inputs: inputs, attributes: function.map { ["f": .function($0)] } ?? [:])
    }

    private let placeholder = NodeDefinition(
        name: "input", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])])

    private func nodes(_ nodes: [NodeDefinition], _ functions: [FunctionDefinition]) throws -> [NodeDefinition] {
        try Inlining(GraphDefinition(nodes: nodes, functions: functions)).nodes
    }

    @Test func `a call is replaced by its body, with names prefixed by the call's`() throws {
        let body = [node("a", "Tanh", ["x", "^x"]), node("b", "Neg", ["a:y:0"])]
        let inlined = try nodes([placeholder, node("call", "Half", ["input"])], [function("Half", body)])
        #expect(inlined.map(\.name).sorted() == ["call", "call/a", "call/b", "input"])
        #expect(inlined.first { $0.name == "call" }!.inputs == ["call/b"])
        #expect(inlined.first { $0.name == "call/a" }!.inputs == ["input"])
    }

    @Test func `names stay unique`() throws {
        let taken = [placeholder, node("call/a", "Tanh", ["input"]), node("call", "Half", ["call/a"])]
        let inlined = try nodes(taken, [function("Half", [node("a", "Neg", ["x"])])])
        #expect(Set(inlined.map(\.name)).count == inlined.count)
        #expect(inlined.first { $0.name == "call" }!.inputs == ["call/a_1"])
    }

    /// The rules are those of TensorFlow's `If`, which takes numbers too.
    @Test(arguments: [
        (Tensor(0.5), "Neg"), (Tensor(0), "Tanh"), (Tensor(-0.0), "Tanh"), (Tensor(2, element: .int32), "Neg"),
        (Tensor(shape: [1], element: .float32) { _ in 0 }, "Neg"),
    ]) func `a constant selects the branch of a condition`(_ value: Tensor, _ op: String) throws {
        let condition = NodeDefinition(
            name: "if", op: "If", inputs: ["number", "input"],
            attributes: ["then_branch": .function("Then"), "else_branch": .function("Else")])
        let number = NodeDefinition(name: "number", op: "Const", attributes: ["value": .tensor(value)])
        let functions = [
            function("Then", [node("a", "Neg", ["x"])]), function("Else", [node("a", "Tanh", ["x"])]),
        ]
        #expect(try nodes([placeholder, number, condition], functions).first { $0.name == "if/a" }?.op == op)
    }

    @Test func `a source is found through identities, unless they form a cycle`() throws {
        let graph = try GraphIndex([
            placeholder, node("a", "Identity", ["input"]), node("b", "Identity", ["^input", "a"]),
            node("lonely", "Identity", ["^a"]), node("c", "Identity", ["d"]), node("d", "Identity", ["c"]),
        ])
        #expect(graph.source(of: "b:0")?.name == "input")
        #expect(graph.source(of: "lonely")?.name == "lonely")
        #expect(graph.source(of: "c") == nil && graph.source(of: nil) == nil)
    }

    private static let recursive = [
        NodeDefinition(name: "again", op: "PartitionedCall", inputs: ["x"], attributes: ["f": .function("Loop")])
    ]

    @Test(arguments: [
        ("Loop", "PartitionedCall", ["input"], "call (PartitionedCall)", "calls itself"),
        ("None", "StatefulPartitionedCall", ["input"], "call (StatefulPartitionedCall)", "'None', which is not"),
        ("Stray", "PartitionedCall", ["input"], "call (PartitionedCall)", "reads 'nowhere:y:0', which is not in it"),
        ("Stray", "PartitionedCall", [], "call (PartitionedCall)", "passes 0 arguments"),
        // The second output has the index 1, and adding this would overflow.
        (
            "Huge", "PartitionedCall", ["input"], "call (PartitionedCall)",
            "reads 'a:indices:9223372036854775807', which is not in it"
        ),
        ("Twins", "PartitionedCall", ["input"], "call (PartitionedCall)", "the function 'Twins' has two nodes 'a'"),
    ]) func `a call that cannot be followed is refused`(
        _ name: String, _ op: String, _ inputs: [String], _ location: String, _ problem: String
    ) throws {
        let functions = [
            function("Loop", InliningTests.recursive), function("Stray", [node("a", "Tanh", ["nowhere:y:0"])]),
            function("Huge", [node("a", "TopKV2", ["x"]), node("b", "Neg", ["a:indices:\(Int.max)"])]),
            function("Twins", [node("a", "Tanh", ["x"]), node("a", "Neg", ["x"])]),
        ]
        let failure = try #require(throws: Failure.self) {
            try nodes([placeholder, node("call", op, inputs, calling: name)], functions)
        }
        #expect(failure.problem.contains(problem))
        #expect(failure.location?.hasPrefix("call") == true)
        #expect(name == "Loop" || failure.location == location)
    }

    /// Each function calls the next one twice: 2^40 nodes in total.
    @Test func `exponentially growing functions are refused before they fill the memory`() throws {
        let functions = (0..<40).map { level in
            function(
                "F\(level)",
                [
                    node("a", "PartitionedCall", ["x"], calling: "F\(level + 1)"),
                    node("b", "PartitionedCall", ["a:output:0"], calling: "F\(level + 1)"),
                ])
        }
        let failure = try #require(throws: Failure.self) {
            try nodes(
                [placeholder, node("call", "F0", ["input"])], functions + [function("F40", [node("a", "Neg", ["x"])])])
        }
        #expect(failure.problem.contains("take more than 32 MB"))
    }

    @Test func `calls are inlined up to 64 levels deep`() throws {
        func depth(_ count: Int) throws -> Int {
            let functions = (0..<count).map { function("F\($0)", [node("a", "F\($0 + 1)", ["x"])]) }
            return try nodes(
                [placeholder, node("call", "F0", ["input"])],
                functions + [function("F\(count)", [node("a", "Neg", ["x"])])]
            ).count
        }
        #expect(try depth(63) == 66)
        #expect(throws: Failure.self) { try depth(64) }
    }

    @Test func `circular calls are refused`() throws {
        let swap = FunctionDefinition(
            name: "Swap", inputs: ["x", "z"], outputs: ["y", "w"], nodes: [], results: ["y": "z", "w": "x"])
        let calls = [
            node("a", "Swap", ["b:1", "b:1"]), node("b", "Swap", ["a:1", "a:1"]), node("end", "Neg", ["a:1"]),
        ]
        let failure = try #require(throws: Failure.self) { try nodes([placeholder] + calls, [swap]) }
        #expect(failure.problem.contains("depends on its own result"))
    }

    /// Functions that multiply by 2, 3 and 4.
    private func factors() -> [FunctionDefinition] {
        (2...4).map { factor in
            let constant = NodeDefinition(
                name: "factor", op: "Const", attributes: ["value": .tensor(Tensor(Double(factor)))])
            return function("By\(factor)", [constant, node("y", "Mul", ["x", "factor:output:0"])])
        }
    }

    /// The result for 1 of a graph with the placeholder, these nodes and a placeholder for a scalar.
    private func factor(_ nodes: [NodeDefinition], _ functions: [FunctionDefinition], mode number: Int) throws -> Float
    {
        let mode = NodeDefinition(
            name: "mode", op: "Placeholder", attributes: ["dtype": .type(.int32), "shape": .shape([])])
        var options = ImportOptions()
        options.placeholderValues = [PlaceholderValue(name: "mode", value: "\(number)")]
        let graph = GraphDefinition(nodes: [placeholder, mode] + nodes, functions: functions)
        let ones = Tensor([Float](repeating: 1, count: 48), shape: [1, 4, 4, 3])
        return try Importer.run(graph, options).graph.evaluate([ones])[0].floats[0]
    }

    @Test(arguments: [(0, 2), (1, 3), (2, 4), (3, 4), (-1, 4)] as [(Int, Float)])
    func `a case takes the branch of its index, or the last for any other index`(_ number: Int, _ expected: Float)
        throws
    {
        for op in ["Case", "StatelessCase"] {
            var choice = node("choice", op, ["mode", "input"])
            choice.attributes["branches"] = .list((2...4).map { .function("By\($0)") })
            #expect(try factor([choice], factors(), mode: number) == expected)
        }
        // The same as TensorFlow spells it out.
        var sides = node("sides", "_SwitchN", ["input", "mode"])
        sides.attributes["num_outs"] = .int(3)
        let products = (0..<3).flatMap { side in
            [
                NodeDefinition(
                    name: "factor\(side)", op: "Const", attributes: ["value": .tensor(Tensor(Double(side + 2)))]),
                node("product\(side)", "Mul", [side == 0 ? "sides" : "sides:\(side)", "factor\(side)"]),
            ]
        }
        let merge = node("merge", "Merge", (0..<3).map { "product\($0)" })
        #expect(try factor([sides] + products + [merge], [], mode: number) == expected)
    }

    @Test func `a case without branches is refused`() throws {
        let failure = try #require(throws: Failure.self) {
            try factor([node("choice", "Case", ["mode", "input"])], factors(), mode: 0)
        }
        #expect(failure.description.contains("choice"))
    }

    @Test(arguments: ["Case", "StatelessCase", "_SwitchN"])
    func `a case that depends on data is refused`(_ op: String) throws {
        var choice = node("choice", op, op == "_SwitchN" ? ["input", "number"] : ["number", "input"])
        choice.attributes = ["branches": .list([.function("By2"), .function("By3")]), "num_outs": .int(2)]
        let axis = NodeDefinition(name: "axis", op: "Const", attributes: ["value": .tensor(Tensor(3, element: .int32))])
        let graph = GraphDefinition(
            nodes: [placeholder, axis, node("number", "ArgMax", ["input", "axis"]), choice], functions: factors())
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: graph) }
        #expect(failure.description.contains("choice"))
        let reason = op == "_SwitchN" ? "depends on the input" : "that depends on data"
        #expect(failure.description.contains(reason))
        #expect(failure.hint == nil)
    }

    @Test func `a condition on data is kept, and refused by the importer`() throws {
        var condition = node("choose", "If", ["flag", "input"])
        condition.attributes = ["then_branch": .function("A"), "else_branch": .function("A")]
        let flag = node("flag", "Cast", ["input"])
        let graph = GraphDefinition(
            nodes: [placeholder, flag, condition], functions: [function("A", [node("a", "Neg", ["x"])])])
        #expect(try Inlining(graph).nodes.contains { $0.op == "If" })
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: graph) }
        #expect(failure.description.contains("choose"))
    }

    /// A condition on the input's height: it multiplies the input by 3 and returns a 5, or by 2 and
    /// returns a 7, independent of the input. The output for ones is the product of both.
    private func conditionOnSize(_ op: String, height: Int) -> GraphDefinition {
        func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
            NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
        }
        func branch(_ name: String, _ factor: Double, _ number: Double) -> FunctionDefinition {
            FunctionDefinition(
                name: name, inputs: ["x"], outputs: ["y", "n"],
                nodes: [
                    constant("factor", Tensor(factor)), node("y", "Mul", ["x", "factor:output:0"]),
                    constant("number", Tensor(number)),
                ], results: ["y": "y:z:0", "n": "number:output:0"])
        }
        var slice = node("height", "StridedSlice", ["size", "first", "second", "one"])
        slice.attributes["shrink_axis_mask"] = .int(1)
        var cast = node("number", "Cast", ["isHigher"])
        cast.attributes["DstT"] = .type(.int32)
        var condition = node("choice", op, [op.hasSuffix("Case") ? "number" : "isHigher", "input"])
        condition.attributes = [
            "then_branch": .function("High"), "else_branch": .function("Low"),
            "branches": .list([.function("Low"), .function("High")]),
        ]
        return GraphDefinition(
            nodes: [
                placeholder, node("size", "Shape", ["input"]), constant("first", Tensor(integers: [1], shape: [1])),
                constant("second", Tensor(integers: [2], shape: [1])),
                constant("one", Tensor(integers: [1], shape: [1])), slice,
                constant("limit", Tensor(Double(height), element: .int32)),
                node("isHigher", "Greater", ["height", "limit"]), cast, condition,
                node("answer", "Mul", ["choice", "choice:1"]),
            ], functions: [branch("High", 3, 5), branch("Low", 2, 7)])
    }

    @Test(arguments: ["If", "StatelessIf", "Case", "StatelessCase"], [(3, 15), (4, 14)] as [(Int, Float)])
    func `a condition on the size of an image takes the branch for its size`(
        _ op: String, _ height: (Int, Float)
    ) throws {
        var options = ImportOptions()
        options.outputs = ["answer"]
        let graph = try Importer.run(conditionOnSize(op, height: height.0), options).graph
        let ones = Tensor([Float](repeating: 1, count: 48), shape: [1, 4, 4, 3])
        #expect(try graph.evaluate([ones])[0].floats == [Float](repeating: height.1, count: 48))
    }

    @Test func `a condition on sizes with a missing branch is refused by name`() throws {
        var graph = conditionOnSize("If", height: 3)
        graph.functions.removeLast()
        var options = ImportOptions()
        options.outputs = ["answer"]
        let failure = try #require(throws: Failure.self) { try Importer.run(graph, options) }
        #expect(failure.description.contains("choice"))
    }
}
