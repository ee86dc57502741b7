import Testing

@testable import Thaw

@Suite struct MergedAxesTests {
    /// Operations on tensors of six axes between two images.
    static let cases: [(note: String, six: Shape, operation: any Operation, result: Shape)] = [
        ("depth to space", [1, 4, 6, 2, 2, 3], Transpose([0, 1, 3, 2, 4, 5]), [1, 8, 12, 3]),
        ("space to depth", [1, 2, 3, 4, 2, 6], Transpose([0, 1, 3, 2, 4, 5]), [1, 2, 4, 36]),
        ("windows", [1, 2, 2, 3, 2, 12], Transpose([0, 1, 3, 2, 4, 5]), [4, 6, 12]),
        ("a moved axis of size 1", [2, 1, 4, 3, 2, 6], Transpose([1, 2, 0, 4, 3, 5]), [8, 2, 18]),
        ("repeated pixels", [1, 4, 1, 6, 1, 12], Tile(multiples: [1, 1, 2, 1, 3, 1]), [1, 8, 18, 12]),
        (
            "pixels times ones", [1, 4, 1, 6, 1, 12],
            Binary(.multiply, constant: Tensor([1, 2, 3, 4], shape: [1, 1, 2, 1, 2, 1])), [1, 8, 12, 12]
        ),
        ("broadcast pixels", [1, 4, 1, 6, 1, 12], BroadcastTo(shape: [1, 4, 2, 6, 2, 12]), [1, 8, 12, 12]),
        (
            "the maximum of blocks", [1, 2, 2, 3, 2, 12],
            Reduction(function: .maximum, axes: [2, 4], keepsAxes: false), [1, 2, 3, 12]
        ),
        (
            "the mean of blocks, with kept axes", [1, 2, 2, 3, 2, 12],
            Reduction(function: .mean, axes: [2, 4], keepsAxes: true), [1, 2, 3, 12]
        ),
        ("an elementwise operation", [1, 2, 2, 3, 2, 12], Unary(.relu), [4, 6, 12]),
        (
            "the levels of an integer type", [1, 2, 2, 3, 2, 12],
            FakeQuantize(channels: [.init(minimum: -1, maximum: 1, bottom: 0, top: 15)]), [4, 6, 12]
        ),
        (
            "levels per channel", [1, 4, 2, 3, 6, 2],
            FakeQuantize(channels: [1, 2].map { .init(minimum: -$0, maximum: $0, bottom: 0, top: 15) }), [4, 6, 12]
        ),
        (
            "values per channel", [1, 4, 2, 3, 6, 2],
            BatchNormalization(scale: Tensor([2, -3], shape: [2]), offset: Tensor([1, 0.5], shape: [2])), [4, 6, 12]
        ),
        (
            "one value for a single channel", [1, 4, 2, 3, 12, 1],
            BatchNormalization(scale: Tensor([2], shape: [1]), offset: Tensor([1], shape: [1])), [4, 6, 12]
        ),
        ("softmax over the last axis", [1, 4, 2, 3, 6, 2], Softmax(axis: 5), [4, 6, 12]),
        ("softmax over an inner axis", [1, 4, 2, 3, 6, 2], Softmax(axis: 2), [4, 6, 12]),
        ("softmax over an axis of size 1", [2, 2, 2, 1, 3, 12], Softmax(axis: 3), [4, 6, 12]),
        ("log softmax over the first axis", [2, 2, 2, 3, 2, 6], Softmax(axis: 0, isLogarithmic: true), [4, 6, 12]),
    ]

