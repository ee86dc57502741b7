import Testing

@testable import Thaw

/// A model's inputs, outputs and metadata.
@Suite struct InterfaceTests {
    /// A classifier of three classes with a second output.
    static func model(_ activation: any Operation = Softmax(axis: 1)) throws -> Model {
        var builder = GraphBuilder()
        let input = builder.input("data/in", TensorType([1, 6, 8, 3]))
        let mean = Reduction(function: .mean, axes: [1, 2], keepsAxes: false)
        let features = try builder.add(mean, [input], name: "features")[0]
        builder.output("scores:0", try builder.add(activation, [features], name: "scores")[0])
        builder.output("features", features)
        return Model(
            graph: builder.graph, image: ImageInput(name: "data/in", width: 8, height: 6, color: .rgb),
            classifier: ClassifierConfiguration(labels: ["a", "b", "c"], probabilities: "scores:0"))
    }

    // MARK: Shapes

    @Test(arguments: Dialect.allCases) func `a scalar output has no axis, a vector of one keeps its axis`(
        _ dialect: Dialect
    ) throws {
        var builder = GraphBuilder()
        let input = builder.input("in", TensorType([1, 2, 3, 4]))
        for (name, axes) in [("number", [0, 1, 2, 3]), ("row", [1, 2, 3])] {
            let sum = Reduction(function: .sum, axes: axes, keepsAxes: false)
            builder.output(name, try builder.add(sum, [input], name: name)[0])
        }
        let back = try dialect.roundTrip(dialect.roundTrip(Model(graph: builder.graph)))
        #expect(back.graph.outputs.map { back.graph[$0.value].shape.dimensions } == [[], [1]])
        #expect(back.graph.outputs.map(\.name) == ["number", "row"])
        let values = noise(24)
        for output in try back.graph.evaluate([Tensor(values, shape: [1, 2, 3, 4])]) {
            #expect(abs(output.floats[0] - values.reduce(0, +)) < 1e-3)
        }
    }

