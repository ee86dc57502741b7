import Foundation
import Testing

@Suite struct PipelineRunTests {
    private func model(_ name: String) -> String { Project.fixture("pipelines/\(name).mlmodel") }

    /// Writes doubles as a NumPy file.
    private func write(_ values: [Double], shape: String, to url: URL) throws {
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (\(shape))}"
        let text = header.padding(toLength: 117, withPad: " ", startingAt: 0) + "\n"
        try (Data([0x93] + "NUMPY".utf8 + [1, 0, 118, 0]) + Data(text.utf8) + values.withUnsafeBytes { Data($0) })
            .write(to: url)
    }

    @Test func `the label and the probabilities are printed as JSON`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run("run", model("iris_svc"), "[5.1, 3.5, 1.4, 0.2]", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        #expect(object?["classLabel"] as? String == "setosa")
        let probabilities = try #require(object?["classProbability"] as? [String: Double])
        #expect(Set(probabilities.keys) == ["setosa", "versicolor", "virginica"])
        #expect(abs(probabilities.values.reduce(0, +) - 1) < 1e-12)
    }

    @Test func `inputs are numbers, strings, arrays and dictionaries`() throws {
        let folder = try TemporaryFolder()
        for (name, arguments, start) in [
            (
                "iris_tree", ["sepal_length=5.1", "sepal_width=3.5", "petal_length=1.4", "petal_width=0.2"],
                "{\"classLabel\": \"setosa\""
            ),
            (
                "hand_categories", ["color=blue", "size=2.5"],
                "{\"vector\": [2.0, 0.0, 0.0, 1.0, 2.5], \"name\": \"bleu\""
            ),
            ("hand_categories", ["size=2.5"], "{\"vector\": [0.0, 1.0, 0.0, 0.0, 2.5], \"name\": \"rouge\""),
            ("dictionary", [#"{"city=Dubai": 1, "temperature": 35}"#], "{\"classLabel\": \"summer\""),
            ("xgboost_regressor", (0..<10).map { "f\($0)=null" }, "{\"target\": "),
        ] {
            let outcome = try Thaw.run(["run", model(name)] + arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix(start), "\(outcome.output)")
        }
    }

    @Test func `each row of a file of JSON lines or of an array gives a line of outputs`() throws {
        let folder = try TemporaryFolder()
        let rows = [[5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]]
        let lines = rows.map { "{\"input\": \($0)}\n" }.joined()
        try Data(lines.utf8).write(to: folder.url.appending(path: "rows.jsonl"))
        try write(rows.flatMap { $0 }, shape: "2, 4", to: folder.url.appending(path: "rows.npy"))
        let outcomes = try ["rows.jsonl", "rows.npy", "input=rows.npy"].map { file in
            try Thaw.run("run", model("iris_svc"), file, in: folder)
        }
        #expect(outcomes.map(\.status) == [0, 0, 0], "\(outcomes[0].errors)")
        #expect(outcomes[0].output == outcomes[1].output && outcomes[1].output == outcomes[2].output)
        #expect(outcomes[0].output.split(separator: "\n").count == 2)
        let file = try Thaw.run("run", model("iris_svc"), "rows.jsonl", "-o", "out.jsonl", in: folder)
        #expect(file.status == 0 && file.output == "")
        #expect(try String(contentsOfFile: folder.path("out.jsonl"), encoding: .utf8) == outcomes[0].output)
    }

    @Test func `a single numeric output can be written as an array`() throws {
        let folder = try TemporaryFolder()
        try write([1, 2, 3, 4, 5, 6], shape: "2, 3", to: folder.url.appending(path: "in.npy"))
        let outcome = try Thaw.run("run", model("hand_logit_regressor"), "in.npy", "-o", "out.npy", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let data = try Data(contentsOf: folder.url.appending(path: "out.npy"))
        #expect(String(decoding: data.prefix(128), as: UTF8.self).contains("'shape': (2, 2, )"))
    }

    @Test(
        arguments: [
            (["iris_svc"], "the input 'input' is missing; the model takes an array of shape [4]"),
            (["iris_svc", "none.npy"], "none.npy: no such file"),
            (["iris_svc", "[1, 2]"], "input 'input': the value is an array of shape [2]"),
            (["iris_svc", "other=1"], "there is no input 'other'; the model takes 'input'"),
            (
                ["iris_svc", "[1, 2, 3, 4]", "-o", "a.npy"],
                "a .npy file cannot contain the outputs 'classLabel', 'classProbability'"
            ),
            (["iris_svc", "[1, 2, 3, 4]", "--reference"], "--reference is for networks, and this is a pipeline"),
            (["iris_svc", "[1, 2, 3, 4]", "--function", "f"], "--function is for networks, and this is a pipeline"),
            (["iris_svc", "input=[1, 2, 3, 4]", "input=[1, 2, 3, 4]"], "input is given twice"),
            (["iris_tree", "1"], "a value has no input name, and the model has 4 inputs"),
            (["iris_svc", "bad.jsonl"], "bad.jsonl: line 2, input 'input': "),
            (["iris_svc", "blank.jsonl"], "blank.jsonl: line 4, input 'input': "),
            (
                ["iris_logistic", "sepal_length=5.1", "sepal_width=3.5", "petal_length=1.4", "petal_width=null"],
                "stage 3 (glmClassifier): a number in 'petal_width' is missing or NaN; of the classifiers, only tree "
                    + "ensembles accept missing numbers"
            ),
            // They would find nearest neighbors, or let support vectors vote, with distances that are NaN.
            (["iris_neighbors", "[5.1, 3.5, 1.4, null]"], "a number in 'input' is missing or NaN"),
            (["iris_svc", "[5.1, 3.5, 1.4, null]"], "a number in 'input' is missing or NaN"),
            (["iris_svc", "missing.jsonl"], "missing.jsonl: line 2, stage 1 (supportVectorClassifier): a number in"),
            (["iris_svc", "short.jsonl"], "short.jsonl: line 3: the input 'input' is missing; the model takes"),
        ] as [([String], String)])
    func `values and options that do not fit are refused`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        try Data("{\"input\": [1, 2, 3, 4]}\n{\"input\": 3}\n".utf8).write(to: folder.url.appending(path: "bad.jsonl"))
        try Data("\r\n{\"input\": [1, 2, 3, 4]}\r\n \n{\"input\": 3}\n".utf8).write(
            to: folder.url.appending(path: "blank.jsonl"))
        try Data("{\"input\": [1, 2, 3, 4]}\n\n{}\n".utf8).write(to: folder.url.appending(path: "short.jsonl"))
        try Data("{\"input\": [1, 2, 3, 4]}\n{\"input\": [1, 2, null, 4]}\n".utf8)
            .write(to: folder.url.appending(path: "missing.jsonl"))
        let outcome = try Thaw.run(["run", model(arguments[0])] + arguments.dropFirst(), in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.output == "")
    }

    @Test func `inspect lists the stages`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run("inspect", model("iris_logistic"), in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for line in [
            "format          a Core ML pipeline, version 1, for iOS 11 and macOS 10.13 and later",
            "stages          1 featureVectorizer  sepal_length, sepal_width, petal_length, petal_width → __feature_vector__",
            "                2 scaler             __feature_vector__ → __feature_vector__",
            "                3 glmClassifier      __feature_vector__ → classLabel, classProbability",
            "inputs          sepal_length: a number", "outputs         classLabel: a string",
            "                classProbability: a dictionary of strings to numbers",
            "labels          3, from 'setosa' to 'virginica'",
        ] {
            #expect(outcome.output.contains(line + "\n"), "\(outcome.output)")
        }
        let drawing = try Thaw.run("inspect", model("iris_logistic"), "--graph", "a.dot", in: folder)
        #expect(drawing.status == 2 && drawing.errors.contains("only networks can be drawn"))
    }

    @Test func `images are classified by a pipeline of a network and neighbors`() throws {
        let folder = try TemporaryFolder()
        for (name, pixel) in [("red", [200, 10, 10]), ("blue", [0, 20, 180])] {
            let image = Data("P6 3 3 255\n".utf8) + Data((0..<9).flatMap { _ in pixel.map { UInt8($0) } })
            try image.write(to: folder.url.appending(path: "\(name).ppm"))
            let run = try Thaw.run("run", model("image_colors"), "image=\(name).ppm", in: folder)
            #expect(run.output == "{\"label\": \"\(name)\"}\n", "\(run.errors)")
        }
        let outcome = try Thaw.run(
            "classify", model("image_colors"), "red.ppm", "blue.ppm", "--format", "csv", "--top", "1", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output.contains("red.ppm,1,red,") && outcome.output.contains("blue.ppm,1,blue,"),
            "\(outcome.output)")
        let table = try Thaw.run("classify", model("iris_svc"), "red.ppm", in: folder)
        #expect(table.status == 2 && table.errors.contains("the model does not classify images"))
        let comparison = try Thaw.run("compare", model("image_colors"), model("image_colors"), "red.ppm", in: folder)
        #expect(comparison.status == 0, "\(comparison.errors)")
        #expect(comparison.output.contains("the same on 1 of 1"), "\(comparison.output)")
    }
}
