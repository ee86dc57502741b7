import Testing

@testable import Thaw

/// A tiny graph, and the expected kinds of its operations after the passes, in order.
struct PassCase: CustomTestStringConvertible, Sendable {
    let name: String
    let input: Shape
    let expected: [String]
    let operations: [any Operation]

    var testDescription: String { name }

    init(_ name: String, _ operations: [any Operation], becomes expected: [String]) {
        self.init(name, [1, 5, 6, 3], operations, becomes: expected)
    }

    init(_ name: String, _ input: Shape, _ operations: [any Operation], becomes expected: [String]) {
        self.name = name
        self.input = input
        self.operations = operations
        self.expected = expected
    }

    /// A chain of the operations.
    func graph() throws -> Graph {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType(input))
        for (index, operation) in operations.enumerated() {
            value = try builder.add(operation, [value], name: "node\(index)")[0]
        }
        builder.output("output", value)
        return builder.graph
    }
}

private func window(_ size: Int, before: Int = 0, after: Int = 0, stride: Int = 1) -> Window {
    let axis = Window.Axis(size: size, stride: stride, before: before, after: after)
    return Window(height: axis, width: axis)
}

private let convolution = Convolution(filters: tensor([3, 3, 3, 4]), bias: nil, window: window(3))
private let convolutionWithBias = Convolution(
    filters: tensor([3, 3, 3, 4]), bias: tensor([4], seed: 2), window: window(3))
private let depthwise = DepthwiseConvolution(
    filters: tensor([3, 3, 3, 2]), bias: nil, window: window(3, before: 1, after: 1))
private let normalization = BatchNormalization(
    gamma: [1, 2, -1, 0.5], beta: [0, 1, 2, 3], mean: [0.1, -0.1, 0, 0.2], variance: [1, 2, 0.5, 0.25], epsilon: 0.001)
private func times(_ values: [Float]) -> Binary { Binary(.multiply, constant: Tensor(values, shape: [values.count])) }
private func plus(_ values: [Float]) -> Binary { Binary(.add, constant: Tensor(values, shape: [values.count])) }
private func scalar(_ function: Binary.Function, _ value: Float, first: Bool = false) -> Binary {
    Binary(function, constant: Tensor([value], shape: []), constantFirst: first)
}
private func pad(_ rows: (Int, Int), _ columns: (Int, Int), value: Double = 0) -> Pad {
    Pad(before: [0, rows.0, columns.0, 0], after: [0, rows.1, columns.1, 0], value: value)
}

let foldingCases = [
    PassCase("a batch norm is folded into the convolution", [convolution, normalization], becomes: ["Convolution"]),
    PassCase(
        "a batch norm is folded into a convolution with a bias", [convolutionWithBias, normalization],
        becomes: ["Convolution"]),
    PassCase(
        "a batch norm written as product and sum is folded into the convolution",
        [convolution, times([1, 2, 3, 4]), plus([4, 3, 2, 1])],
        becomes: ["Convolution"]),
    PassCase(
        "a difference and a quotient are folded into the convolution",
        [
            convolution, Binary(.subtract, constant: tensor([4])),
            Binary(.divide, constant: Tensor([2, 4, -1, 0.5], shape: [4])),
            Binary(.subtract, constant: tensor([4], seed: 3), constantFirst: true), Unary(.negate),
        ], becomes: ["Convolution"]),
    PassCase(
        "a constant with axes of size 1 counts as a per-channel one",
        [convolution, Binary(.add, constant: tensor([1, 1, 1, 4]))], becomes: ["Convolution"]),
    PassCase(
        "a batch norm is folded into a depthwise convolution with a multiplier",
        [depthwise, times([1, 2, 3, 4, 5, 6])],
        becomes: ["DepthwiseConvolution"]),
    PassCase(
        "a bias is folded into a dense layer", [1, 5],
        [Dense(matrix: tensor([5, 4]), bias: nil), plus([1, 2, 3, 4]), scalar(.multiply, 2)], becomes: ["Dense"]),
    PassCase(
        "a factor after a reshape that keeps the channels is folded", [6, 5],
        [Dense(matrix: tensor([5, 4]), bias: nil), Reshape([2, 3, 4]), times([1, 2, 3, 4])],
        becomes: ["Dense", "Reshape"]),
    PassCase(
        "a factor after a reshape that splits the channels stays", [6, 5],
        [Dense(matrix: tensor([5, 4]), bias: nil), Reshape([6, 2, 2]), times([1, 2])],
        becomes: ["Dense", "Reshape", "Multiply"]),
    PassCase(
        "a factor after a transpose stays", [4, 5],
        [Dense(matrix: tensor([5, 4]), bias: nil), Transpose([1, 0]), times([1, 2, 3, 4])],
        becomes: ["Dense", "Transpose", "Multiply"]),
    PassCase(
        "without a layer before it, all arithmetic becomes one batch norm",
        [Unary(.relu), times([1, 2, 3]), plus([1, 2, 3])],
        becomes: ["Relu", "BatchNormalization"]),
    PassCase(
        "an activation in between prevents folding", [convolution, Unary(.relu), times([1, 2, 3, 4])],
        becomes: ["Convolution", "Relu", "Multiply"]),
    PassCase(
        "a constant per position stays", [convolution, Binary(.add, constant: tensor([3, 4, 4]))],
        becomes: ["Convolution", "Add"]),
    PassCase(
        "a quotient by zero stays", [convolution, Binary(.divide, constant: Tensor([1, 0, 1, 1], shape: [4]))],
        becomes: ["Convolution", "Divide"]),
    PassCase(
        "a constant divided by the result stays", [convolution, scalar(.divide, 2, first: true)],
        becomes: ["Convolution", "Divide"]),
]

