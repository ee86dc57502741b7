import Foundation
import Testing

@testable import Thaw

/// The types of an ML Program's inputs, computation and outputs, independent of how weights are stored.
@Suite struct ProgramPrecisionTests {
    /// A gray or color image of 4×4 pixels, a convolution of 64 filters and one of 3.
    private static func model(_ color: ColorLayout = .gray, isImage: Bool = true) throws -> Model {
        var builder = GraphBuilder(channelOrder: .channelsLast)
        let channels = color.channels
        let image = builder.input("image", TensorType([1, 4, 4, channels]))
        func convolution(_ from: Int, _ to: Int) -> Convolution {
            Convolution(
                filters: Tensor(noise(from * to).map { $0 / 8 }, shape: [1, 1, from, to]),
                bias: Tensor(noise(to), shape: [to]), window: Window(height: .init(size: 1), width: .init(size: 1)))
        }
        let middle = try builder.one(convolution(channels, 64), image)
        builder.output("output", try builder.one(convolution(64, 3), middle))
        let input = ImageInput(
            name: "image", width: 4, height: 4, color: color,
            scaling: PixelScaling(
                scale: Array(repeating: 1.0 / 255, count: channels), bias: Array(repeating: -0.5, count: channels)))
        return Model(graph: builder.graph, image: isImage ? input : nil)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var weights: WeightType
        var compute: ComputePrecision?
        /// The expected kinds of casts and of operations that decompress constants.
        var operations: Set<String>
        var version: CoreMLVersion
        var testDescription: String { "weights \(weights.rawValue), arithmetic \(compute?.rawValue ?? "as usual")" }
    }