    private func graph(_ six: Shape, _ operation: any Operation, _ result: Shape) throws -> Graph {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 6, 12]))
        let before = try builder.add(Reshape(six), [input], name: "before")[0]
        let done = try builder.add(operation, [before], name: "done")[0]
        builder.output("output", try builder.add(Reshape(result), [done], name: "after")[0])
        return builder.graph
    }

    @Test(arguments: cases) func `a tensor of six axes gets at most five`(
        _ note: String, _ six: Shape, _ operation: any Operation, _ result: Shape
    ) throws {
        let graph = try graph(six, operation, result)
        let merged = try graph.withMergedAxes(maximumRank: 5)
        #expect(merged.types.allSatisfy { $0.shape.rank <= 5 })
        let input = Tensor(noise(288), shape: [1, 4, 6, 12])
        #expect(try merged.evaluate([input])[0].floats == graph.evaluate([input])[0].floats)
        for dialect in Dialect.allCases {
            let back = try dialect.roundTrip(Model(graph: graph)).graph
            #expect(try difference(back.evaluate([input])[0], graph.evaluate([input])[0]) < 2e-3)
        }
    }

    @Test func `a concatenation and a select get at most five axes`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 6, 12]))
        let six = try builder.add(Reshape([1, 4, 1, 6, 1, 12]), [input], name: "six")[0]
        let rows = try builder.add(Concatenation(axis: 2), [six, six], name: "rows")[0]
        let isPositive = try builder.add(
            Binary(.greater, constant: Tensor([0], shape: [])), [six], name: "positive")[0]
        let choice = try builder.add(Select(), [isPositive, rows, six], name: "choice")[0]
        builder.output("output", try builder.add(Reshape([1, 8, 6, 12]), [choice], name: "after")[0])
        let merged = try builder.graph.withMergedAxes(maximumRank: 5)
        #expect(merged.types.allSatisfy { $0.shape.rank <= 5 })
        let image = Tensor(noise(288), shape: [1, 4, 6, 12])
        #expect(try merged.evaluate([image])[0].floats == builder.graph.evaluate([image])[0].floats)
    }

    /// A condition and the values for true and false; nil means the tensor itself.
    static let choices: [(note: String, condition: Tensor?, yes: Tensor?, no: Tensor?)] = [
        ("a scalar for false", nil, nil, Tensor([7], shape: [])),
        ("a scalar for true", nil, Tensor([7], shape: [1]), nil),
        ("values per channel", nil, nil, Tensor([1, 2, 3], shape: [3])),
        ("values per row of a block", nil, Tensor([1, 2], shape: [2, 1, 1]), nil),
        ("a mask", Tensor(shape: [6, 1, 2, 3], element: .bool) { Double($0 % 5) }, nil, Tensor([0], shape: [])),
        ("a mask of six axes", Tensor(shape: [1, 4, 6, 2, 2, 3], element: .bool) { Double($0 % 5) }, nil, nil),
        (
            "three values with six axes", Tensor(shape: [1, 1, 6, 1, 1, 1], element: .bool) { Double($0 % 2) },
            Tensor([1, 2], shape: [1, 1, 1, 2, 1, 1]), Tensor([3, 4, 5], shape: [1, 1, 1, 1, 1, 3])
        ),
    ]

    @Test(arguments: choices) func `a select of tensors of fewer axes gets at most five`(
        _ note: String, _ condition: Tensor?, _ yes: Tensor?, _ no: Tensor?
    ) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 6, 12]))
        let six = try builder.add(Reshape([1, 4, 6, 2, 2, 3]), [input], name: "six")[0]
        let isPositive = try builder.add(
            Binary(.greater, constant: Tensor([0], shape: [])), [six], name: "positive")[0]
        let operands = try zip(["condition", "yes", "no"], [condition, yes, no]).map { name, constant in
            try constant.map { try builder.add(Constant($0), [], name: name)[0] }
                ?? (name == "condition" ? isPositive : six)
        }
        let choice = try builder.add(Select(), operands, name: "choice")[0]
        let sum = try builder.add(Binary(.add), [choice, six], name: "sum")[0]
        builder.output("output", try builder.add(Reshape([4, 6, 12]), [sum], name: "after")[0])
        let graph = builder.graph.pruned()
        let merged = try graph.withMergedAxes(maximumRank: 5)
        #expect(merged.types.allSatisfy { $0.shape.rank <= 5 })
        let image = Tensor(noise(288), shape: [1, 4, 6, 12])
        #expect(try merged.evaluate([image])[0].floats == graph.evaluate([image])[0].floats)
        for dialect in Dialect.allCases {
            let back = try dialect.roundTrip(Model(graph: graph)).graph
            #expect(try difference(back.evaluate([image])[0], graph.evaluate([image])[0]) < 2e-3)
        }
    }

    @Test func `a tensor whose axes cannot be merged is refused by name`() throws {
        let graph = try graph([2, 2, 2, 2, 3, 6], Transpose([5, 4, 3, 2, 1, 0]), [1, 4, 6, 12])
        let failure = #expect(throws: Failure.self) { try NeuralNetworkWriter.message(Model(graph: graph)) }
        #expect(failure?.description.contains("has 6 axes") == true, "\(failure?.description ?? "")")
    }
}
