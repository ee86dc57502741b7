import Foundation
import Testing

@Suite struct DetectTests {
    private func file(_ name: String) -> String { Project.fixture("detectors/" + name) }

    @Test func `objects are printed as text, JSON and CSV`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["detect", file("anchors.mlmodel"), file("shapes0.png")]
        let text = try Thaw.run(arguments, in: folder)
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.errors.contains("photos are stretched to 24x24 pixels"))
        #expect(text.output.hasPrefix(file("shapes0.png") + "\n   0."))
        #expect(text.output.split(separator: "\n").count == 23)
        let json = try Thaw.run(arguments + ["--format", "json", "--quiet"], in: folder)
        #expect(json.errors == "")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["width"] as? Int == 90 && object?["height"] as? Int == 60)
        let objects = try #require(object?["objects"] as? [[String: Any]])
        #expect(objects.count == 22)
        let csv = try Thaw.run(arguments + ["--format", "csv"], in: folder).output.split(separator: "\n")
        #expect(csv.first == "image,rank,label,index,confidence,x,y,width,height,error")
        #expect(csv.count == 23)
        let fields = csv[1].split(separator: ",", omittingEmptySubsequences: false)
        #expect(fields.count == 10 && fields[1] == "1" && fields[9] == "")
        #expect(Double(fields[5]) == objects[0]["x"] as? Double)
    }

    @Test func `boxes are drawn into upright copies`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["detect", file("yolo8.mlpackage"), file("shapes0.png"), file("shapes1.png"), "-o", "out"]
        let outcome = try Thaw.run(arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let png = try Data(contentsOf: folder.url.appending(path: "out/shapes1.png"))
        // Width and height in the header: the file itself is stored on its side.
        #expect(Array(png[16..<24]) == [0, 0, 0, 50, 0, 0, 0, 80])
        let again = try Thaw.run(arguments + ["--no-clobber", "--format", "csv"], in: folder)
        #expect(again.status == 2)
        #expect(again.output.contains("shapes0.png,,,,,,,,,") && again.output.contains("the file exists already"))
    }

    @Test func `thresholds change the results, and finding no objects is a valid result`() throws {
        let folder = try TemporaryFolder()
        func count(_ options: String...) throws -> Int {
            let arguments = ["detect", file("anchors.mlmodel"), file("shapes0.png"), "--format", "csv"] + options
            return try Thaw.run(arguments, in: folder).output.split(separator: "\n").count - 1
        }
        #expect(try count() == 22)
        #expect(try count("--iou", "0.3", "--confidence", "0.4") == 13)
        #expect(try count("--confidence", "1") == 0)
        let text = try Thaw.run(
            "detect", file("anchors.mlmodel"), file("shapes0.png"), "--confidence", "1", in: folder)
        #expect(text.status == 0 && text.output.hasSuffix("\n  no objects\n"))
    }

    @Test func `an unreadable image is a separate error`() throws {
        let folder = try TemporaryFolder()
        try Data("no image".utf8).write(to: folder.url.appending(path: "bad.jpg"))
        let arguments = ["detect", file("anchors.mlmodel"), "bad.jpg", file("shapes0.png")]
        for format in ["text", "json", "csv"] {
            let outcome = try Thaw.run(arguments + ["--format", format], in: folder)
            #expect(outcome.status == 1)
            #expect((outcome.output + outcome.errors).contains("is not an image"), "\(format)")
        }
    }

    @Test(
        arguments: [
            (["detect", "coreml/rgb.mlmodel", "detectors/shapes0.png"], "use 'thaw classify'"),
            (["detect", "pipelines/iris_svc.mlmodel", "detectors/shapes0.png"], "use 'thaw run'"),
            (["detect", "pairs/added.pb", "detectors/shapes0.png"], "'thaw classify' and 'thaw run' take graphs"),
            (["classify", "detectors/anchors.mlmodel", "detectors/shapes0.png"], "use 'thaw detect'"),
            (["evaluate", "detectors/anchors.mlmodel", "detectors"], "'thaw evaluate' on COCO annotations"),
            (["benchmark", "detectors/anchors.mlmodel", "--color", "bgr"], "--color is for networks"),
            (["benchmark", "detectors/anchors.mlmodel", "--function", "x"], "--function is for networks"),
            (["detect", "detectors/anchors.mlmodel", "detectors/shapes0.png", "--iou", "2"], "a number from 0 to 1"),
            (["detect", "detectors/anchors.mlmodel", "detectors/shapes0.png", "--confidence", "-1"], "at least 0"),
            (["detect", "detectors/anchors.mlmodel", "detectors/shapes0.png", "--quality", "50"], "without -o"),
            (["detect", "detectors/anchors.mlmodel", "-", "-o", "out"], "-o and standard input cannot be combined"),
            (["evaluate", "detectors/anchors.mlmodel", "detectors", "--iou", "0.5"], "no effect without --coco"),
            (
                ["evaluate", "coreml/rgb.mlmodel", "detectors", "--coco", "detectors/coco/run.truth.json"],
                "use 'thaw classify'"
            ),
            (
                ["evaluate", "detectors/anchors.mlmodel", "detectors", "--coco", "detectors/coco/plain.truth.json"],
                "are not labels of the model"
            ),
            (
                [
                    "evaluate", "detectors/anchors.mlmodel", "detectors", "--coco", "detectors/coco/run.truth.json",
                    "--format", "csv",
                ], "--coco and --format csv cannot be combined"
            ),
            (
                [
                    "evaluate", "detectors/anchors.mlmodel", "detectors", "--coco", "detectors/coco/run.truth.json",
                    "--offset", "1",
                ], "--coco and --offset cannot be combined"
            ),
        ] as [([String], String)])
    func `unsuitable models and options are refused`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        let paths = arguments.map { $0 == "detectors" || $0.contains("/") ? Project.fixture($0) : $0 }
        let outcome = try Thaw.run(paths, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func `average precision is that of pycocotools`() throws {
        let folder = try TemporaryFolder()
        let arguments = [
            "evaluate", file("anchors.mlmodel"), Project.fixture("detectors"), "--coco", file("coco/run.truth.json"),
        ]
        let outcome = try Thaw.run(arguments + ["--format", "json"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let data = try Data(contentsOf: URL(fileURLWithPath: file("coco/run.stats.json")))
        let truth = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let stats = try #require(truth["stats"] as? [Double])
        let names = [
            "ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar1", "ar10", "ar100", "ar_small", "ar_medium",
            "ar_large",
        ]
        for (name, expected) in zip(names, stats) {
            #expect(abs((result[name] as? Double ?? -1) - expected) < 1e-6, "\(name)")
        }
        let text = try Thaw.run(arguments, in: folder)
        #expect(text.output.hasPrefix("category  objects      AP    AP50\n") && text.output.contains("\nAP           "))
    }

    @Test func `photos that are missing are reported and left out`() throws {
        let folder = try TemporaryFolder()
        let photos = folder.url.appending(path: "photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: file("shapes0.png"), toPath: photos.appending(path: "shapes0.png").path)
        let outcome = try Thaw.run(
            "evaluate", file("anchors.mlmodel"), "photos", "--coco", file("coco/run.truth.json"), in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("photos/shapes1.png: no such file"))
        #expect(outcome.output.contains("1 could not be read"))
    }
}
