import Testing

@testable import Thaw

/// The graph written as a Core ML neural network and read back.
func roundTrip(_ model: Model) throws -> Model {
    let bytes = try NeuralNetworkWriter.message(model).encoded()
    let message = try bytes.withUnsafeBytes { try Message(.model, reading: ByteView(copying: $0)) }
    return try NeuralNetworkReader.run(message).model
}

@Suite struct RoundTripTests {
    /// Operations that Core ML's neural networks have no exact layer for.
    static let withoutLayer: Set<String> = [
        "Cast", "CumulativeSum", "GatherSlices", "Remainder", "TruncateDivide",
    ]

    @Test(arguments: GraphCase.all) func `a graph comes back from Core ML with the same answer`(_ graphCase: GraphCase)
        throws
    {
        let imported = try graphCase.result()
        let graph = try Passes.run(Passes.simplification, on: imported.graph)
        let shape = graph[graph.inputs[0].value].shape
        var model = Model(graph: graph)
        if imported.takesImage {
            model.image = ImageInput(
                name: graph.inputs[0].name, width: shape[2], height: shape[1], color: shape[3] == 1 ? .gray : .rgb)
        }
        do {
            let back = try roundTrip(model)
            let input = graph.channelsLast(try graphCase.input())
            let answer = back.graph.answer(to: back.image.map { input.scaled($0.scaling) } ?? input)
            #expect(difference(answer, try graphCase.expected()) <= referenceTolerance)
        } catch let failure as Failure {
            let kinds = Set(graph.nodes.map(\.operation.kind))
            let hasTooManyAxes = graph.types.contains { $0.shape.rank > NeuralLayers.mostAxes }
            let takesSeveralImages = imported.takesImage && model.batch != 1
            #expect(takesSeveralImages || hasTooManyAxes || !kinds.isDisjoint(with: Self.withoutLayer), "\(failure)")
        }
    }

    @Test(arguments: NetworkCase.all) func `a network comes back from Core ML with the same answers`(
        _ network: NetworkCase
    ) throws {
        let model = try network.conversion().model
        let back = try roundTrip(model)
        #expect(back.image?.lifted == model.image?.lifted)
        #expect(back.image?.color == model.image?.color)
        #expect(
            back.classifier
                == model.classifier.map {
                    var configuration = $0
                    configuration.probabilities = featureName($0.probabilities)
                    return configuration
                })
        for (input, answer) in try network.references() {
            let fed = back.image?.lifted.map { input.scaled($0) } ?? input
            #expect(difference(back.graph.answer(to: back.graph.channelsLast(fed)), answer) <= referenceTolerance)
        }
    }
}
