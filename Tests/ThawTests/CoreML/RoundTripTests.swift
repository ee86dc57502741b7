import Testing

@testable import Thaw

/// The forms in which a model can be written, and their tolerances.
enum Dialect: String, CaseIterable, Sendable {
    case neuralNetwork, program, halfProgram

    /// Weights with ten fraction bits give outputs of about three digits, somewhat fewer for large sums.
    var tolerance: Float { self == .halfProgram ? 5e-3 : referenceTolerance }

    /// The model written and read back.
    func roundTrip(_ model: Model) throws -> Model {
        let folder = try TemporaryFolder()
        let name = self == .neuralNetwork ? "model.mlmodel" : "model.mlpackage"
        let path = folder.url.appendingPathComponent(name).path
        try model.write(toFile: path, weights: WeightStorage(self == .halfProgram ? .float16 : .float32))
        return try Model.load(contentsOfFile: path).model
    }
}

@Suite struct RoundTripTests {
    /// Cases in which rounding to float16 moves a value to another side of a step.
    static let steps: Set<String> = ["function/fake_quant_args_default", "function/floor_of_conv"]
    /// The largest float16 value.
    static let largestHalf: Float = 65504

    @Test(arguments: GraphCase.all, Dialect.allCases) func `a graph written and read back gives the same output`(
        _ graphCase: GraphCase, _ dialect: Dialect
    ) throws {
        let imported = try graphCase.result()
        let graph = try Passes.run(Passes.simplification, on: imported.graph)
        let shape = graph[graph.inputs[0].value].shape
        var model = Model(graph: graph)
        if imported.takesImage {
            model.image = ImageInput(
                name: graph.inputs[0].name, width: shape[2], height: shape[1], color: shape[3] == 1 ? .gray : .rgb)
        }
        do {
            let back = try dialect.roundTrip(model)
            let input = graph.channelsLast(try graphCase.input())
            let output = back.graph.output(for: back.image.map { input.scaled($0.scaling) } ?? input)
            let expected = try graphCase.expected()
            if dialect == .halfProgram {
                // Rounding errors depend on the magnitude of values, not on their range.
                let magnitude = (input.floats + expected.floats).map(abs).filter(\.isFinite).max() ?? 0
                let hasSteps = Self.steps.contains(graphCase.name) || graphCase.name.hasPrefix("quantized/")
                guard magnitude <= Self.largestHalf, !hasSteps else { return }
                #expect(difference(output, expected) <= dialect.tolerance * max(1, magnitude))
            } else {
                #expect(difference(output, expected) <= max(dialect.tolerance, graphCase.tolerance))
            }
        } catch let failure as Failure {
            let hasTooManyAxes = graph.types.contains { $0.shape.rank > CoreMLDialect.maximumRank }
            let takesSeveralImages = imported.takesImage && model.batchSize != 1
            // Core ML does not load models without layers.
            let hasNoLayers = graph.nodes.isEmpty
            #expect(takesSeveralImages || hasTooManyAxes || hasNoLayers, "\(failure)")
        }
    }

    @Test(arguments: NetworkCase.all, Dialect.allCases) func `a network written and read back gives the same outputs`(
        _ network: NetworkCase, _ dialect: Dialect
    ) throws {
        let model = try network.conversion().model
        let back = try dialect.roundTrip(model)
        #expect(back.image?.lifted == model.image?.lifted)
        #expect(back.image?.color == model.image?.color)
        #expect(
            back.classifier
                == model.classifier.map {
                    var configuration = $0
                    configuration.probabilities = featureName($0.probabilities)
                    return configuration
                })
        for (input, output) in try network.references() {
            let fed = back.image?.lifted.map { input.scaled($0) } ?? input
            #expect(difference(back.graph.output(for: back.graph.channelsLast(fed)), output) <= dialect.tolerance)
        }
    }

    /// A program's scaling and the clamp after it are read as a hard sigmoid.
    @Test(arguments: [nil, PixelScaling(scale: [1.5, 1.5, 1.5], bias: [0.2, 0.2, 0.2])], Dialect.allCases)
    func `scaling that becomes part of an operation is applied once`(
        _ lifted: PixelScaling?, _ dialect: Dialect
    ) throws {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 4, 4, 3]))
        let bounded = try builder.one(Binary(.maximum, constant: Tensor([0], shape: [])), image)
        builder.output("answer", try builder.one(Binary(.minimum, constant: Tensor([1], shape: [])), bounded))
        let outer = PixelScaling(scale: [0.8, 0.8, 0.8], bias: [0.1, 0.1, 0.1])
        var model = Model(
            graph: builder.graph,
            image: ImageInput(
                name: "image", width: 4, height: 4, color: .rgb,
                scaling: lifted.map { outer.followed(by: $0) } ?? outer))
        model.image!.lifted = lifted
        let back = try dialect.roundTrip(model)
        let read = try #require(back.image)
        #expect(read.scaling.isIdentity == (dialect == .program))
        let input = Tensor(noise(48), shape: [1, 4, 4, 3])
        func output(_ model: Model, _ scaling: PixelScaling?) -> Tensor {
            model.graph.output(for: scaling.map { input.scaled($0) } ?? input)
        }
        #expect(difference(output(back, read.lifted), output(model, lifted)) <= dialect.tolerance)
        #expect(difference(output(back, read.scaling), output(model, model.image?.scaling)) <= dialect.tolerance)
    }
}
