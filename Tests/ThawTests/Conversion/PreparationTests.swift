import Testing

@testable import Thaw

/// Nodes between an image and the first layer of an Inception v3 network, and the expected scaling.
struct PreparationCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var type = DataType.float
    var decodes = false
    var nodes: [NodeDefinition] = []
    /// The expected scaling.
    let scaling: PixelScaling
    /// A part of the expected note or warning.
    let sentence: String
    var color = ColorLayout.rgb
    var isCertain = false

    static let all = [
        PreparationCase(
            testDescription: "nothing: the family's preprocessing", scaling: uniform(1 / 127.5, -1),
            sentence: "preprocessing assumed from the name 'InceptionV3'"),
        PreparationCase(
            testDescription: "arithmetic after a resize", nodes: [resize, node("Div", [127.5]), node("Sub", [1])],
            scaling: uniform(1 / 127.5, -1), sentence: "became the image input's preprocessing", isCertain: true),
        PreparationCase(
            testDescription: "a factor near 1 behind the family's preprocessing", nodes: [node("Mul", [1.2])],
            scaling: uniform(1.2 / 127.5, -1.2), sentence: "preprocessing assumed from the name 'InceptionV3'"),
        PreparationCase(
            testDescription: "a small sum behind the family's preprocessing", nodes: [node("Add", [0.004])],
            scaling: uniform(1 / 127.5, -0.996), sentence: "preprocessing assumed from the name 'InceptionV3'"),
        PreparationCase(
            testDescription: "arithmetic after a border", nodes: [border, node("Div", [127.5])],
            scaling: uniform(1, 0),
            sentence: "the graph preprocesses its images itself, at 'Div'"),
        PreparationCase(
            testDescription: "a mean image", nodes: [node("Sub", noise(48).map { 100 + $0 }, [1, 4, 4, 3])],
            scaling: uniform(1, 0), sentence: "the graph preprocesses its images itself, at 'Sub'"),
        PreparationCase(
            testDescription: "8-bit pixels", type: .uint8, nodes: [cast], scaling: uniform(1, 0),
            sentence: "the graph itself takes 8-bit images", isCertain: true),
        PreparationCase(
            testDescription: "8-bit pixels, with arithmetic", type: .uint8, nodes: [cast, node("Mul", [0.5])],
            scaling: uniform(0.5, 0), sentence: "became the image input's preprocessing", isCertain: true),
        PreparationCase(
            testDescription: "RGB means", nodes: [node("Sub", [123, 117, 104], [3])],
            scaling: PixelScaling(scale: [1, 1, 1], bias: [-123, -117, -104]),
            sentence: "became the image input's preprocessing", isCertain: true),
        PreparationCase(
            testDescription: "BGR means", nodes: [node("Sub", [104, 117, 123], [3])],
            scaling: PixelScaling(scale: [1, 1, 1], bias: [-104, -117, -123]),
            sentence: "BGR input inferred from the means", color: .bgr, isCertain: true),
        PreparationCase(
            testDescription: "BGR means of pixels from 0 to 1", type: .uint8,
            nodes: [cast, node("Div", [255]), node("Sub", [0.406, 0.456, 0.485], [3])],
            scaling: PixelScaling(scale: uniform(1 / 255, 0).scale, bias: [-0.406, -0.456, -0.485]),
            sentence: "BGR input inferred from the means", color: .bgr, isCertain: true),
        PreparationCase(
            testDescription: "BGR means of decoded images", decodes: true,
            nodes: [cast, batch, node("Sub", [104, 117, 123], [3]), resize],
            scaling: PixelScaling(scale: [1, 1, 1], bias: [-104, -117, -123]),
            sentence: "became the image input's preprocessing", isCertain: true),
    ]

    private static func uniform(_ scale: Double, _ bias: Double) -> PixelScaling {
        PixelScaling(scale: [scale, scale, scale], bias: [bias, bias, bias])
    }

    /// A node that reads the previous one and a constant.
    private static func node(_ op: String, _ numbers: [Float], _ shape: Shape = [1]) -> NodeDefinition {
        NodeDefinition(name: op, op: op, attributes: ["constant": .tensor(Tensor(numbers, shape: shape))])
    }

    private static func node(_ op: String, integers: [Int], _ shape: Shape) -> NodeDefinition {
        NodeDefinition(name: op, op: op, attributes: ["constant": .tensor(Tensor(integers: integers, shape: shape))])
    }

    private static let resize = node("ResizeBilinear", integers: [5, 6], [2])
    private static let border = node("Pad", integers: [0, 0, 1, 1, 1, 1, 0, 0], [4, 2])
    private static let batch = node("ExpandDims", integers: [0], [])
    private static let cast = NodeDefinition(name: "Cast", op: "Cast", attributes: ["DstT": .type(.float)])

    var graph: GraphDefinition {
        var all = [
            NodeDefinition(
                name: "input", op: "Placeholder", attributes: ["dtype": .type(type), "shape": .shape([1, 4, 4, 3])])
        ]
        if decodes {
            all = [
                NodeDefinition(name: "file", op: "Placeholder", attributes: ["dtype": .type(.string)]),
                NodeDefinition(
                    name: "input", op: "DecodeJpeg", inputs: ["file"], attributes: ["channels": .int(3)]),
            ]
        }
        var head = "input"
        for var node in nodes {
            node.inputs = [head]
            if let constant = node.attributes.removeValue(forKey: "constant") {
                let name = node.name + "/constant"
                all.append(NodeDefinition(name: name, op: "Const", attributes: ["value": constant]))
                node.inputs.append(name)
            }
            all.append(node)
            head = node.name
        }
        let filters = Attribute.tensor(tensor([1, 1, 3, 2]))
        all.append(NodeDefinition(name: "InceptionV3/filters", op: "Const", attributes: ["value": filters]))
        all.append(
            NodeDefinition(
                name: "InceptionV3/Conv", op: "Conv2D", inputs: [head, "InceptionV3/filters"],
                attributes: ["padding": .string("SAME"), "strides": .list([.int(1), .int(1), .int(1), .int(1)])]))
        return GraphDefinition(nodes: all)
    }
}

