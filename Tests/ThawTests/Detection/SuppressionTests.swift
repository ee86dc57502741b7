import Foundation
import Testing

@testable import Thaw

@Suite struct SuppressionTests {
    @Test(arguments: [
        "suppression_per_class", "suppression_of_all", "suppression_without_labels", "suppression_padded",
        "suppression_limited",
    ])
    func `boxes are suppressed as by NumPy`(_ name: String) throws {
        let pipeline = try Pipeline(contentsOfFile: detectorPath(name + ".mlmodel"))
        let rows = try detectorLines(name)
        #expect(rows.count == 4)
        for row in rows {
            let outputs = try pipeline.run(pipeline.row(json: #require(row["inputs"]).text))
            for (name, value) in outputs {
                let expected = try #require(row["outputs"]?[name])
                guard case .multiArray(let values, let shape) = value else {
                    Issue.record("\(name) is \(value.kindDescription)")
                    continue
                }
                #expect(shape.first == expected.elements.count)
                #expect(values == expected.numbers)
            }
        }
    }

    @Test(arguments: ["anchors.mlmodel", "yolo8.mlpackage", "yolo11.mlmodel"])
    func `a network and the stage return torch's and NumPy's boxes`(_ file: String) throws {
        let pipeline = try Pipeline(contentsOfFile: detectorPath(file))
        #expect(pipeline.inputs.map(\.name) == ["image", "iouThreshold", "confidenceThreshold"])
        #expect(pipeline.inputs.map(\.isOptional) == [false, true, true])
        guard case .image(let image) = pipeline.inputs[0].type else { throw Failure.noImageInput() }
        for row in try detectorLines(String(file.prefix { $0 != "." })) {
            let inputs = try #require(row["inputs"])
            let photo = try Pixels(contentsOfFile: detectorPath(#require(inputs["image"]?.string)))
            var values: [String: FeatureValue] = ["image": .image(photo.fitted(to: image))]
            for name in ["iouThreshold", "confidenceThreshold"] {
                if let number = inputs[name]?.double { values[name] = .number(number) }
            }
            for (name, value) in try pipeline.run(values) {
                let (found, expected) = (value.numbers ?? [], try #require(row["outputs"]?[name]).numbers)
                #expect(found.count == expected.count)
                #expect(zip(found, expected).allSatisfy { agree($0, $1, within: 2e-5) }, "\(name)")
            }
        }
    }

    private func changed(_ change: (inout Message) -> Void) throws -> Failure? {
        let data = try Data(contentsOf: URL(fileURLWithPath: detectorPath("suppression_per_class.mlmodel")))
        var model = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        change(&model)
        let changed = model
        return #expect(throws: Failure.self) { try Pipeline(changed) }
    }

    @Test func `a stage that contradicts itself is refused`() throws {
        let cases: [(String, (inout Message) -> Void)] = [
            (
                "no input 'nowhere', which it names for the confidences",
                {
                    $0.nonMaximumSuppression.confidenceInputFeatureName = "nowhere"
                }
            ),
            (
                "no input 'nowhere', which it names for the coordinates",
                {
                    $0.nonMaximumSuppression.coordinatesInputFeatureName = "nowhere"
                }
            ),
            (
                "no output 'nowhere', which it names for the confidences",
                {
                    $0.nonMaximumSuppression.confidenceOutputFeatureName = "nowhere"
                }
            ),
            (
                "the IoU threshold is 1.5; expected a number from 0 to 1",
                { $0.nonMaximumSuppression.iouThreshold = 1.5 }
            ),
            (
                "the confidence threshold is -1.0; expected a number of at least 0",
                {
                    $0.nonMaximumSuppression.confidenceThreshold = -1.0
                }
            ),
            (
                "a number is expected",
                { model in
                    var inputs: [Message] = model.description.input
                    inputs[2].type.choose("stringType")
                    model.description.input = inputs
                }
            ),
            (
                "do not allow the same numbers of boxes, or require too many",
                { model in
                    var outputs: [Message] = model.description.output
                    for index in outputs.indices {
                        outputs[index].type.multiArrayType.choose("enumeratedShapes")
                        outputs[index].type.multiArrayType.shape = [1 << 22, 5]
                    }
                    model.description.output = outputs
                }
            ),
        ]
        for (words, change) in cases {
            let failure = try changed(change)
            #expect(failure?.problemText.contains(words) == true, "\(failure?.problemText ?? "")")
        }
    }

    @Test func `values that are not boxes are refused`() throws {
        let pipeline = try Pipeline(contentsOfFile: detectorPath("suppression_per_class.mlmodel"))
        for (row, words) in [
            (#"{"raw_confidence": [[1, 0, 0, 0, 0]], "raw_coordinates": [[0, 0, 1]]}"#, "expected an array of shape"),
            (
                #"{"raw_confidence": [[1, 0, 0]], "raw_coordinates": [[0, 0, 1, 1]]}"#,
                "expected an array of shape [1, 5]"
            ),
            (
                #"{"raw_confidence": [[1, 0, 0, 0, 0]], "raw_coordinates": [[0, 0, 1, 1]], "iouThreshold": 2}"#,
                "the IoU threshold is 2.0"
            ),
        ] {
            let failure = #expect(throws: Failure.self) { try pipeline.run(pipeline.row(json: row)) }
            #expect(failure?.problemText.contains(words) == true, "\(failure?.problemText ?? "")")
        }
    }
}
