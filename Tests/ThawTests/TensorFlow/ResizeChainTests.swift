import Testing

@testable import Thaw

/// Nodes between an image of unknown size and the resize that determines its size.
@Suite struct ResizeChainTests {
    /// A cast before a resize to 2×1 pixels.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let type: DataType
        /// The width of the image, which is one pixel high; nil if the resize determines it.
        let width: Int?
        let image: [Float]
        /// Twice the values after the resize.
        let output: [Float]

        func conversion(width: Int?) throws -> Conversion {
            let attributes: [String: Attribute] = ["dtype": .type(.float), "shape": .shape([1, -1, -1, 1])]
            let cast: [String: Attribute] = ["SrcT": .type(.float), "DstT": .type(type)]
            var options = Converter.Options()
            (options.outputs, options.size) = (["y"], width.map { ImageSize(width: $0, height: 1) })
            return try Converter(options).convert(
                graph: GraphDefinition(nodes: [
                    NodeDefinition(name: "x", op: "Placeholder", attributes: attributes),
                    NodeDefinition(name: "cast", op: "Cast", inputs: ["x"], attributes: cast),
                    NodeDefinition(
                        name: "size", op: "Const", attributes: ["value": .tensor(Tensor(integers: [1, 2], shape: [2]))]),
                    NodeDefinition(
                        name: "resized", op: "ResizeBilinear", inputs: ["cast", "size"],
                        attributes: ["half_pixel_centers": .bool(true)]),
                    NodeDefinition(
                        name: "filters", op: "Const",
                        attributes: ["value": .tensor(Tensor([2], shape: [1, 1, 1, 1]))]),
                    NodeDefinition(
                        name: "y", op: "Conv2D", inputs: ["resized", "filters"],
                        attributes: [
                            "padding": .string("SAME"), "strides": .list([.int(1), .int(1), .int(1), .int(1)]),
                        ]),
                ]))
        }
    }

    static let cases = [
        Case(
            testDescription: "a cast to floats may follow the resize", type: .float, width: nil, image: [-1.75, 2.5],
            output: [-3.5, 5]),
        // Truncated to -1, 0, 1 and 2, with means -0.5 and 1.5. Resized first, the floats would be truncated to 0 and 2.
        Case(
            testDescription: "a cast to integers stays before it", type: .int32, width: 4,
            image: [-1.75, 0.5, 1.5, 2.75], output: [-1, 3]),
    ]

    @Test(arguments: cases) func `the output is TensorFlow's`(_ c: Case) throws {
        let graph = try c.conversion(width: c.width).model.graph
        let shape = graph[graph.inputs[0].value].shape
        #expect(shape == [1, 1, c.image.count, 1])
        #expect(try graph.evaluate([Tensor(c.image, shape: shape)])[0].floats == c.output)
    }

    @Test(arguments: cases) func `only a resize that may precede the cast determines the size`(_ c: Case) throws {
        guard c.width != nil else {
            #expect(try c.conversion(width: nil).notes.contains { $0.contains("'resized'") })
            return
        }
        let failure = #expect(throws: Failure.self) { try c.conversion(width: nil) }
        #expect(failure?.problem.description == "the size of the input is unknown")
    }
}
