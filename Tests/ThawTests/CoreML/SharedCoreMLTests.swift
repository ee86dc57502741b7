import Testing

@testable import Thaw

/// Models of the shared material, which is not part of the repository.
@Suite(.enabled(if: Fixtures.shared != nil, "the shared material is absent")) struct SharedCoreMLTests {
    private func path(_ name: String) -> String { Fixtures.shared!.appendingPathComponent(name).path }

    @Test func `a model that takes gray images recognizes digits`() throws {
        let classifier = try Classifier(Model.load(contentsOfFile: path("coreml/MNISTClassifier.mlmodel")).model)
        for file in try ImageFiles.under([path("images/digits")]) {
            let digit = try #require(file.split(separator: "label").last?.first)
            #expect(try classifier.classify(imageAt: file).top(1)[0].label == String(digit), "\(file)")
        }
    }

    @Test(arguments: [("lemon", "Orange"), ("pineapple", "Pineapple"), ("strawberry", "Strawberry")])
    func `fruit is recognized by its model`(_ fruit: String, _ label: String) throws {
        let classifier = try Classifier(Model.load(contentsOfFile: path("coreml/Fruit.mlmodel")).model)
        let files = try ImageFiles.under([path("images/fruit")]).filter { $0.lowercased().contains(fruit) }
        #expect(!files.isEmpty)
        for file in files {
            let best = try classifier.classify(imageAt: file).top(1)[0]
            #expect(best.label.lowercased() == label.lowercased())
            #expect(best.probability > 0.99)
        }
    }

    @Test func `a kind that runs only on Apple's systems is refused by name`() {
        let failure = #expect(throws: Failure.self) {
            try Model.load(contentsOfFile: path("coreml/refuse/vision_feature_print_pipeline.mlmodel"))
        }
        #expect(failure?.problemText.contains("member 1, of kind 'visionFeaturePrint'") == true)
    }
}
