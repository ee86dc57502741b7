import Foundation
import Testing

@testable import Thaw

@Suite struct CompareTests {
    private let photographs = Project.fixture("photographs")

    /// The converted graph, in a separate folder.
    private func converted(_ network: String, _ arguments: String...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(["convert", Project.network(network), "-o", "m.mlmodel"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return folder
    }

    @Test func `a graph and its conversion agree on a folder of photos`() throws {
        let folder = try converted("inception", "--preprocess", "torch", "--color", "bgr")
        let outcome = try Thaw.run("compare", Project.network("inception"), "m.mlmodel", photographs, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.lines
        #expect(lines.count == 5)
        #expect(lines.first == "images               5")
        #expect(
            lines.contains { $0.hasPrefix("largest difference   ") && $0.contains(" of the range, in \(photographs)/") }
        )
        #expect(lines.contains("tolerance            0.0001 of the range"))
        #expect(lines.contains("top label            the same on 5 of 5"))
        #expect(lines.last == "                     the models agree")
        #expect(outcome.errors.hasPrefix("\(Project.network("inception")) uses the preprocessing of m.mlmodel\n"))
    }

    @Test(arguments: ["unit", "torch", "caffe"])
    func `a graph gets the preprocessing that the other package declares`(_ family: String) throws {
        let folder = try TemporaryFolder()
        let (graph, color) = (Project.network("inception"), family == "caffe" ? "bgr" : "rgb")
        let arguments = [
            "convert", graph, "-o", "m.mlpackage", "--weights", "float32", "--preprocess", family, "--color", color,
        ]
        #expect(try Thaw.run(arguments, in: folder).status == 0)
        let outcome = try Thaw.run("compare", graph, "m.mlpackage", Project.photograph("cat"), in: folder)
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.errors.hasPrefix("\(graph) uses the preprocessing of m.mlpackage\n"))
    }

    @Test func `outputs are matched by name, in any order`() throws {
        let folder = try TemporaryFolder()
        let (graph, outputs) = (
            Project.network("inception"), ["InceptionV3/Logits/dense/BiasAdd", "InceptionV3/Predictions/Softmax"]
        )
        for (name, outputs) in [("a.mlmodel", outputs), ("b.mlmodel", outputs.reversed())] {
            let arguments = ["convert", graph, "-o", name] + outputs.flatMap { ["--output", $0] }
            let outcome = try Thaw.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let outcome = try Thaw.run("compare", "a.mlmodel", "b.mlmodel", Project.photograph("cat"), in: folder)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test func `differing top labels are shown as A → B`() throws {
        let folder = try TemporaryFolder()
        let dark = ["convert", Project.demo, "--labels", Project.demoLabels, "-o", "dark.mlmodel"]
        #expect(try Thaw.run(dark + ["--scale", "0.0001", "--bias", "0"], in: folder).status == 0)
        let cat = Project.photograph("cat")
        let outcome = try Thaw.run("compare", ClassifyTests.model.path, "dark.mlmodel", cat, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.lines.contains("                     \(cat): cat → deer"), "\(outcome.output)")
    }

    @Test func `options override the preprocessing of the other model`() throws {
        let folder = try converted("inception", "--preprocess", "torch")
        let arguments = ["compare", Project.network("inception"), "m.mlmodel", Project.photograph("cat")]
        #expect(try Thaw.run(arguments + ["--preprocess", "torch"], in: folder).status == 0)
        let outcome = try Thaw.run(arguments + ["--preprocess", "unit"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("\nfirst exceeded at    input (image input): "))
        #expect(outcome.lines.last == "                     the models disagree")
    }

    @Test func `assumptions about a graph are reported with any preprocessing`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.fixture("ways/phase_placeholder.pb")
        #expect(try Thaw.run("convert", graph, "-o", "m.mlmodel", in: folder).status == 0)
        for arguments in [["m.mlmodel"], ["m.mlmodel", "--preprocess", "unit"], [graph]] {
            let outcome = try Thaw.run(["compare", graph] + arguments + [Project.photograph("cat")], in: folder)
            #expect(
                ("\n" + outcome.errors).contains("\nthe placeholder 'keras_learning_phase' is false, as at inference; ")
            )
        }
    }

    @Test func `a graph of unknown size takes that of the other model, as first or second`() throws {
        let folder = try converted("unknown_size", "--size", "32x32")
        let graph = Project.network("unknown_size")
        for pair in [[graph, "m.mlmodel"], ["m.mlmodel", graph]] {
            #expect(try Thaw.run(["compare"] + pair + [Project.photograph("cat")], in: folder).status == 0)
        }
    }

    @Test func `a model of several sizes runs and agrees with the graph at each of them`() throws {
        let folder = try converted("unknown_size", "--size", "24..64x24..64")
        let graph = Project.network("unknown_size")
        let arguments = ["compare", graph, "m.mlmodel", Project.photograph("cat")]
        for size in ["24x24", "40x33", "64x64"] {
            #expect(try Thaw.run(arguments + ["--size", size], in: folder).status == 0, "\(size)")
        }
        let outside = try Thaw.run(arguments + ["--size", "80x80"], in: folder)
        #expect(outside.status == 2)
        #expect(
            outside.errors.contains("the model takes no images of 80×80 pixels; supported sizes: from 24×24 to 64×64"))
    }

    @Test func `a single changed weight is found`() throws {
        let folder = try converted("resnet", "--preprocess", "unit")
        let path = folder.path("m.mlmodel")
        var model = try Model.load(contentsOfFile: path).model
        let index = try #require(model.graph.nodes.firstIndex { $0.name.hasPrefix("resnet/block2/conv2/") })
        var convolution = try #require(model.graph.nodes[index].operation as? Convolution)
        var weights = convolution.filters.floats
        weights[weights.count / 2] += 5
        convolution.filters = Tensor(weights, shape: convolution.filters.shape)
        model.graph.nodes[index].operation = convolution
        try model.write(toFile: folder.path("tampered.mlmodel"))

        for first in [Project.network("resnet"), path] {
            let arguments = ["compare", first, "tampered.mlmodel", photographs, "--format", "json"]
            let outcome = try Thaw.run(arguments, in: folder)
            #expect(outcome.status == 1)
            let report = try #require(
                JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            let exceeded = try #require(report["first_exceeded"] as? [String: Any])
            #expect(exceeded["node"] as? String == model.graph.nodes[index].name)
            #expect(exceeded["operation"] as? String == "Convolution")
            #expect(exceeded["difference"] as? Double ?? 0 > 0.1)
            #expect(report["agree"] as? Bool == false)
            #expect(report["images"] as? Int == 5 && report["labels_compared"] as? Int == 5)
            let differing = try #require(report["differing_labels"] as? [[String: Any]])
            #expect(report["labels_agreeing"] as? Int == 5 - differing.count)
            let largest = try #require(report["largest"] as? [String: Any])
            #expect(largest["relative_difference"] as? Double ?? 0 > 1e-4)
        }
        let loose = ["compare", path, "tampered.mlmodel", photographs, "--tolerance", "1"]
        #expect(try Thaw.run(loose, in: folder).status == 0)
    }

    @Test func `short weights raise the tolerance`() throws {
        let pair = ["compare", Project.fixture("coreml/rgb.mlmodel"), Project.fixture("coreml/rgb_half.mlmodel")]
        let outcome = try Thaw.run(pair + [Project.photograph("cat")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("tolerance            0.02 of the range\n"))
        let exact = try Thaw.run(pair + [Project.photograph("cat"), "--tolerance", "1e-5"])
        #expect(exact.status == 0)
    }

    @Test func `an image that cannot be read does not stop the others`() throws {
        let folder = try converted("resnet")
        let arguments = ["compare", Project.network("resnet"), "m.mlmodel", "none.jpg"]
        let outcome = try Thaw.run(arguments + [Project.photograph("cat")], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasSuffix("thaw: none.jpg: no such file\n"))
        #expect(outcome.lines.first == "images               1")
        #expect(outcome.lines.last == "                     the models agree")
        let alone = try Thaw.run(arguments, in: folder)
        #expect(alone.status == 2)
        #expect(alone.output == "")
        let json = try Thaw.run(arguments + ["--format", "json"], in: folder)
        #expect(json.status == 2)
        #expect(
            json.output.contains(
                "\"errors\": [{\"image\": \"none.jpg\", \"error\": \"no such file\", \"code\": \"noSuchFile\"}], \"agree\": false}"
            ))
    }

    @Test(
        arguments: [
            (
                ["digits_gray", "resnet"],
                "the first model takes images of 28×28 pixels, the second of 32×32; both must take the same"
            ),
            (
                ["resnet", "resnet", "--output", "resnet/block3/add", "--output", "resnet/softmax"],
                "the first model has the outputs 'resnet/block3/add', 'resnet/softmax', the second 'resnet_softmax'; both must have"
            ),
            (
                ["resnet", "resnet", "--output", "resnet/block3/add"],
                "the first model has the output 'resnet/block3/add' of shape [1, 8, 8, 16], the second 'resnet_softmax' of shape [1, 10]"
            ),
            (
                ["resnet", "resnet", "--labels", "LABELS"],
                "class 1 is 'two' in the first model and 'automobile' in the second; the labels must be the same"
            ),
            (
                ["resnet", "resnet", "--tolerance", "-1"],
                "--tolerance: invalid value '-1'; expected a number of at least 0"
            ),
            (
                ["resnet", "resnet", "--tolerance", "nan"],
                "--tolerance: invalid value 'nan'; expected a number of at least 0"
            ),
            (["resnet", "resnet", "--format", "csv"], "--format: invalid value 'csv'; expected text or json"),
            (["resnet", "resnet", "--size", "64x64"], "the size 64x64 differs from the graph's 32x32"),
        ] as [([String], String)])
    func `models that cannot be compared are refused with what differs`(
        _ arguments: [String], _ message: String
    ) throws {
        let folder = try converted(arguments[1], "--labels", Project.labels(arguments[1]))
        let labels = try folder.write("airplane\ntwo\n3\n4\n5\n6\n7\n8\n9\n10\n", to: "labels.txt")
        let options = arguments[2...].map { $0 == "LABELS" ? labels : $0 }
        let outcome = try Thaw.run(
            ["compare", Project.network(arguments[0]), "m.mlmodel", Project.photograph("cat")] + options, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func `models that take arrays or other channels, options without a graph, and missing files are refused`()
        throws
    {
        let image = Project.photograph("cat")
        let rgb = Project.fixture("coreml/rgb.mlmodel")
        let detector = Project.fixture("detectors/yolo8.mlpackage")
        let table = Project.fixture("pipelines/iris_svc.mlmodel")
        let gray = try converted("digits_gray")
        let color = try TemporaryFolder()
        #expect(
            try Thaw.run(
                "convert", Project.network("unknown_size"), "--size", "28x28", "-o", "c.mlmodel", in: color
            ).status == 0)
        for (arguments, message) in [
            ([rgb, Project.fixture("coreml/array.mlmodel"), image], "the model takes no image"),
            ([gray.path("m.mlmodel"), color.path("c.mlmodel"), image], "takes images of 1 channels, the second of 3"),
            ([rgb, rgb, image, "--color", "bgr"], "--color is for graphs; both are Core ML models"),
            ([rgb, "none.mlmodel", image], "none.mlmodel: no such file"),
            ([rgb, image, image], "cat.jpg: is an image; expected a Core ML model"),
            ([detector, rgb, image], "rgb.mlmodel: this is not a pipeline, but the other model is"),
            (
                [detector, Project.fixture("detectors/yolo11.mlmodel"), image],
                "the first model has 80 labels, the second 4"
            ),
            ([detector, detector, image, "--color", "bgr"], "--color is for networks, and this is a pipeline"),
            ([table, table, image], "the pipeline does not take a single image"),
            ([Project.fixture("pipelines/image_colors.mlmodel"), detector, image], "the first model takes images of"),
            ([rgb, rgb, Project.fixture("make")], "there are no images in the folder"),
        ] {
            let outcome = try Thaw.run(["compare"] + arguments)
            #expect(outcome.status == 2)
            #expect(outcome.output == "")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }
}

/// Detectors and other pipelines that take an image.
@Suite struct ComparePipelinesTests {
    private let model = Project.fixture("detectors/anchors.mlmodel")
    private let images = (0..<2).map { Project.fixture("detectors/shapes\($0).png") }

    @Test func `a detector agrees with itself`() throws {
        let outcome = try Thaw.run(["compare", model, model] + images)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.first == "images               2")
        #expect(outcome.lines.last == "                     the models agree", "\(outcome.output)")
    }

    @Test func `an image that cannot be read is part of the report`() throws {
        let outcome = try Thaw.run(["compare", model, model, images[0], Project.demo])
        #expect(outcome.status == 1 && outcome.errors.contains("is not an image"), "\(outcome.errors)")
    }
}

@Suite struct VerifyTests {
    @Test func `the written model is compared with the graph`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(
            "convert", Project.network("preprocess_sub_mul"), "--verify", Project.photograph("cat"),
            Project.photograph("horse"), in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.first == "images               2")
        // The scaling is in the graph: there is nothing to choose from.
        #expect(outcome.lines.last == "                     the models agree")
        #expect(try folder.names == ["graph.mlmodel"])
        let strict = try Thaw.run(
            "convert", Project.network("mobilenet_v1_unfolded"), "--verify", Project.photograph("cat"), "--tolerance",
            "0", in: folder)
        #expect(strict.status == 1)
        #expect(strict.output.contains("\nfirst exceeded at    "))
    }

    @Test func `the assumed preprocessing is shown next to the others`() throws {
        let folder = try TemporaryFolder()
        let arguments = [
            "convert", Project.network("mobilenet_v1_folded"), "--labels", Project.labels("mobilenet_v1_folded"),
        ]
        let outcome = try Thaw.run(arguments + ["--verify", Project.fixture("photographs")], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let table = outcome.lines.drop { !$0.hasPrefix("preprocessing") }
        #expect(table.count == 6)
        for (line, name) in zip(table.dropFirst(), ["inception, assumed ", "caffe, bgr ", "torch ", "unit ", "none "]) {
            #expect(line.hasPrefix(name), "\(line)")
            #expect(line.contains(#/ [01]\.\d{4}  [a-z]+/#), "\(line)")
        }
        let said = try Thaw.run(
            arguments + ["--verify", Project.fixture("photographs"), "--preprocess", "inception"], in: folder)
        #expect(!said.output.contains("preprocessing"))
    }

    @Test func `a gray network has fewer candidates, and a scaling of no family comes first`() throws {
        let folder = try TemporaryFolder()
        let gray = try Thaw.run(
            "convert", Project.network("digits_gray"), "--verify", Project.photograph("cat"), in: folder)
        #expect(gray.status == 0, "\(gray.errors)")
        let names = gray.lines.drop { !$0.hasPrefix("preprocessing") }.dropFirst().map { $0.prefix { $0 != " " } }
        #expect(names == ["inception", "unit", "none,"])
    }

    @Test(
        arguments: [
            (["resnet", "--verify", "none.jpg"], "thaw: none.jpg: no such file\n"),
            (["resnet", "more.jpg"], "thaw: unexpected argument 'more.jpg'\n"),
            (["resnet", "--tolerance", "1"], "thaw: --tolerance has no effect without --verify\n"),
            (["resnet", "--threads", "1"], "thaw: --threads has no effect without --verify\n"),
            (["resnet", "--verify"], "thaw: --verify needs a value; write --verify IMAGE\n"),
            (
                ["no_image", "--verify", "PHOTO"],
                "--verify needs a network that takes an image; this one takes an array"
            ),
        ] as [([String], String)])
    func `nothing is written if --verify has no images`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        let source =
            arguments[0] == "no_image" ? Project.fixture("graphs/\(Self.arrayGraph).pb") : Project.network(arguments[0])
        let options = arguments.dropFirst().map { $0 == "PHOTO" ? Project.photograph("cat") : $0 }
        let outcome = try Thaw.run(["convert", source] + options, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.names == [])
    }

    /// A graph whose input is not an image.
    private static let arrayGraph = "matmul/bias_add"
}
