import Testing

@testable import Thaw

/// Slices of an image that has several sizes.
@Suite struct ImageSlicesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var begin: [Int]
        var end: [Int]
        var step: [Int]
        var beginMask: Int
        var endMask: Int
        /// Whether the index after the last element is not at a fixed distance from either border.
        var isRefused = false
    }

    private static let cases = [
        Case(
            testDescription: "x[:, 1:-1, 2:-2]", begin: [0, 1, 2, 0], end: [0, -1, -2, 0], step: [1, 1, 1, 1],
            beginMask: 0b1001, endMask: 0b1001),
        Case(
            testDescription: "x[:, -6:]", begin: [0, -6, 0, 0], end: [0, 0, 0, 0], step: [1, 1, 1, 1],
            beginMask: 0b1101, endMask: 0b1111),
        Case(
            testDescription: "x[:, ::2, 1::2]", begin: [0, 0, 1, 0], end: [0, 0, 0, 0], step: [1, 2, 2, 1],
            beginMask: 0b1011, endMask: 0b1111),
        Case(
            testDescription: "x[:, ::-1, -2:-7:-1]", begin: [0, 0, -2, 0], end: [0, 0, -7, 0], step: [1, -1, -1, 1],
            beginMask: 0b1011, endMask: 0b1011),
        Case(
            testDescription: "x[:, ::-1, :-2:2]", begin: [0, 0, 0, 0], end: [0, 0, -2, 0], step: [1, -1, 2, 1],
            beginMask: 0b1111, endMask: 0b1011, isRefused: true),
    ]

    private static func graph(_ test: Case) -> GraphDefinition {
        func whole(_ name: String, _ numbers: [Int]) -> NodeDefinition {
            let value = Attribute.tensor(Tensor(integers: numbers, shape: [numbers.count]))
            return NodeDefinition(name: name, op: "Const", attributes: ["value": value])
        }
        return GraphDefinition(nodes: [
            NodeDefinition(
                name: "image", op: "Placeholder",
                attributes: ["dtype": .type(.float), "shape": .shape([1, -1, -1, 3])]),
            whole("begin", test.begin), whole("end", test.end), whole("step", test.step),
            NodeDefinition(
                name: "part", op: "StridedSlice", inputs: ["image", "begin", "end", "step"],
                attributes: ["begin_mask": .int(test.beginMask), "end_mask": .int(test.endMask)]),
            NodeDefinition(name: "answer", op: "Tanh", inputs: ["part"]),
        ])
    }

    @Test(arguments: cases, ["mlmodel", "mlpackage"])
    func `a slice is the same part of images of all sizes`(_ test: Case, _ kind: String) throws {
        var options = Converter.Options()
        options.preprocessing = .raw
        options.imageOutput = false
        options.sizes = .range(width: 12...33, height: 14...40)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "model.\(kind)").path
        let model = try Converter(options).convert(graph: Self.graph(test)).model
        if test.isRefused {
            let failure = #expect(throws: Failure.self) { try model.write(toFile: path) }
            #expect(failure?.description.contains("part") == true)
            return
        }
        try model.write(toFile: path, weights: WeightStorage(.float32))
        let read = try Model.load(contentsOfFile: path).model
        options.sizes = .fixed
        for (width, height) in [(12, 14), (33, 40), (12, 40), (19, 30), (20, 21)] {
            let size = ImageSize(width: width, height: height)
            options.size = size
            let expected = try Converter(options).convert(graph: Self.graph(test)).model
            let input = Tensor(noise(size.width * size.height * 3), shape: [1, size.height, size.width, 3])
            let output = try read.resizer!.model(at: size).graph.evaluate([input])[0]
            let truth = try expected.graph.evaluate([input])[0]
            try #require(output.shape.elementCount == truth.shape.elementCount)
            #expect(difference(output.reshaped(truth.shape), truth) <= 1e-6, "\(size)")
        }
    }
}