    /// coremltools keeps them from becoming 0 too.
    @Test func `small constants do not become 0 in half precision`() throws {
        var builder = GraphBuilder(channelOrder: .channelsLast)
        let x = builder.input("x", TensorType([1, 3]))
        let raised = try builder.one(Binary(.add, constant: Tensor([1e-8], shape: [])), x)
        builder.output("y", try builder.one(Binary(.add, constant: Tensor([-1e-9, 0, 1], shape: [3])), raised))
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "m.mlpackage").path
        try Model(graph: builder.graph).write(toFile: path)
        let read = try Model.load(contentsOfFile: path).model.graph
        let (smallest, input) = (Float(0x1p-24), Tensor([0, 0, 0], shape: [1, 3]))
        #expect(read.output(for: input).floats == [0, smallest, 1 + smallest])
    }

    static let cases = [
        Case(weights: .float32, compute: nil, operations: [], version: .iOS15),
        Case(weights: .float32, compute: .float32, operations: [], version: .iOS15),
        Case(weights: .float32, compute: .float16, operations: ["cast"], version: .iOS15),
        Case(weights: .float16, compute: nil, operations: ["cast"], version: .iOS15),
        Case(weights: .float16, compute: .float16, operations: ["cast"], version: .iOS15),
        Case(weights: .float16, compute: .float32, operations: ["constexpr_cast"], version: .iOS16),
        Case(
            weights: .int8, compute: .float32, operations: ["constexpr_affine_dequantize", "constexpr_cast"],
            version: .iOS16),
        Case(weights: .int8, compute: nil, operations: ["constexpr_affine_dequantize", "cast"], version: .iOS16),
        Case(
            weights: .palette8, compute: .float32, operations: ["constexpr_lut_to_dense", "constexpr_cast"],
            version: .iOS16),
    ]

    @Test(arguments: cases) func `arithmetic and storage are independent`(_ test: Case) throws {
        let model = try Self.model()
        let storage = WeightStorage(test.weights, minimumCount: 64)
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlpackage").path
        let written = try model.write(
            toFile: path, weights: storage, precision: ProgramPrecision(compute: test.compute))
        #expect(written.version == test.version)
        let program = try ProgramWriter.run(model, weights: storage, precision: ProgramPrecision(compute: test.compute))
        let kinds = Set(try ProgramReader.kinds(program.message))
        #expect(
            kinds.intersection(["cast", "constexpr_cast", "constexpr_affine_dequantize", "constexpr_lut_to_dense"])
                == test.operations)
        // Filters, and other tensors large enough for the weight file, have the requested type.
        let usual = try ProgramWriter.run(model, weights: storage)
        #expect(abs(program.weights.byteCount - usual.weights.byteCount) <= 1024)
        let back = try Model.load(contentsOfFile: path).model
        let input = Tensor(noise(16), shape: [1, 4, 4, 1])
        let (expected, result) = (model.graph.output(for: input), back.graph.output(for: input))
        #expect(difference(result, expected) <= (test.weights == .float32 && test.compute != .float16 ? 1e-5 : 2e-2))
    }

    @Test func `gray images and arrays may have 16 bits, and are read back`() throws {
        let half = ProgramPrecision(inputs: .float16, outputs: .float16)
        for (isImage, color, expected) in [
            (true, ColorLayout.gray, "GRAYSCALE_FLOAT16"), (true, .rgb, "RGB"), (false, .gray, "FLOAT16"),
        ] {
            let model = try Self.model(color, isImage: isImage)
            let program = try ProgramWriter.run(model, precision: half)
            #expect(program.version == .iOS16 && program.message.minimumVersion >= .iOS15)
            let description: Message = program.message["description"]
            let input: Message = (description.input as [Message])[0]["type"]
            #expect(
                (isImage ? input.imageType.colorSpace as String : input.multiArrayType.dataType as String) == expected)
            let output: Message = (description.output as [Message])[0]["type"]
            #expect(output.multiArrayType.dataType as String == "FLOAT16")
            let folder = try TemporaryFolder()
            let path = folder.url.appendingPathComponent("model.mlpackage").path
            try model.write(toFile: path, precision: half)
            let back = try Model.load(contentsOfFile: path)
            #expect(back.warnings.isEmpty)
            #expect(back.model.image?.color == model.image?.color)
            let numbers = Tensor(noise(16 * color.channels), shape: [1, 4, 4, color.channels])
            #expect(difference(back.model.graph.output(for: numbers), model.graph.output(for: numbers)) <= 2e-2)
        }
    }

    @Test func `a gray image output may have 16 bits, which are not clamped`() throws {
        var model = try Self.model()
        var builder = GraphBuilder(channelOrder: .channelsLast)
        let image = builder.input("image", TensorType([1, 4, 4, 1]))
        builder.output("output", try builder.one(Unary(.sigmoid), image))
        model.graph = builder.graph
        model.imageOutput = ImageOutput(
            form: ImageForm([1, 4, 4, 1])!, color: .gray, scaling: PixelScaling(scale: [255], bias: [0]))
        let program = try ProgramWriter.run(model, precision: ProgramPrecision(outputs: .float16))
        let output: Message = (program.message["description"].output as [Message])[0]["type"]
        #expect(output.imageType.colorSpace as String == "GRAYSCALE_FLOAT16")
        #expect(program.version == .iOS16)
        #expect(model.imageOutput?.exceedsPixels == true)
        let userDefined: [String: String] = program.message.description["metadata"].userDefined
        #expect(userDefined["thaw.pixels.bounds"] == nil)
    }

    @Test func `precisions that older systems and neural networks lack are refused`() throws {
        let model = try Self.model()
        for (precision, weights, what) in [
            (ProgramPrecision(inputs: .float16), WeightType.float16, "inputType float16"),
            (ProgramPrecision(outputs: .float16), .float16, "outputType float16"),
            (ProgramPrecision(compute: .float32), .float16, "computePrecision float32 with weights in float16"),
        ] {
            let failure = #expect(throws: Failure.self) {
                try ProgramWriter.run(model, weights: WeightStorage(weights), target: .iOS15, precision: precision)
            }
            #expect(failure?.description.hasPrefix("\(what) needs iOS 16") == true, "\(failure?.description ?? "")")
            let folder = try TemporaryFolder()
            let network = #expect(throws: Failure.self) {
                try model.write(
                    toFile: folder.url.appendingPathComponent("model.mlmodel").path, precision: precision)
            }
            #expect(
                network?.problem.description
                    == "the inputs and outputs of a neural network are float32, and the system chooses its compute precision"
            )
        }
    }

    @Test(arguments: [
        ("iOS15", CoreMLVersion.iOS15), ("ios15", .iOS15), ("macOS12", .iOS15), ("macos10_15", .iOS13),
        ("macOS10.15", .iOS13), ("macOS10_16", .iOS14), ("MACOS11", .iOS14), ("watchOS8", .iOS15),
        ("watchos11", .iOS18),
        ("tvOS18", .iOS18), ("tvOS26", .iOS26), ("watchOS26", .iOS26), ("macOS26", .iOS26), ("iOS11.2", .iOS11Point2),
        ("iOS11_2", .iOS11Point2), ("macOS15", .iOS18), ("macOS9", nil), ("iOS", nil), ("", nil),
    ]) func `targets may be any names of systems`(_ name: String, _ version: CoreMLVersion?) {
        #expect(CoreMLVersion(target: name) == version)
    }
}
