import Testing

@testable import Thaw

/// Core ML models that are written from scratch, in another format or precision: what callers see stays the same.
@Suite struct RewritingTests {
    @Test(
        arguments: [
            ("ranges.mlpackage", "has a flexible shape"),
            ("enumerated.mlpackage", "has a flexible shape"),
            ("optional.mlpackage", "may be omitted"),
        ])
    func `arrays that the result could not have are refused`(_ name: String, _ reason: String) throws {
        let document = try ModelDocument(contentsOfFile: Fixtures.path("inputs/" + name))
        for (format, weights) in [(ModelFormat.coreML, nil), (.coreMLPackage, WeightStorage(.float32))] {
            let failure = #expect(throws: Failure.self) { try document.bytes(as: format, weights: weights) }
            #expect(failure?.problem.contains(reason) == true, "\(failure?.description ?? "")")
        }
        _ = try document.bytes()
    }

    /// A gray image of 16 bits to an array or an image of 16 bits.
    private func half(_ folder: TemporaryFolder, isImage: Bool) throws -> ModelDocument {
        var builder = GraphBuilder(channelOrder: .channelsLast)
        let image = builder.input("image", TensorType([1, 4, 4, 1]))
        builder.output("output", try builder.one(Unary(.sigmoid), image))
        var model = Model(graph: builder.graph)
        model.image = ImageInput(name: "image", width: 4, height: 4, color: .gray)
        if isImage { model.imageOutput = ImageOutput(form: ImageForm([1, 4, 4, 1])!, color: .gray) }
        let path = folder.url.appending(path: "half.mlpackage").path
        try model.write(
            toFile: path, weights: WeightStorage(.float32),
            precision: ProgramPrecision(inputs: .float16, outputs: .float16))
        return try ModelDocument(contentsOfFile: path)
    }

    @Test(arguments: [false, true]) func `float16 inputs and outputs keep their type`(_ isImage: Bool) throws {
        let folder = try TemporaryFolder()
        let document = try half(folder, isImage: isImage)
        let (before, bytes) = (
            try document.features(), try document.bytes(as: .coreMLPackage, weights: WeightStorage(.float32))
        )
        let after = try bytes.model.withUnsafeBytes { model in
            try (bytes.weights ?? []).withUnsafeBytes { try ModelDocument(decoding: model, weights: $0).features() }
        }
        #expect(after.inputs.map(\.kind) == before.inputs.map(\.kind))
        #expect(after.outputs.map(\.kind) == before.outputs.map(\.kind))
        let failure = #expect(throws: Failure.self) { try document.bytes(as: .coreML) }
        #expect(failure?.problem.contains("is an image of 16 bits") == true)
    }
}