let paddingCases = [
    PassCase(
        "a border becomes the convolution's padding", [pad((1, 2), (0, 1)), convolution], becomes: ["Convolution"]),
    PassCase(
        "a border is fused with a depthwise convolution that has padding", [pad((1, 0), (2, 0)), depthwise],
        becomes: ["DepthwiseConvolution"]),
    PassCase(
        "a border is fused with an average pooling that counts padding",
        [pad((1, 1), (1, 1)), Pooling(function: .average, window: window(3))], becomes: ["AveragePooling"]),
    PassCase(
        "a border stays before an average pooling that has padding",
        [pad((1, 1), (1, 1)), Pooling(function: .average, window: window(3, before: 1, after: 1))],
        becomes: ["Pad", "AveragePooling"]),
    PassCase(
        "a border stays before a max pooling", [pad((1, 1), (1, 1)), Pooling(function: .maximum, window: window(3))],
        becomes: ["Pad", "MaxPooling"]),
    PassCase("a border of ones stays", [pad((1, 1), (1, 1), value: 1), convolution], becomes: ["Pad", "Convolution"]),
    PassCase(
        "a border of channels stays",
        [Pad(before: [0, 0, 0, 1], after: [0, 0, 0, 0]), Pooling(function: .average, window: window(3))],
        becomes: ["Pad", "AveragePooling"]),
]

let identityCases = [
    PassCase("a reshape to the same shape is removed", [Reshape([1, 5, 6, 3]), Unary(.relu)], becomes: ["Relu"]),
    PassCase("two reshapes become one", [Reshape([1, 90]), Reshape([1, 30, 3])], becomes: ["Reshape"]),
    PassCase(
        "two inverse reshapes are removed", [Unary(.relu), Reshape([1, 90]), Reshape([1, 5, 6, 3])], becomes: ["Relu"]),
    PassCase(
        "sums with 0 and products with 1 are removed",
        [scalar(.add, 0), times([1, 1, 1]), scalar(.subtract, 0), scalar(.divide, 1), Unary(.relu)], becomes: ["Relu"]),
    PassCase("a subtraction from 0 stays", [scalar(.subtract, 0, first: true)], becomes: ["Subtract"]),
    PassCase(
        "a slice of everything is removed",
        [StridedSlice(ranges: [1, 5, 6, 3].map { .init(start: 0, count: $0) }), Unary(.relu)],
        becomes: ["Relu"]),
]

let boundCases = [
    PassCase("bounds of 0 and 6 are Relu6", [scalar(.maximum, 0), scalar(.minimum, 6)], becomes: ["Relu6"]),
    PassCase("the order of the bounds does not matter", [scalar(.minimum, 6), Unary(.relu)], becomes: ["Relu6"]),
    PassCase("a lower bound of 0 is Relu", [scalar(.maximum, 0)], becomes: ["Relu"]),
    PassCase("other bounds are a clip", [scalar(.maximum, -0.5), scalar(.minimum, 0.25)], becomes: ["Clip"]),
    PassCase(
        "of contradictory bounds, the second stays", [scalar(.minimum, -0.5), scalar(.maximum, 0.25)], becomes: ["Clip"]
    ),
    PassCase("a single other bound stays", [scalar(.minimum, 0.5)], becomes: ["Minimum"]),
]

