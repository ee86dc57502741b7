import Foundation
import Testing

/// The output of `thaw benchmark` for scripts and people.
@Suite struct BenchmarkTests {
    private static let keys = [
        "median_ms", "p90_ms", "min_ms", "images_per_second", "threads", "batch", "precision", "load_ms",
        "peak_memory_mb", "gflops", "peak_fraction", "runs", "warmup_runs",
    ]

    private func benchmark(_ words: String..., in folder: TemporaryFolder? = nil) throws -> Thaw.Outcome {
        try Thaw.run(["benchmark"] + words + ["--seconds", "0.05"], in: folder)
    }

    private func objects(_ outcome: Thaw.Outcome) throws -> [[String: Any]] {
        try outcome.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `a benchmark prints the values that scripts read`() throws {
        let outcome = try benchmark(Project.demo, "--format", "json", "--threads", "2", "--batch", "3")
        #expect(outcome.status == 0 && outcome.errors == "")
        let object = try #require(try objects(outcome).first)
        #expect(Set(object.keys) == Set(Self.keys))
        #expect(object["threads"] as? Int == 2)
        #expect(object["batch"] as? Int == 3)
        #expect(object["precision"] as? String == "float32")
        func number(_ key: String) throws -> Double { try #require(object[key] as? Double) }
        let median = try number("median_ms")
        #expect(try number("min_ms") > 0 && number("min_ms") <= median && median <= number("p90_ms"))
        #expect(try number("gflops") > 0 && number("load_ms") > 0 && number("peak_fraction") > 0)
        #expect(try (1...1000).contains(number("peak_memory_mb")))
        #expect(try number("runs") >= 1 && number("warmup_runs") >= 1)
        let text = try benchmark(Project.demo)
        #expect(text.status == 0 && text.lines.count == Self.keys.count)
    }

    /// The measured runs take at least the requested time, and at most one run longer.
    @Test func `images per second are those processed in the measured time`() throws {
        let words = [Project.demo, "--format", "json", "--threads", "1", "--batch", "2"]
        let object = try #require(try objects(Thaw.run(["benchmark"] + words + ["--seconds", "0.3"])).first)
        let rate = try #require(object["images_per_second"] as? Double)
        let runs = try #require(object["runs"] as? Double)
        let fastest = try #require(object["min_ms"] as? Double)
        let elapsed = 2 * runs / rate
        #expect(elapsed > 0.299 && elapsed * 1000 > 0.99 * runs * fastest)
    }

    @Test(arguments: [
        "detectors/anchors.mlmodel", "pipelines/hand_categories.mlmodel", "pipelines/dictionary.mlmodel",
        "pipelines/xgboost_classes.mlmodel", "pipelines/iris_svc.mlmodel",
    ])
    func `a pipeline is measured with random rows`(_ name: String) throws {
        let words = ["--format", "json", "--threads", "1", "--batch", "2"]
        let outcome = try Thaw.run(["benchmark", Project.fixture(name)] + words + ["--seconds", "0.05"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try #require(try objects(outcome).first)
        #expect(Set(object.keys) == Set(Self.keys) && object["batch"] as? Int == 2)
        let (median, rate) = (object["median_ms"] as? Double, object["images_per_second"] as? Double)
        #expect(try #require(median) > 0 && #require(rate) > 0)
    }

    @Test func `the profile of a pipeline has its stages`() throws {
        let folder = try TemporaryFolder()
        let outcome = try benchmark(
            Project.fixture("detectors/anchors.mlmodel"), "--format", "json", "--profile", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let profile = try #require(try objects(outcome).first?["profile"] as? [[String: Any]])
        #expect(profile.first?["step"] as? String == "stage 1" && profile.count > 1)
        #expect(profile.last?["operation"] as? String == "nonMaximumSuppression")
    }

    @Test func `each model and thread count has a row`() throws {
        let network = Project.network("mobilenet_v1_folded")
        let pairs = [Project.demo, network].flatMap { model in ["1", "2"].map { (model, $0) } }
        let lines = try objects(benchmark(Project.demo, network, "--threads", "1,2", "--format", "json"))
        #expect(lines.count == 4)
        for ((model, threads), line) in zip(pairs, lines) {
            #expect(line["model"] as? String == model && (line["threads"] as? Int).map(String.init) == threads)
            #expect(Set(line.keys) == Set(Self.keys + ["model"]))
        }
        let table = try benchmark(Project.demo, network, "--threads", "1,2").lines
        #expect(table.count == 5 && table[0].hasPrefix("model ") && table[0].hasSuffix("    runs  warm-up"))
        for ((model, threads), line) in zip(pairs, table.dropFirst()) {
            let words = line.split(separator: " ")
            #expect(words.count == 10 && words[0] == model && words[1] == threads)
        }
        let csv = try benchmark(Project.demo, network, "--threads", "2", "--format", "csv").lines
        #expect(csv.count == 3 && csv[0] == "model," + Self.keys.joined(separator: ","))
        #expect(csv[2].hasPrefix(network + ",") && csv[2].split(separator: ",").count == Self.keys.count + 1)
        let markdown = try benchmark(Project.demo, "--threads", "2,1", "--format", "markdown").lines
        #expect(markdown.count == 4 && markdown[1].hasPrefix("|---|---:|"))
        #expect(markdown[2].hasPrefix("| \(Project.demo) | 2 | ") && markdown[3].hasPrefix("| \(Project.demo) | 1 | "))
        #expect(Set(markdown.map { $0.filter { $0 == "|" }.count }) == [11])
    }

    @Test func `a model that cannot be read does not stop the others`() throws {
        let outcome = try benchmark("none.mlmodel", Project.demo, "--format", "json")
        #expect(outcome.status == 1 && outcome.lines.count == 1)
        #expect(outcome.errors.hasPrefix("thaw: none.mlmodel: no such file"))
        #expect(try benchmark("none.mlmodel", "neither.mlmodel").status == 2)
    }

    @Test(arguments: [
        (["--threads", "1,1"], "invalid value '1,1'; expected each number once"),
        (["--threads", "1,"], "invalid value ''; expected an integer from 1 to 1024"),
        (["--threads", "1,2", "--profile"], "--profile and several models or numbers of threads cannot be combined"),
        (["--format", "csv", "--profile"], "--profile without a file and --format csv cannot be combined"),
    ]) func `invalid options are refused`(_ words: [String], _ message: String) throws {
        let outcome = try Thaw.run(["benchmark", Project.demo] + words)
        #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func `results are written to a named file, but never to an input`() throws {
        let folder = try TemporaryFolder()
        let outcome = try benchmark(Project.demo, "--format", "csv", "-o", "speed.csv", in: folder)
        #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "")
        let text = String(decoding: try folder.data("speed.csv"), as: UTF8.self)
        #expect(text.hasPrefix("model,median_ms,") && text.split(separator: "\n").count == 2)
        try FileManager.default.copyItem(atPath: Project.demo, toPath: folder.path("net.pb"))
        let before = try folder.data("net.pb")
        let refused = try benchmark("net.pb", "--out", "./net.pb", in: folder)
        #expect(refused.status == 2 && refused.errors.contains("the results would replace an input"))
        #expect(try folder.data("net.pb") == before)
    }
}
