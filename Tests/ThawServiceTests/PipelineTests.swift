import Foundation
import Testing

/// Pipelines and detectors over HTTP: each row of the fixtures gets the output that is stored with it.
@Suite(.enabled(if: EndToEndTests.hasCurl, "curl is not installed"))
struct PipelineTests {
    private static let models = [
        "pipelines/xgboost_classes", "pipelines/dictionary", "pipelines/hand_categories", "pipelines/hand_network",
        "pipelines/digits_logistic", "pipelines/diabetes_svr", "detectors/anchors", "detectors/suppression_padded",
        "detectors/suppression_without_labels",
    ]

    private static func path(_ name: String) -> String { EndToEndTests.path("Tests/Fixtures/" + name) }

    private static func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    /// Posts a request as JSON.
    private static func post(_ object: [String: Any], to url: String) throws -> [String: Any] {
        let file = FileManager.default.temporaryDirectory.appending(path: "thaw-\(UUID().uuidString).json")
        try JSONSerialization.data(withJSONObject: object).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try json(EndToEndTests.curl(["--data-binary", "@" + file.path, url]))
    }

    @Test func `a pipeline answers over HTTP as in the command`() throws {
        let server = try RunningServer(Self.models.map { Self.path($0 + ".mlmodel") })
        defer { server.stop() }
        for model in Self.models {
            let name = String(model.split(separator: "/").last!)
            try Self.check(server, name, rows: model + ".jsonl")
        }
    }

    /// Sends the first rows of a file as requests of one item, and compares the outputs.
    /// - Parameter hasBatch: Whether an item gets a first axis.
    private static func check(_ server: RunningServer, _ name: String, rows: String, hasBatch: Bool = true) throws {
        let url = server.url + "/v2/models/" + name
        let metadata = try json(EndToEndTests.curl([url]))
        let inputs = try #require(metadata["inputs"] as? [[String: Any]])
        let folder = path(String(rows.split(separator: "/")[0])) + "/"
        let lines = try String(contentsOfFile: path(rows), encoding: .utf8).split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines.prefix(4) {
            let row = try json(String(line))
            let given = try #require(row["inputs"] as? [String: Any])
            let expected = try #require(row["outputs"] as? [String: Any])
            let request = try inputs.compactMap { input -> [String: Any]? in
                let name = try #require(input["name"] as? String)
                var tensor = try given[name].map { try Self.tensor(name, input, $0, folder) }
                if !hasBatch { tensor?["shape"] = input["shape"] }
                return tensor
            }
            let response = try post(["inputs": request], to: url + "/infer")
            let outputs = try #require(response["outputs"] as? [[String: Any]], "\(name): \(response)")
            #expect(outputs.count == expected.count)
            for var output in outputs {
                let key = try #require(output["name"] as? String)
                let value = try #require(expected[key])
                if !hasBatch { output["shape"] = [1] + (output["shape"] as? [Int] ?? []) }
                let isSame = try isSame(output, value)
                #expect(isSame, "\(name), \(key): \(output) instead of \(value)")
            }
        }
    }