let orderCases = [
    PassCase(
        "inverse transposes are removed", [Transpose([0, 3, 1, 2]), Unary(.relu), Transpose([0, 2, 3, 1])],
        becomes: ["Relu"]),
    PassCase(
        "a mean adapts to another axis order",
        [Transpose([0, 3, 1, 2]), Reduction(function: .mean, axes: [2, 3], keepsAxes: false)], becomes: ["ReduceMean"]),
    PassCase(
        "a softmax adapts to another axis order",
        [Transpose([0, 3, 1, 2]), Softmax(axis: 1), Transpose([0, 2, 3, 1])],
        becomes: ["Softmax"]),
    PassCase(
        "a dense layer after a flatten adapts to another axis order",
        [Transpose([0, 3, 1, 2]), Reshape([1, 90]), Dense(matrix: tensor([90, 4]), bias: nil)],
        becomes: ["Reshape", "Dense"]),
    PassCase(
        "a function of one value keeps a flattened image in another axis order",
        [
            Transpose([0, 3, 1, 2]), Reshape([1, 90]), scalar(.multiply, 2), Dense(matrix: tensor([90, 4]), bias: nil),
        ],
        becomes: ["Reshape", "Multiply", "Dense"]),
    PassCase(
        "a flatten that is read directly gets a transpose", [Transpose([0, 3, 1, 2]), Reshape([1, 90])],
        becomes: ["Transpose", "Reshape"]),
    PassCase(
        "an output keeps its axis order", [Transpose([0, 3, 1, 2]), Unary(.relu)], becomes: ["Relu", "Transpose"]),
]

@Suite struct PassTests {
    /// Folding rounds weights to float32 again.
    private func check(_ passCase: PassCase, _ pass: (Graph) throws -> Graph) throws {
        let graph = try passCase.graph()
        let result = try pass(graph)
        try result.validate()
        #expect(result.nodes.map(\.operation.kind) == passCase.expected)
        let input = tensor(passCase.input, seed: 9)
        #expect(try difference(result.evaluate([input])[0], graph.evaluate([input])[0]) <= 1e-6)
    }

    @Test(arguments: foldingCases) func `per-channel arithmetic is folded`(_ passCase: PassCase) throws {
        try check(passCase) { try $0.withFoldedArithmetic() }
    }

    @Test(arguments: paddingCases) func `padding is fused`(_ passCase: PassCase) throws {
        try check(passCase) { try $0.withFusedPadding() }
    }

    @Test(arguments: identityCases) func `identities are removed`(_ passCase: PassCase) throws {
        try check(passCase) { try $0.withoutIdentities() }
    }

    @Test(arguments: boundCases) func `clips are merged`(_ passCase: PassCase) throws {
        try check(passCase) { try $0.withMergedBounds() }
    }

    @Test(arguments: orderCases) func `axis orders are simplified`(_ passCase: PassCase) throws {
        try check(passCase) { try $0.reordered(to: .channelsLast) }
    }

    @Test(.timeLimit(.minutes(1))) func `a flattened image may go through any number of functions`() throws {
        let functions = [any Operation](repeating: Unary(.tanh), count: 50_000)
        let dense = Dense(matrix: tensor([90, 4]), bias: nil)
        let graph = try PassCase("", [Reshape([1, 90])] + functions + [dense], becomes: []).graph()
        let result = try graph.reordered(to: .channelsFirst)
        #expect(result.nodes.count == graph.nodes.count)
    }

