import Testing

@testable import Thaw

@Suite struct DetectionEvaluationTests {
    private func agree(_ a: Double?, _ b: JSON?) -> Bool { abs((a ?? -1) - (b?.double ?? .nan)) <= 1e-6 }

    @Test(arguments: ["plain", "crowds", "ties", "many", "poor"])
    func `figures match pycocotools`(_ name: String) throws {
        let annotations = try COCOAnnotations(contentsOfFile: detectorPath("coco/\(name).truth.json"))
        let found = try json(ofFile: detectorPath("coco/\(name).found.json")).elements
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
        let stats = try json(ofFile: detectorPath("coco/\(name).stats.json"))
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
        let annotations = try COCOAnnotations(contentsOfFile: detectorPath("coco/run.truth.json"))
        let detector = try Detector(contentsOfFile: detectorPath("anchors.mlmodel"))
        let categories = try annotations.categories(of: detector.labels ?? [])
        #expect(categories == [1, 2, 0])
        var evaluation = DetectionEvaluation(categoryCount: 3)
        for image in annotations.images {
            let detection = try detector.detect(imageAt: detectorPath(image.fileName))
            evaluation.add(
                truths: annotations.objects(in: image),
                predictions: detection.objects.map {
                    .init(category: categories[$0.index]!, box: $0.box, confidence: Double($0.confidence))
                })
        }
        let expected = try #require(json(ofFile: detectorPath("coco/run.stats.json"))["stats"]).elements
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
        let annotations = try COCOAnnotations(contentsOfFile: detectorPath("coco/run.truth.json"))
        let failure = #expect(throws: Failure.self) { try annotations.categories(of: ["circle", "sqare"]) }
        #expect(failure?.code == .wrongLabels)
    }
}
