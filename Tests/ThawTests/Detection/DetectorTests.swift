import Foundation
import Testing

@testable import Thaw

@Suite struct DetectorTests {
    /// The options in a line of `objects.jsonl`.
    private func options(_ words: [String]) throws -> Detector.Options {
        var options = Detector.Options()
        for (name, value) in zip(words, words.dropFirst()) {
            switch name {
            case "--crop" where value == "fit":
                options.crop = .fit(on: RGBColor(red: 0x72, green: 0x72, blue: 0x72))
            case "--crop" where value.hasPrefix("center:"): options.crop = .center(Double(value.dropFirst(7))!)
            case "--iou": options.iouThreshold = Double(value)
            case "--confidence": options.confidenceThreshold = Double(value)
            default: break
            }
        }
        return options
    }

    @Test func `objects are found at the pixels of the upright original`() throws {
        let files = ["anchors": "anchors.mlmodel", "yolo8": "yolo8.mlpackage", "yolo11": "yolo11.mlmodel"]
        let pipelines = try files.mapValues { try Pipeline(contentsOfFile: detectorPath($0)) }
        let rows = try detectorLines("objects")
        #expect(rows.count > 20)
        // Sums in another order move a box by up to 2.2e-5 of the image's 90 pixels: yolo11 finds its edges as means
        // over a softmax, which amplifies rounding.
        let tolerance = 90 * 3e-5
        for row in rows {
            let model = try #require(row["model"]?.string)
            let words = try #require(row["options"]).elements.compactMap(\.string)
            let detector = try Detector(#require(pipelines[model]), options: options(words))
            let detection = try detector.detect(imageAt: detectorPath(#require(row["image"]?.string)))
            #expect(
                Double(detection.width) == row["width"]?.double && Double(detection.height) == row["height"]?.double)
            let expected = try #require(row["objects"]).elements
            #expect(detection.objects.count == expected.count, "\(model) \(words)")
            for (object, other) in zip(detection.objects, expected) {
                #expect(object.label == other["label"]?.string && Double(object.index) == other["index"]?.double)
                let box = object.box
                for (value, name) in [
                    (Double(object.confidence), "confidence"), (box.x, "x"), (box.y, "y"), (box.width, "width"),
                    (box.height, "height"),
                ] {
                    let right = try #require(other[name]?.double)
                    #expect(
                        agree(value, right, within: name == "confidence" ? 1e-5 : tolerance),
                        "\(name) \(value) \(right)")
                }
            }
        }
    }

    @Test func `the asynchronous form gives the same objects`() async throws {
        let detector = try Detector(contentsOfFile: detectorPath("anchors.mlmodel"))
        let path = detectorPath("shapes0.png")
        let expected = try detector.detect(imageAt: path)
        #expect(try await detector.detection(inImageAt: path) == expected)
        #expect(try await detector.detection(in: Pixels(contentsOfFile: path)).objects == expected.objects)
        let failure = await #expect(throws: Failure.self) { try await detector.detection(inImageAt: "/nowhere.png") }
        #expect(failure?.description == "/nowhere.png: no such file")
    }

    @Test func `many images on several threads give the same objects in order`() throws {
        let detector = try Detector(contentsOfFile: detectorPath("anchors.mlmodel"))
        let names = [
            detectorPath("shapes0.png"), detectorPath("missing.png"),
            detectorPath("shapes1.png"), detectorPath("shapes0.png"),
        ]
        var found: [(path: String, count: Int?)] = []
        try detector.detect(imagesAt: names, threads: 3) { path, result in
            found.append((path, try? result.get().objects.count))
        }
        #expect(found.map(\.path) == names)
        #expect(found.map(\.count) == [22, nil, 19, 22])
    }

    @Test func `models that are not detectors are refused with the type that runs them`() throws {
        for (file, words) in [
            ("pipelines/image_colors.mlmodel", "use Classifier"), ("coreml/rgb.mlmodel", "use Classifier"),
            ("pipelines/iris_svc.mlmodel", "use Pipeline"),
            ("detectors/suppression_per_class.mlmodel", "use Pipeline"),
            ("pairs/added.pb", "Classifier and ModelRunner take graphs"),
        ] {
            let failure = #expect(throws: Failure.self) { try Detector(contentsOfFile: Fixtures.path(file)) }
            #expect(failure?.problemText.contains(words) == true, "\(file): \(failure?.problemText ?? "")")
        }
    }

    @Test(
        arguments: [
            (-0.1, nil, "the confidence threshold is -0.1"), (.nan, nil, "the confidence threshold is nan"),
            (.infinity, nil, "the confidence threshold is inf"), (nil, -0.1, "the IoU threshold is -0.1"),
            (nil, 1.1, "the IoU threshold is 1.1"), (nil, .nan, "the IoU threshold is nan"),
        ] as [(Double?, Double?, String)])
    func `a threshold that is out of range is refused`(_ confidence: Double?, _ iou: Double?, _ start: String) throws {
        let pipeline = try Pipeline(contentsOfFile: detectorPath("anchors.mlmodel"))
        var options = Detector.Options()
        (options.confidenceThreshold, options.iouThreshold) = (confidence, iou)
        let failure = #expect(throws: Failure.self) { try Detector(pipeline, options: options) }
        #expect(failure?.code == .invalidOption && failure?.description.hasPrefix(start) == true)
    }

    @Test func `a detector is neither a classifier nor a network`() throws {
        let pipeline = try Pipeline(contentsOfFile: detectorPath("anchors.mlmodel"))
        let failure = #expect(throws: Failure.self) { try pipeline.imageClassifier() }
        #expect(failure?.problemText.contains("use Detector, or DetectionEvaluation on COCO annotations") == true)
        let other = #expect(throws: Failure.self) {
            try Model.load(contentsOfFile: detectorPath("anchors.mlmodel"))
        }
        #expect(other?.problemText.contains("Detector finds objects with it, and Pipeline computes") == true)
    }

    @Test func `marks are drawn within the image`() {
        let gray = Pixels(width: 40, height: 30, channels: 1, bytes: [UInt8](repeating: 10, count: 1200))
        let color = RGBColor(red: 200, green: 0, blue: 0)
        let drawn = gray.drawing([BoxMark(x: -5, y: 12, width: 30, height: 100, text: "", color: color)])
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(drawn.bytes[(y * 40 + x) * 3..<(y * 40 + x) * 3 + 3]) }
        #expect(drawn.channels == 3)
        #expect(pixel(10, 12) == [200, 0, 0] && pixel(24, 20) == [200, 0, 0] && pixel(0, 20) == [200, 0, 0])
        #expect(pixel(10, 20) == [10, 10, 10] && pixel(25, 20) == [10, 10, 10] && pixel(10, 11) == [10, 10, 10])
        for (width, height) in [(-8.0, 9.0), (9, -.infinity), (.nan, 9), (9, .nan)] {
            let mark = BoxMark(x: 5, y: 12, width: width, height: height, text: "", color: color)
            #expect(gray.drawing([mark]).bytes.count == drawn.bytes.count)
        }
        let labeled = gray.drawing([BoxMark(x: 5, y: 15, width: 9, height: 9, text: "I", color: color)])
        #expect(labeled != gray.drawing([BoxMark(x: 5, y: 15, width: 9, height: 9, text: "L", color: color)]))
    }
}
