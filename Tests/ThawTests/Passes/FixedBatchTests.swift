import Testing

@testable import Thaw

/// Graphs with an open batch that fix it inside, or only seem to.
@Suite struct FixedBatchTests {
    private static func node(_ name: String, _ op: String, _ inputs: String...) -> NodeDefinition {
        NodeDefinition(name: name, op: op, inputs: inputs)
    }

    private static func constant(_ name: String, _ shape: Shape) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor(shape))])
    }

    private static func integers(_ name: String, _ values: [Int], _ shape: Shape? = nil) -> NodeDefinition {
        NodeDefinition(
            name: name, op: "Const",
            attributes: ["value": .tensor(Tensor(integers: values, shape: shape ?? [values.count]))])
    }

    /// The input's shape, the following nodes, the node that fixes the batch, and the batch.
    static let fixed: [(note: String, input: [Int], nodes: [NodeDefinition], node: String, batch: Int)] = [
        (
            "rows and a constant with as many rows", [-1, 3], [constant("c", [4, 3]), node("y", "Add", "x", "c")], "y",
            4
        ),
        (
            "images and a constant with as many", [-1, 4, 4, 3],
            [constant("c", [2, 4, 4, 3]), node("y", "Mul", "c", "x")], "y", 2
        ),
        (
            "the batch in the middle of the graph",
            [-1, 3],
            [
                constant("c", [5, 3]), node("r", "Relu", "x"), node("s", "Sub", "r", "c"), integers("flat", [1, 15]),
                node("y", "Reshape", "s", "flat"),
            ], "s", 5
        ),
        (
            "the batch last", [-1, 3],
            [
                integers("turn", [1, 0]), node("t", "Transpose", "x", "turn"), constant("c", [3, 6]),
                node("y", "Add", "t", "c"),
            ], "y", 6
        ),
        (
            "a matrix per item", [-1, 1, 3, 3], [constant("c", [4, 1, 3, 2]), node("y", "BatchMatMulV2", "x", "c")],
            "y", 4
        ),
        ("repeated to a shape", [-1, 3], [integers("to", [4, 3]), node("y", "BroadcastTo", "x", "to")], "y", 4),
    ]

    @Test(arguments: fixed) func `a batch that is fixed inside the graph is refused`(
        _ note: String, _ input: [Int], _ nodes: [NodeDefinition], _ node: String, _ batch: Int
    ) {
        let failure = #expect(throws: Failure.self) { try convert(input, nodes) }
        #expect(failure?.location == node)
        #expect(failure?.problem.description == "the batch is fixed at \(batch), and this node needs all of it")
    }

    /// The input's shape, the following nodes, and the result's shape.
    static let open: [(note: String, input: [Int], nodes: [NodeDefinition], result: Shape)] = [
        ("one constant for all", [-1, 3], [constant("c", [1, 3]), node("y", "Add", "x", "c")], [1, 3]),
        (
            "several results per item", [-1, 3],
            [
                integers("axis", [1], []), node("e", "ExpandDims", "x", "axis"), constant("c", [4, 3]),
                node("y", "Add", "e", "c"),
            ], [1, 4, 3]
        ),
        (
            "several results, each for the whole batch", [-1, 3],
            [
                integers("axis", [0], []), node("e", "ExpandDims", "x", "axis"), constant("c", [4, 1, 3]),
                node("y", "Add", "e", "c"),
            ], [4, 1, 3]
        ),
        (
            "single-channel pixels", [-1, 4, 4, 1], [constant("c", [1, 1, 1, 4]), node("y", "Mul", "x", "c")],
            [1, 4, 4, 4]
        ),
        (
            "a gate per channel", [-1, 4, 4, 3],
            [
                integers("axes", [1, 2]),
                NodeDefinition(
                    name: "m", op: "Mean", inputs: ["x", "axes"], attributes: ["keep_dims": .bool(true)]),
                node("y", "Mul", "x", "m"),
            ], [1, 4, 4, 3]
        ),
        (
            "a value that is the same for any batch", [-1, 3],
            [
                integers("axes", [0]), NodeDefinition(name: "m", op: "Mean", inputs: ["x", "axes"]),
                constant("c", [4, 3]),
                node("y", "Add", "m", "c"),
            ], [4, 3]
        ),
        // A batch of that size is impossible: the graph was made for one item.
        (
            "a graph for one image", [-1, 3],
            [
                integers("shape", [1, 1, 3]), node("r", "Reshape", "x", "shape"), constant("c", [4, 1, 3]),
                node("y", "Add", "r", "c"),
            ], [4, 1, 3]
        ),
    ]

    @Test(arguments: open) func `a constant larger than one item is not mistaken for a batch`(
        _ note: String, _ input: [Int], _ nodes: [NodeDefinition], _ result: Shape
    ) throws {
        let graph = try convert(input, nodes).model.graph
        #expect(graph[graph.outputs[0].value].shape == result)
    }

    private func convert(_ input: [Int], _ nodes: [NodeDefinition]) throws -> Conversion {
        let placeholder = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape(input)])
        var options = Converter.Options()
        options.outputs = ["y"]
        return try Converter(options).convert(graph: GraphDefinition(nodes: [placeholder] + nodes))
    }
}