@Suite struct PreparationTests {
    @Test(arguments: PreparationCase.all) func `preprocessing in the graph is not repeated`(
        _ c: PreparationCase
    ) throws {
        let conversion = try Converter().convert(graph: c.graph)
        let image = try #require(conversion.model.image)
        let scaling = image.scaling
        #expect(image.color == c.color)
        #expect(zip(scaling.scale, c.scaling.scale).allSatisfy { abs($0 - $1) < 1e-7 })
        #expect(zip(scaling.bias, c.scaling.bias).allSatisfy { abs($0 - $1) < 1e-7 })
        #expect((conversion.notes + conversion.warnings).contains { $0.contains(c.sentence) })
        #expect(conversion.isPreprocessingCertain == c.isCertain)
    }

    /// quantize_nodes computes the range of each image if there is no constant one.
    @Test(arguments: [true, false]) func `quantized images have the family's preprocessing`(_ isConstant: Bool) throws {
        func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
            NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
        }
        let axes = constant("axes", Tensor(integers: [0, 1, 2, 3], shape: [4]))
        let range =
            isConstant
            ? [constant("low", Tensor(-1)), constant("high", Tensor(1))]
            : ["low": "Min", "high": "Max"].sorted { $0.key > $1.key }.map { name, op in
                NodeDefinition(name: name, op: op, inputs: ["input", "axes"])
            }
        let mode: [String: Attribute] = ["T": .type(.quint8), "mode": .string("MIN_FIRST")]
        let quantization = [
            NodeDefinition(name: "quantize", op: "QuantizeV2", inputs: ["input", "low", "high"], attributes: mode),
            NodeDefinition(
                name: "real", op: "Dequantize", inputs: ["quantize", "quantize:1", "quantize:2"], attributes: mode),
        ]
        var nodes = PreparationCase.all[0].graph.nodes
        nodes[nodes.count - 1].inputs[0] = "real"
        nodes.insert(contentsOf: [axes] + range + quantization, at: 1)
        let conversion = try Converter().convert(graph: GraphDefinition(nodes: nodes))
        #expect(try #require(conversion.model.image).scaling.scale == PreparationCase.all[0].scaling.scale)
        #expect(conversion.warnings.isEmpty && !conversion.isPreprocessingCertain)
    }

    @Test(
        arguments: [
            ("DecodeImage", .float, "it decodes images to float32, not to bytes"),
            ("DecodePng", .uint16, "it decodes images to uint16, not to bytes"),
            ("DecodeAndCropJpeg", nil, "its crop window would be lost"),
        ] as [(String, DataType?, String)])
    func `a decoder that does not return a photo's bytes is refused`(
        _ op: String, _ type: DataType?, _ message: String
    ) throws {
        var nodes = PreparationCase.all.first { $0.decodes }!.graph.nodes
        let index = try #require(nodes.firstIndex { $0.op == "DecodeJpeg" })
        nodes[index].op = op
        if let type { nodes[index].attributes["dtype"] = .type(type) }
        let failure = #expect(throws: Failure.self) {
            try Converter().convert(graph: GraphDefinition(nodes: nodes))
        }
        #expect(failure?.description.contains(message) == true, "\(failure.map(\.description) ?? "")")
    }
}