    @Test(arguments: Dialect.allCases) func `an array next to the image keeps its axis order`(
        _ dialect: Dialect
    ) throws {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 2, 4, 3]))
        let array = builder.input("array", TensorType([1, 2, 4, 3]))
        builder.output("out", try builder.add(Binary(.add), [image, array], name: "out")[0])
        let model = Model(
            graph: builder.graph, image: ImageInput(name: "image", width: 4, height: 2, color: .rgb))
        let back = try dialect.roundTrip(model)
        let inputs = [Tensor(noise(24), shape: [1, 2, 4, 3]), Tensor(noise(24, seed: 2), shape: [1, 2, 4, 3])]
        #expect(back.graph.inputs.map { back.graph[$0.value].shape } == [[1, 2, 4, 3], [1, 2, 4, 3]])
        let expected = try model.graph.evaluate(inputs)[0].floats
        #expect(try zip(back.graph.evaluate(inputs)[0].floats, expected).allSatisfy { abs($0 - $1) < 2e-3 })
    }

    @Test(arguments: Dialect.allCases) func `the mean of integers is an integer`(_ dialect: Dialect) throws {
        var builder = GraphBuilder()
        let input = builder.input("in", TensorType([1, 2, 3, 4]))
        let whole = try builder.add(Cast(element: .int32), [input], name: "whole")[0]
        let mean = Reduction(function: .mean, axes: [1, 2], keepsAxes: false)
        builder.output("out", try builder.add(mean, [whole], name: "out")[0])
        let back = try dialect.roundTrip(Model(graph: builder.graph))
        let values = Tensor(noise(24).map { $0 * 10 }, shape: [1, 2, 3, 4])
        let output = try back.graph.evaluate([values])[0].floats
        #expect(try output == builder.graph.evaluate([values])[0].floats)
        #expect(output.allSatisfy { $0 == $0.rounded() })
    }

    /// A layer that training never reached has such a range.
    @Test(arguments: Dialect.allCases) func `fake quantization to a range of 0 alone gives 0`(_ dialect: Dialect) throws
    {
        var builder = GraphBuilder()
        let input = builder.input("in", TensorType([1, 2, 3, 2]))
        let levels = [(-1, 1), (0, 0)].map { (low: Float, high: Float) in
            Levels(minimum: low, maximum: high, bottom: 0, top: 255)
        }
        builder.output("out", try builder.add(FakeQuantize(channels: levels), [input], name: "out")[0])
        let back = try dialect.roundTrip(Model(graph: builder.graph))
        let values = Tensor(noise(12), shape: [1, 2, 3, 2])
        let output = try back.graph.evaluate([values])[0]
        #expect(try output == builder.graph.evaluate([values])[0])
        #expect(output.floats.enumerated().allSatisfy { $0 % 2 == 0 || $1 == 0 })
    }

    // MARK: Scaling

    /// A squared difference begins with a difference, which looks like a part of the image's scaling.
    @Test(arguments: Dialect.allCases) func `the network's own arithmetic stays separate from the image's scaling`(
        _ dialect: Dialect
    ) throws {
        for (scale, bias) in [([1.0, 1, 1], [0.0, 0, 0]), ([2, 2, 2], [1, -1, 0]), ([2, 3, 4], [1, -1, 0])] {
            var builder = GraphBuilder()
            let input = builder.input("in", TensorType([1, 2, 4, 3]))
            let difference = Binary(.squaredDifference, constant: Tensor([0.5], shape: []))
            builder.output("out", try builder.add(difference, [input], name: "out")[0])
            let scaling = PixelScaling(scale: scale, bias: bias)
            let model = Model(
                graph: builder.graph,
                image: ImageInput(name: "in", width: 4, height: 2, color: .rgb, scaling: scaling))
            var back = try dialect.roundTrip(model)
            // And again: the model that was read is written unchanged.
            for _ in 0..<2 {
                let values = noise(24)
                let array = Tensor(values, shape: [1, 2, 4, 3])
                let output = try ArrayRunner(back).run([("in", array)])[0].array
                let expected = values.map { ($0 - 0.5) * ($0 - 0.5) }
                #expect(zip(output.floats, expected).allSatisfy { abs($0 - $1) < 2e-3 })
                let outer = try #require(back.image?.outerScaling)
                #expect(zip(outer.scale + outer.bias, scale + bias).allSatisfy { abs($0 - $1) < 1e-4 })
                back = try dialect.roundTrip(back)
            }
        }
    }

    // MARK: Descriptions

    private struct Description: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let words: String
        var programWords: String?
        let change: @Sendable (inout Message) -> Void
    }

    @Test(
        arguments: [
            Description(testDescription: "no outputs", words: "description has no outputs") {
                $0.output = [] as [Message]
            },
            Description(
                testDescription: "another name of the label output",
                words: "the classifier's label output is named 'nope'"
            ) {
                $0.predictedFeatureName = "nope"
            },
            Description(
                testDescription: "no name of the label output", words: "the classifier's label output is named ''"
            ) {
                $0.predictedFeatureName = ""
            },
            Description(
                testDescription: "another name of the probabilities output",
                words: "probabilities output is named 'nope'"
            ) {
                $0.predictedProbabilitiesName = "nope"
            },
            Description(
                testDescription: "a dictionary that is not computed",
                words:
                    "'nope' is a dictionary, but is not the network's class probabilities; these are 'scores_0'",
                programWords: "no layer computes the output 'nope'"
            ) {
                var outputs: [Message] = $0.output
                outputs[0].name = "nope"
                $0.output = outputs
                $0.predictedProbabilitiesName = "nope"
            },
        ], [Dialect.neuralNetwork, .program])
    private func `a description with wrong outputs is refused`(
        _ description: Description, _ dialect: Dialect
    ) throws {
        let model = try Self.model()
        let isProgram = dialect == .program
        var message = try isProgram ? ProgramWriter.run(model).message : NeuralNetworkWriter.message(model)
        description.change(&message.description)
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        let words = isProgram ? description.programWords ?? description.words : description.words
        #expect(failure?.problemText.contains(words) == true, "\(failure.map { "\($0)" } ?? "")")
    }

    /// Scripts rename the input of the preprocessing, which coremltools writes for every image.
    @Test func `an image that is not scaled has preprocessing, too`() throws {
        var model = try Self.model()
        model.image?.scaling = PixelScaling(scale: [1, 1, 1], bias: [0, 0, 0])
        let preprocessing: [Message] = try NeuralNetworkWriter.message(model).neuralNetworkClassifier.preprocessing
        #expect(preprocessing.map { $0.featureName as String } == ["data_in"])
        #expect(preprocessing.map { $0.scaler.channelScale as Double } == [1])
    }

    @Test func `preprocessing that multiplies by 0 is refused`() throws {
        var model = try Self.model()
        model.image?.scaling = PixelScaling(scale: [2, 2, 2], bias: [1, 2, 3])
        var message = try NeuralNetworkWriter.message(model)
        var preprocessing: [Message] = message.neuralNetworkClassifier.preprocessing
        preprocessing[0].scaler.channelScale = 0.0
        message.neuralNetworkClassifier.preprocessing = preprocessing
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("the preprocessing of 'data_in' has no scale, or one of 0") == true)
    }

    /// In the format, a scale of 0 means that none is given.
    @Test(arguments: [0, 1e-60], Dialect.allCases) func `an image that the network itself multiplies by 0 is kept so`(
        _ scale: Double, _ dialect: Dialect
    ) throws {
        var model = try Self.model()
        model.image?.scaling = PixelScaling(scale: [scale, scale, scale], bias: [1, 2, 3])
        #expect(try dialect.roundTrip(model).image?.scaling == PixelScaling(scale: [0, 0, 0], bias: [1, 2, 3]))
    }

    // MARK: Names

    @Test(arguments: Dialect.allCases) func `inputs and outputs are renamed`(_ dialect: Dialect) throws {
        var model = try Self.model()
        // By the name in the graph or in Core ML; two names are swapped.
        try model.rename([
            ("data/in", "photo"), ("scores_0", "features"), ("features", "scores"), ("classLabel", "best"),
        ])
        let back = try dialect.roundTrip(model)
        #expect(back.image?.name == "photo")
        #expect(back.graph.inputs.map(\.name) == ["photo"])
        #expect(back.graph.outputs.map(\.name) == ["features", "scores"])
        #expect(back.classifier?.predictedFeature == "best" && back.classifier?.probabilities == "features")
        #expect(back.graph.outputs.map { back.graph[$0.value].shape } == [[1, 3], [1, 3]])
    }

    @Test(arguments: Dialect.allCases) func `an output keeps its name although an inner node has it too`(
        _ dialect: Dialect
    ) throws {
        var model = try Self.model(Unary(.tanh))
        try model.rename([("features", "scores"), ("scores:0", "chances"), ("classLabel", "data")])
        let back = try dialect.roundTrip(model)
        #expect(back.graph.outputs.map(\.name) == ["chances", "scores"])
        #expect(back.classifier?.predictedFeature == "data")
    }

    @Test(arguments: [
        (
            [("x", "y")],
            "there is no input or output 'x'; the names are 'data_in', 'scores_0', 'features', 'classLabel'"
        ),
        ([("data/in", "scores_0")], "two inputs or outputs would have the name 'scores_0'; names must be unique"),
        ([("data/in", "classLabel")], "two inputs or outputs would have the name 'classLabel'"),
        ([("data/in", "a"), ("features", "a")], "two inputs or outputs would have the name 'a'"),
        ([("data/in", "a"), ("data_in", "b")], "'data_in' is renamed twice"),
        ([("data/in", "")], "'' cannot be the name of an input or output; use letters, digits and underscores"),
        ([("data/in", "1st")], "'1st' cannot be the name"), ([("data/in", "a b")], "'a b' cannot be the name"),
        ([("data/in", "größe")], "'größe' cannot be the name"), ([("data/in", "a-b")], "'a-b' cannot be the name"),
    ]) func `invalid names are refused`(_ renamings: [(String, String)], _ message: String) throws {
        var model = try Self.model()
        let failure = #expect(throws: Failure.self) { try model.rename(renamings.map { (old: $0.0, new: $0.1) }) }
        #expect(failure?.description.hasPrefix(message) == true, "\(failure.map { "\($0)" } ?? "")")
    }

    // MARK: Metadata

    @Test(arguments: Dialect.allCases) func `metadata is read back`(_ dialect: Dialect) throws {
        var model = try Self.model()
        model.metadata.author = "Å. Person"
        model.metadata.license = "CC0"
        model.metadata.description = "Tells\nthings"
        model.metadata.version = "2.1"
        model.metadata.userDefined = ["run": "17", "empty": "", "com.apple.coreml.model.preview.type": "other"]
        for (name, text) in [("data/in", "A leaf"), ("features", "Means"), ("classLabel", "The plant")] {
            try model.describe(name, text)
        }
        let back = try dialect.roundTrip(model)
        #expect(back.metadata == model.metadata)
        #expect(back.metadata.features == ["data_in": "A leaf", "features": "Means", "classLabel": "The plant"])
        // Default descriptions are not read as the user's.
        #expect(try dialect.roundTrip(Self.model()).metadata == Metadata())
        #expect(throws: Failure.self) { try model.describe("x", "") }
        // A description is kept when its feature is renamed.
        try model.rename([("data_in", "leaf")])
        #expect(model.metadata.features == ["leaf": "A leaf", "features": "Means", "classLabel": "The plant"])
        try model.rename([("features", "classLabel"), ("classLabel", "features")])
        #expect(model.metadata.features == ["leaf": "A leaf", "classLabel": "Means", "features": "The plant"])
    }

    // MARK: Arithmetic

    /// A program in half precision rounds the scaled image before its first layer. That is a matter of precision, not
    /// of the network: a neural network made from it takes the unrounded image, and its outputs differ from the
    /// program's by that rounding.
    @Test func `a neural network made from a half-precision program does not round the image`() throws {
        let network = NetworkCase.all.first { $0.name == "mobilenet_v1_folded" }!
        let whole = try network.conversion().model
        let program = try Dialect.halfProgram.roundTrip(whole)
        #expect(program.graph.nodes.contains { ($0.operation as? Unary)?.function == .float16 })
        let back = try Dialect.neuralNetwork.roundTrip(program)
        #expect(!back.graph.nodes.contains { ($0.operation as? Unary)?.function == .float16 })
        #expect(back.image == program.image)
        for (input, _) in try network.references() {
            let outputs = [program, back].map { $0.graph.output(for: input) }
            #expect(difference(outputs[1], outputs[0]) <= Dialect.halfProgram.tolerance)
        }
    }
}