    @Test func `nothing is folded into a layer with another consumer`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 5, 6, 3]))
        let image = try builder.add(convolution, [input], name: "convolution")[0]
        let normalized = try builder.add(normalization, [image], name: "norm")[0]
        builder.output("output", try builder.add(Binary(.add), [image, normalized], name: "sum")[0])
        let graph = try builder.graph.withFoldedArithmetic()
        #expect(graph.nodes.map(\.operation.kind) == ["Convolution", "BatchNormalization", "Add"])
    }

    @Test func `nodes of the same name are numbered, past the numbers that other nodes have`() throws {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType([1, 2, 2, 3]))
        for name in ["sum", "sum_2", "sum", "sum", "sum_1", "sum"] {
            value = try builder.add(Unary(.relu), [value], name: name)[0]
        }
        #expect(builder.graph.nodes.map(\.name) == ["sum", "sum_2", "sum_1", "sum_3", "sum_1_1", "sum_4"])
    }

    @Test func `arithmetic on a constant stays in place`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 5, 6, 3]))
        let known = try builder.add(Constant(tensor([1, 5, 6, 3])), [], name: "known")[0]
        let doubled = try builder.add(Binary(.multiply, constant: Tensor(2)), [known], name: "doubled")[0]
        builder.output("output", try builder.add(Binary(.add), [input, doubled], name: "sum")[0])
        let result = try builder.graph.withFoldedArithmetic()
        let x = tensor([1, 5, 6, 3], seed: 2)
        #expect(try result.evaluate([x]) == builder.graph.evaluate([x]))
    }

    @Test func `duplicate operations are merged`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 5, 6, 3]))
        let (first, second) = (
            try builder.add(Unary(.relu), [input], name: "first")[0],
            try builder.add(Unary(.relu), [input], name: "second")[0]
        )
        let other = try builder.add(Unary(.relu6), [input], name: "other")[0]
        let sum = try builder.add(Binary(.add), [first, second], name: "sum")[0]
        builder.output("output", try builder.add(Binary(.add), [sum, other], name: "all")[0])
        let result = try builder.graph.withoutDuplicates()
        #expect(result.nodes.map(\.operation.kind) == ["Relu", "Relu6", "Add", "Add"])
        let x = tensor([1, 5, 6, 3], seed: 2)
        #expect(try result.evaluate([x]) == builder.graph.evaluate([x]))
    }

    @Test func `unused nodes are removed`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4]))
        let used = try builder.add(Unary(.relu), [input], name: "used")[0]
        _ = try builder.add(Unary(.sigmoid), [used], name: "unused")
        builder.output("output", used)
        #expect(builder.graph.pruned().nodes.map(\.name) == ["used"])
    }

    @Test func `a pass that breaks the graph is named`() throws {
        let breaking = Pass(name: "break it") { graph in
            var graph = graph
            graph.nodes.removeFirst()
            return graph
        }
        let graph = try PassCase("", [Unary(.relu), Unary(.tanh)], becomes: []).graph()
        let failure = #expect(throws: Failure.self) { try Passes.run([breaking], on: graph) }
        #expect(failure.map { "\($0)" }?.contains("node1") == true)
    }
}

@Suite struct LiftingTests {
    @Test(arguments: [
        (
            "a difference, then a product", [scalar(.subtract, 128), scalar(.multiply, 0.5)] as [any Operation],
            [0.5, 0.5, 0.5], [-64, -64, -64]
        ),
        ("one value per channel", [plus([1, 2, 3]), times([2, 4, 8])], [2, 4, 8], [2, 8, 24]),
        (
            "a product with the constant first", [scalar(.multiply, 2), scalar(.subtract, 1, first: true)],
            [-2, -2, -2],
            [1, 1, 1]
        ),
        ("nothing", [], [], []),
    ]) func `the arithmetic at the head is lifted`(
        _ name: String, _ head: [any Operation], _ scale: [Double], _ offset: [Double]
    ) throws {
        let graph = try PassCase(name, head + [convolution], becomes: []).graph()
        let lifting = try graph.withLiftedPreprocessing()
        guard !scale.isEmpty else { return #expect(lifting == nil) }
        let lifted = try #require(lifting)
        #expect(lifted.lifted.scale == scale)
        #expect(lifted.lifted.offset == offset)
        #expect(lifted.graph.nodes.map(\.operation.kind) == ["Convolution"])
        let input = tensor([1, 5, 6, 3])
        let scaled = input.scaled(PixelScaling(scale: scale, bias: offset))
        #expect(try difference(lifted.graph.evaluate([scaled])[0], graph.evaluate([input])[0]) <= 1e-6)
    }

    @Test func `nothing is lifted if the image has another consumer`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 5, 6, 3]))
        let scaled = try builder.add(scalar(.multiply, 2), [input], name: "scaled")[0]
        builder.output("output", try builder.add(Binary(.add), [input, scaled], name: "sum")[0])
        #expect(try builder.graph.withLiftedPreprocessing() == nil)
    }
}
