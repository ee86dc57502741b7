import Foundation
import Testing

@testable import Thaw

private func path(_ name: String) -> String { Fixtures.path("detectors/\(name)") }

private func json(_ path: String) throws -> JSON {
    try Array(Data(contentsOf: URL(fileURLWithPath: path))).withUnsafeBytes { try JSON($0) }
}

private func lines(_ name: String) throws -> [JSON] {
    try Data(contentsOf: URL(fileURLWithPath: path(name + ".jsonl"))).split(separator: UInt8(ascii: "\n")).map { line in
        try Array(line).withUnsafeBytes { try JSON($0) }
    }
}

extension JSON {
    fileprivate var double: Double? { if case .number(let number) = self { number } else { nil } }
    fileprivate var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    /// All numbers in nested arrays, in order.
    fileprivate var numbers: [Double] { double.map { [$0] } ?? elements.flatMap(\.numbers) }
}

/// Whether numbers agree up to an absolute difference, or a hundred-thousandth of large ones.
private func agree(_ a: Double, _ b: Double, within tolerance: Double) -> Bool {
    abs(a - b) <= max(tolerance, 1e-5 * abs(b))
}

@Suite struct SuppressionTests {
    @Test(arguments: [
        "suppression_per_class", "suppression_of_all", "suppression_without_labels", "suppression_padded",
        "suppression_limited",
    ])
    func `boxes are suppressed as by NumPy`(_ name: String) throws {
        let pipeline = try Pipeline(contentsOfFile: path(name + ".mlmodel"))
        let rows = try lines(name)
        #expect(rows.count == 4)
        for row in rows {
            let answers = try pipeline.run(pipeline.row(json: #require(row["inputs"]).text))
            for (name, value) in answers {
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
        let pipeline = try Pipeline(contentsOfFile: path(file))
        #expect(pipeline.inputs.map(\.name) == ["image", "iouThreshold", "confidenceThreshold"])
        #expect(pipeline.inputs.map(\.isOptional) == [false, true, true])
        guard case .image(let image) = pipeline.inputs[0].type else { throw Failure.noImageInput() }
        for row in try lines(String(file.prefix { $0 != "." })) {
            let inputs = try #require(row["inputs"])
            let photo = try Pixels(contentsOfFile: path(#require(inputs["image"]?.string)))
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
        let data = try Data(contentsOf: URL(fileURLWithPath: path("suppression_per_class.mlmodel")))
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
        let pipeline = try Pipeline(contentsOfFile: path("suppression_per_class.mlmodel"))
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
        let pipelines = try files.mapValues { try Pipeline(contentsOfFile: path($0)) }
        let rows = try lines("objects")
        #expect(rows.count > 20)
        // Sums in another order move a box by up to 2.2e-5 of the image's 90 pixels: yolo11 finds its edges as means
        // over a softmax, which amplifies rounding.
        let tolerance = 90 * 3e-5
        for row in rows {
            let model = try #require(row["model"]?.string)
            let words = try #require(row["options"]).elements.compactMap(\.string)
            let detector = try Detector(#require(pipelines[model]), options(words))
            let detection = try detector.detect(imageAt: path(#require(row["image"]?.string)))
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

    @Test func `many images on several threads give the same objects in order`() throws {
        let detector = try Detector(contentsOfFile: path("anchors.mlmodel"))
        let names = [path("shapes0.png"), path("missing.png"), path("shapes1.png"), path("shapes0.png")]
        var found: [(path: String, count: Int?)] = []
        detector.detect(imagesAt: names, threads: 3) { path, answer in
            found.append((path, try? answer.get().objects.count))
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

    @Test func `a detector is neither a classifier nor a network`() throws {
        let pipeline = try Pipeline(contentsOfFile: path("anchors.mlmodel"))
        let failure = #expect(throws: Failure.self) { try pipeline.imageClassifier() }
        #expect(failure?.problemText.contains("use Detector, or DetectionEvaluation on COCO annotations") == true)
        let other = #expect(throws: Failure.self) { try Model.load(contentsOfFile: path("anchors.mlmodel")) }
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

@Suite struct DetectionEvaluationTests {
    private func agree(_ a: Double?, _ b: JSON?) -> Bool { abs((a ?? -1) - (b?.double ?? .nan)) <= 1e-6 }

    @Test(arguments: ["plain", "crowds", "ties", "many", "poor"])
    func `figures match pycocotools`(_ name: String) throws {
        let annotations = try COCOAnnotations(contentsOfFile: path("coco/\(name).truth.json"))
        let found = try json(path("coco/\(name).found.json")).elements
        let indices = Dictionary(uniqueKeysWithValues: annotations.categories.enumerated().map { ($1.id, $0) })
        var evaluation = DetectionEvaluation(categoryCount: annotations.categories.count)
        for image in annotations.images {
            let own = try found.filter { $0["image_id"]?.double == Double(image.id) }.map { entry in
                let box = try #require(entry["bbox"]).numbers
                let category = Int(try #require(entry["category_id"]?.double))
                return DetectionEvaluation.Prediction(
                    category: try #require(indices[category]),
                    box: Detection.Box(x: box[0], y: box[1], width: box[2], height: box[3]),
                    confidence: try #require(entry["score"]?.double))
            }
            evaluation.add(truths: annotations.objects(in: image), predictions: own)
        }
        let stats = try json(path("coco/\(name).stats.json"))
        let expected = try #require(stats["stats"]).elements
        #expect(expected.count == 12)
        for (figure, right) in zip(evaluation.precision.all, expected) {
            #expect(agree(figure, right), "\(figure ?? -1), not \(right.text)")
        }
        for (index, category) in annotations.categories.enumerated() {
            let right = stats["categories"]?["\(category.id)"]
            let figures = evaluation.precision(ofCategory: index)
            #expect(agree(figures.averagePrecision, right?["ap"]))
            #expect(agree(figures.averagePrecisionAt50, right?["ap50"]))
        }
    }

    @Test func `a detector is evaluated as by pycocotools`() throws {
        let annotations = try COCOAnnotations(contentsOfFile: path("coco/run.truth.json"))
        let detector = try Detector(contentsOfFile: path("anchors.mlmodel"))
        let categories = try annotations.categories(of: detector.labels ?? [])
        #expect(categories == [1, 2, 0])
        var evaluation = DetectionEvaluation(categoryCount: 3)
        for image in annotations.images {
            let detection = try detector.detect(imageAt: path(image.fileName))
            evaluation.add(
                truths: annotations.objects(in: image),
                predictions: detection.objects.map {
                    .init(category: categories[$0.index]!, box: $0.box, confidence: Double($0.confidence))
                })
        }
        let expected = try #require(json(path("coco/run.stats.json"))["stats"]).elements
        for (figure, right) in zip(evaluation.precision.all, expected) { #expect(agree(figure, right)) }
    }

    @Test(
        arguments: [
            ("[]", "has no array 'images'"), (#"{"images": []}"#, "has no array 'categories'"),
            (#"{"images": [], "categories": []}"#, "lists no images"),
            (#"{"images": [{"id": 1}]}"#, "images[0]: 'file_name' is missing or invalid; expected text"),
            (
                #"{"images": [{"id": 0.5, "file_name": "a"}]}"#,
                "images[0]: 'id' is missing or invalid; expected an integer"
            ),
            (
                #"{"images": [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}], "categories": []}"#,
                "two of the images have the identifier 1"
            ),
            (
                #"{"images": [{"id": 1, "file_name": "a"}], "categories": [{"id": 1, "name": "x"}], "annotations": [{"image_id": 2, "category_id": 1}]}"#,
                "annotations[0]: refers to the image 2"
            ),
            (
                #"{"images": [{"id": 1, "file_name": "a"}], "categories": [{"id": 1, "name": "x"}], "annotations": [{"image_id": 1, "category_id": 3}]}"#,
                "annotations[0]: refers to the category 3"
            ),
            (
                #"{"images": [{"id": 1, "file_name": "a"}], "categories": [{"id": 1, "name": "x"}], "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2]}]}"#,
                "'bbox' is missing or invalid; expected x, y, width and height"
            ),
        ])
    func `annotations that cannot be used are refused`(_ text: String, _ words: String) throws {
        let failure = #expect(throws: Failure.self) {
            try Array(text.utf8).withUnsafeBytes { try COCOAnnotations(JSON($0)) }
        }
        let message = failure?.description ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test func `a category with objects must be a label of the model`() throws {
        let annotations = try COCOAnnotations(contentsOfFile: path("coco/run.truth.json"))
        let failure = #expect(throws: Failure.self) { try annotations.categories(of: ["circle", "sqare"]) }
        #expect(failure?.code == .wrongLabels)
    }
}