    /// A tensor of one item.
    private static func tensor(
        _ name: String, _ input: [String: Any], _ value: Any, _ folder: String
    ) throws -> [String: Any] {
        let type = try #require(input["datatype"] as? String)
        var tensor: [String: Any] = ["name": name, "datatype": type, "shape": [1, 1], "data": [value]]
        if let array = value as? [Any] {
            tensor["shape"] = [1] + Self.shape(array)
            tensor["data"] = array
        } else if let dictionary = value as? [String: Any] {
            let text = try JSONSerialization.data(withJSONObject: dictionary)
            tensor["data"] = [String(decoding: text, as: UTF8.self)]
        } else if type == "UINT8" {
            // Images are in files.
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "\(value)"))
            tensor["datatype"] = "BYTES"
            tensor["shape"] = [1]
            tensor["data"] = [bytes.base64EncodedString()]
            tensor["parameters"] = ["content_type": "base64"]
        }
        return tensor
    }

    private static func shape(_ array: [Any]) -> [Int] { [array.count] + ((array.first as? [Any]).map(shape) ?? []) }

    private static func numbers(_ value: Any) -> [Double] {
        if let array = value as? [Any] { return array.flatMap(numbers) }
        return [(value as? NSNumber)?.doubleValue ?? .nan]
    }

    /// Whether an output of one item is `value`, apart from rounding.
    private static func isSame(_ output: [String: Any], _ value: Any) throws -> Bool {
        let data = try #require(output["data"] as? [Any])
        let shape = try #require(output["shape"] as? [Int])
        if let text = value as? String { return shape == [1, 1] && data.first as? String == text }
        if let expected = value as? [String: Any] {
            let dictionary = try json(#require(data.first as? String))
            return Set(dictionary.keys) == Set(expected.keys)
                && expected.allSatisfy { isNear(numbers(dictionary[$0.key]!), numbers($0.value)) }
        }
        guard let array = value as? [Any] else { return shape == [1, 1] && isNear(numbers(data), numbers(value)) }
        return (array.isEmpty || shape == [1] + Self.shape(array)) && isNear(numbers(data), numbers(array))
    }

    /// Stored outputs of networks are float32.
    private static func isNear(_ actual: [Double], _ expected: [Double]) -> Bool {
        let scale = max(1, expected.map(abs).max() ?? 0)
        return actual.count == expected.count && zip(actual, expected).allSatisfy { abs($0 - $1) <= 1e-5 * scale }
    }

    @Test func `rows form a batch, whose size is checked`() throws {
        let server = try RunningServer(["iris=" + Self.path("pipelines/xgboost_classes.mlmodel")])
        defer { server.stop() }
        let url = server.url + "/v2/models/iris/infer"
        func column(_ name: String, _ values: [Any]) -> [String: Any] {
            ["name": name, "datatype": "FP64", "shape": [values.count], "data": values]
        }
        let rows = [column("f0", [5.1, 4.3]), column("f1", [3.5, 3.0]), column("f2", [1.4, 1.1])]
        let both = try Self.post(["inputs": rows + [column("f3", [NSNull(), 0.1])]], to: url)
        let outputs = try #require(both["outputs"] as? [[String: Any]])
        #expect(outputs.map { $0["name"] as? String } == ["target", "classProbability"])
        #expect(outputs[0]["data"] as? [Int] == [0, 0] && outputs[0]["shape"] as? [Int] == [2, 1])
        // The two most probable classes.
        let top: [String: Any] = ["name": "classProbability", "parameters": ["classification": 2]]
        let classes = try Self.post(["inputs": rows + [column("f3", [0.2, 0.1])], "outputs": [top]], to: url)
        let texts = (classes["outputs"] as? [[String: Any]])?[0]["data"] as? [String]
        #expect(texts?.count == 4 && texts?[0].hasSuffix(":0:0") == true)
        let failures: [([[String: Any]], String)] = [
            (rows + [column("f3", [0.2])], "wrongShape"),
            (rows + [["name": "f3", "datatype": "FP32", "shape": [2], "data": [1, 2]]], "wrongType"),
            (rows + [column("f3", ["a", "b"])], "wrongType"), (rows + [column("f9", [1, 2])], "noSuchFeature"),
            (Array(rows[..<1]), "noInput"),
        ]
        for (inputs, code) in failures {
            let response = try Self.post(["inputs": inputs], to: url)
            #expect(response["code"] as? String == code, "\(response)")
        }
    }

    @Test func `a missing number is refused by a classifier that cannot handle it`() throws {
        let server = try RunningServer(["iris=" + Self.path("pipelines/iris_logistic.mlmodel")])
        defer { server.stop() }
        let names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
        let inputs = zip(names, [5.1, 3.5, NSNull(), 0.2] as [Any]).map { name, value -> [String: Any] in
            ["name": name, "datatype": "FP64", "shape": [1], "data": [value]]
        }
        let response = try Self.post(["inputs": inputs], to: server.url + "/v2/models/iris/infer")
        #expect(response["code"] as? String == "noInput", "\(response)")
        #expect((response["error"] as? String)?.contains("'petal_length'") == true, "\(response)")
    }

    @Test func `images with different numbers of boxes are refused together`() throws {
        let server = try RunningServer([Self.path("detectors/anchors.mlmodel")])
        defer { server.stop() }
        let url = server.url + "/v2/models/anchors"
        let images = try (0..<2).map { index -> String in
            let file = URL(fileURLWithPath: Self.path("detectors/shapes\(index).png"))
            return try Data(contentsOf: file).base64EncodedString()
        }
        func request(_ images: [String]) -> [String: Any] {
            [
                "inputs": [
                    [
                        "name": "image", "datatype": "BYTES", "shape": [images.count], "data": images,
                        "parameters": ["content_type": "base64"],
                    ] as [String: Any]
                ]
            ]
        }
        let one = try Self.post(request([images[1]]), to: url + "/infer")
        #expect(one["outputs"] != nil, "\(one)")
        let both = try Self.post(request(images), to: url + "/infer")
        #expect(both["code"] as? String == "wrongShape", "\(both)")
        #expect((both["error"] as? String)?.contains("send one item at a time") == true)
        // A pipeline has no drawing, and this one does not classify.
        #expect(
            try EndToEndTests.curl([server.url + "/models/anchors/graph.svg"]).contains("only networks can be drawn"))
        let photo = Self.path("detectors/shapes0.png")
        let refusal = try EndToEndTests.curl(["--data-binary", "@" + photo, server.url + "/classify?model=anchors"])
        #expect(refusal.contains("does not classify single images"))
    }

    @Test func `several images are refused by a model without a batch dimension`() throws {
        let server = try RunningServer([Self.path("graphs/crop_and_resize/nearest.pb")])
        defer { server.stop() }
        let url = server.url + "/v2/models/nearest"
        let inputs = try #require(Self.json(EndToEndTests.curl([url]))["inputs"] as? [[String: Any]])
        let image = try Data(contentsOf: URL(fileURLWithPath: Self.path("detectors/shapes0.png")))
        func response(_ count: Int) throws -> [String: Any] {
            let images = Array(repeating: image.base64EncodedString(), count: count)
            let input: [String: Any] = [
                "name": inputs[0]["name"]!, "datatype": "BYTES", "shape": [count], "data": images,
                "parameters": ["content_type": "base64"],
            ]
            return try Self.post(["inputs": [input]], to: url + "/infer")
        }
        let one = try response(1)
        #expect((one["outputs"] as? [[String: Any]])?[0]["shape"] as? [Int] == [4, 4, 5, 3], "\(one)")
        let two = try response(2)
        #expect(two["code"] as? String == "wrongShape", "\(two)")
        #expect((two["error"] as? String)?.contains("the model has no batch dimension") == true)
    }

    @Test func `a function of a package is served`() throws {
        let server = try RunningServer(
            ["a=" + Self.path("sequences/functions.mlpackage"), "b=" + Self.path("sequences/functions.mlpackage")]
                + ["--function", "a=double", "--function", "b=negate"])
        defer { server.stop() }
        try Self.check(server, "a", rows: "sequences/functions_double.jsonl", hasBatch: false)
        try Self.check(server, "b", rows: "sequences/functions_negate.jsonl", hasBatch: false)
    }

    @Test(arguments: [
        (["inputs/stateful.mlpackage"], "keeps a state"),
        (["--function", "other", "sequences/functions.mlpackage"], "'double'"),
        (["--function", "x", "pipelines/dictionary.mlmodel"], "--function is for ML Programs"),
        (["--labels", "labels/blank_first_line.txt", "pipelines/dictionary.mlmodel"], "--labels is for graphs"),
    ])
    func `models that cannot be served are refused at startup`(_ arguments: [String], _ message: String) throws {
        let arguments = arguments.map { $0.contains("/") ? Self.path($0) : $0 }
        #expect(try RunningServer.refusal(arguments).contains(message))
    }
}
