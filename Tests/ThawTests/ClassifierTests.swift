import Foundation
import Testing

@testable import Thaw

@Suite struct ClassifierTests {
    /// RGB pixels, whatever the model's channel order: the expected outputs used the model's own.
    @Test(arguments: Fixtures.table("coreml/coreml.tsv").filter { $0[1] != "-" })
    func `an image of the network's size gives TensorFlow's probabilities`(_ row: [String]) throws {
        let model = try Model.load(contentsOfFile: Fixtures.path("coreml/\(row[0]).mlmodel")).model
        let classifier = try Classifier(model)
        for index in 0...1 {
            let input = try Tensor(contentsOfNumPyFile: Fixtures.path("coreml/\(row[0]).input\(index).npy"))
            let expected = try Tensor(contentsOfNumPyFile: Fixtures.path("coreml/\(row[0]).output\(index).npy"))
            let pixels = Pixels(
                width: input.shape[1], height: input.shape[0], channels: input.shape[2],
                bytes: input.floats.map { UInt8($0) })
            let result = classifier.classify(pixels)
            let numbers = Tensor(result.probabilities, shape: expected.shape)
            #expect(difference(numbers, expected) <= referenceTolerance)
            let best = try #require(result.top(1).first)
            #expect(best.probability == result.probabilities.max())
            #expect(best.label == model.classifier.map { $0.labels[best.index] } ?? "\(best.index)")
        }
    }

    @Test func `a thousand runs on many threads give the same probabilities, bit by bit`() throws {
        let classifier = try Classifier(contentsOfFile: Fixtures.path("coreml/rgb.mlmodel"))
        let path = ImageFixtures.path("good/rgb-8.png")
        let expected = try classifier.classify(imageAt: path).probabilities
        let different = Lock()
        nonisolated(unsafe) var differences = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<125 where (try? classifier.classify(imageAt: path).probabilities) != expected {
                different.withLock { differences += 1 }
            }
        }
        #expect(differences == 0)
    }

    @Test func `a canceled task classifies nothing`() async throws {
        let classifier = try Classifier(contentsOfFile: Fixtures.path("coreml/rgb.mlmodel"))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await classifier.classification(ofImageAt: ImageFixtures.path("good/rgb-8.png"))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `of equal values the lower index comes first, and NaN comes last`() {
        let result = Classification(probabilities: [0.25, .nan, 0.5, 0.25], labels: ["a", "b", "c", "d"])
        #expect(result.top(9).map(\.label) == ["c", "a", "d", "b"])
        #expect(result.top(2).map(\.index) == [2, 0])
        #expect(result.top(.max).map(\.index) == [2, 0, 3, 1])
    }

    @Test func `NaN in an output causes a warning, also in a comparison`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 2, 2, 3]))
        let product = try builder.one(Binary(.multiply, constant: Tensor([1, .nan, 1], shape: [3])), input)
        builder.output("output", try builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: false), product))
        let model = Model(
            graph: builder.graph, image: ImageInput(name: "input", width: 2, height: 2, color: .rgb))
        let result = try Classifier(model).classify(Pixels(width: 2, height: 2, channels: 3, bytes: Array(0..<12)))
        #expect(result.warning?.hasPrefix("the model's output contains NaN") == true)
        let conversion = Conversion(model: model, notes: [], warnings: [])
        let report = try Comparison(conversion, conversion).report(imagesAt: [ImageFixtures.path("good/rgb-8.png")])
        #expect(report.agrees)
        #expect(report.warnings.map(\.warning.description) == ["'output' contains NaN"])
    }

    @Test func `a model without image input or without class scores is refused`() throws {
        func model(_ operation: any Thaw.Operation) throws -> Model {
            var builder = GraphBuilder()
            let input = builder.input("input", TensorType([1, 2, 2, 3]))
            builder.output("output", try builder.add(operation, [input], name: "output")[0])
            return Model(graph: builder.graph, image: ImageInput(name: "input", width: 2, height: 2, color: .rgb))
        }
        #expect(throws: Failure.noScoresOutput(TensorType([1, 2, 2, 3]))) { try Classifier(model(Unary(.relu))) }
        #expect(throws: Failure.noScoresOutput(TensorType([1, 2, 2, 3], .int32))) {
            try Classifier(model(Cast(element: .int32)))
        }
        var imageless = try model(Unary(.relu))
        imageless.image = nil
        #expect(throws: Failure.noImageInput()) { try Classifier(imageless) }
    }

    @Test(arguments: [1, 2, 5]) func `files are returned in order, each with its result or its failure`(
        _ threads: Int
    )
        throws
    {
        let classifier = try Classifier(Model.load(contentsOfFile: Fixtures.path("coreml/rgb.mlmodel")).model)
        let good = Fixtures.path("photographs/cat.jpg")
        let paths = (0..<100).map { $0 % 7 == 3 ? "/nowhere/\($0).jpg" : good }
        let expected = try classifier.classify(imageAt: good).probabilities
        var seen: [String] = []
        try classifier.classify(imagesAt: paths, threads: threads) { path, result in
            seen.append(path)
            #expect((try? result.get().probabilities) == (path == good ? expected : nil))
        }
        #expect(seen == paths)

        struct Stop: Error {}
        var count = 0
        #expect(throws: Stop.self) {
            try classifier.classify(imagesAt: paths, threads: threads) { _, _ in
                count += 1
                if count == 3 { throw Stop() }
            }
        }
        #expect(count == 3)
    }
}
